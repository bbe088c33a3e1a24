#include "device/sustain.h"

#include "device/stop_signals.h"
#include "host/statistics.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace gpulint::probe {
namespace {

using Clock = std::chrono::steady_clock;

/// The timed product with the most work in it: 16 bits before fp32, the library before our own.
std::optional<RateKind> kind_to_sustain(const DeviceReport& report) {
  for (const NumberFormat format : {NumberFormat::bf16, NumberFormat::fp16, NumberFormat::fp32}) {
    for (const Tier tier : {Tier::library, Tier::kernel}) {
      const RateKind kind = kind_of(tier, format);
      const auto timed = std::find_if(report.rates.begin(), report.rates.end(),
                                      [kind](const Rate& rate) { return rate.kind == kind; });
      if (timed != report.rates.end()) return kind;
    }
  }
  return std::nullopt;
}

using Pick = const double& (*)(const double&, const double&);

void widen(std::optional<double>& end, const std::optional<double>& now, Pick pick) {
  if (now) end = end ? pick(*end, *now) : *now;
}

void widen(CardState& end, const CardState& now, Pick pick) {
  widen(end.sm_clock, now.sm_clock, pick);
  widen(end.power, now.power, pick);
  widen(end.power_limit, now.power_limit, pick);
  widen(end.temperature, now.temperature, pick);
}

}  // namespace

void sustain(TimingSession& session, const NvmlSession& nvml, std::chrono::seconds time,
             DeviceReport& report) {
  const auto kind = kind_to_sustain(report);
  if (!kind) {
    report.not_timed.emplace_back("sustained: no product was timed");
    return;
  }
  const ProductKind product = *product_of(*kind);
  // As large as the card does in a few milliseconds, so that launches do not matter.
  constexpr int kSize = 4096;
  const GemmShape shape{.m = kSize, .n = kSize, .k = kSize};
  Sustained found{.kind = *kind, .low = {}, .high = {}, .slowed_down = {}};
  const auto begin = Clock::now();
  const auto seconds_since = [begin] {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  session.bench().watch_load([&] {
    const CardState now = nvml.state();
    widen(found.low, now, std::min<double>);
    widen(found.high, now, std::max<double>);
    const std::string why = nvml.disturbance();
    auto& seen = found.slowed_down;
    if (!why.empty() && std::find(seen.begin(), seen.end(), why) == seen.end()) seen.push_back(why);
  });
  const std::function<bool(Seconds)> watch = [&](Seconds) {
    return stop_signal() == 0 && Clock::now() - begin < time;
  };
  constexpr Seconds kSample{0.2};  // between two looks at the card
  const auto seconds = session.gemm().sample(shape, product.format, product.tier,
                                             {.warm_up = Seconds{0},
                                              .least_sample = kSample,
                                              .samples = std::numeric_limits<int>::max(),
                                              .most = Seconds{std::numeric_limits<double>::max()},
                                              .more = &watch});
  session.bench().watch_load({});
  if (!seconds) {
    report.not_timed.push_back("sustained: " + session.why());
    return;
  }
  std::vector<double> rates;
  for (const double each : *seconds) rates.push_back(operations_of(shape) / each);
  const std::size_t start = std::max<std::size_t>(1, rates.size() / 10);
  const std::size_t end = std::max<std::size_t>(1, rates.size() / 4);
  found.seconds = seconds_since();
  found.samples = static_cast<int>(std::min<std::size_t>(rates.size(), 1'000'000));
  found.first = median_of({rates.begin(), rates.begin() + static_cast<std::ptrdiff_t>(start)});
  found.last = median_of({rates.end() - static_cast<std::ptrdiff_t>(end), rates.end()});
  report.sustained = std::move(found);
}

}  // namespace gpulint::probe
