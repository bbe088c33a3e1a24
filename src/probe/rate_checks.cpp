#include "probe/rate_checks.h"

#include "time/host_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

namespace gpulint::probe {
namespace {

constexpr NumberFormat kFormats[] = {NumberFormat::fp32, NumberFormat::tf32, NumberFormat::fp16,
                                     NumberFormat::bf16, NumberFormat::fp8};

class RateChecks {
 public:
  RateChecks(const DeviceReport& device, const Gpu& gpu) : device_(device), gpu_(gpu) {}

  void check_bandwidth();
  void check_products(NumberFormat format);
  /// What `half` wins over `full`, both by the library.
  void check_speedup(NumberFormat half, NumberFormat full);
  void check_host_copies();
  std::vector<Check> take() { return std::move(checks_); }

 private:
  const Rate* find(RateKind kind) const {
    const auto found = std::find_if(device_.rates.begin(), device_.rates.end(),
                                    [kind](const Rate& rate) { return rate.kind == kind; });
    return found == device_.rates.end() ? nullptr : &*found;
  }
  Measurement measurement(double value, double noise, Witness witness = Witness::exact) const {
    return {value, noise, witness, device_.disturbed_by};
  }
  Check& add(std::string name, std::string baseline, const Prediction& prediction,
             Measurement measured) {
    const Judgement judgement = judge(prediction, measured);
    return checks_.emplace_back(
        Check{std::move(name), std::move(baseline), prediction, std::move(measured), judgement});
  }
  /// The rate that frameworks reach: achieved fraction of peak.
  std::optional<double> usual(NumberFormat format) const {
    const auto index = static_cast<std::size_t>(precision_of(format));
    const auto& peak = gpu_.peak_flops[index];
    const auto& fraction = gpu_.achieved_fraction[index];
    return peak && fraction ? std::optional(peak->value * *fraction) : std::nullopt;
  }

  const DeviceReport& device_;
  const Gpu& gpu_;
  std::vector<Check> checks_;
};

void RateChecks::check_bandwidth() {
  const Rate* copy = find(RateKind::copy);
  if (copy == nullptr || !gpu_.memory_bandwidth || !gpu_.achieved_bandwidth) return;
  const double usual = gpu_.memory_bandwidth->value * *gpu_.achieved_bandwidth;
  add("copy",
      fmt::format("a large copy's {:.2f} of the database's {:.0f} GB/s", *gpu_.achieved_bandwidth,
                  gpu_.memory_bandwidth->value / 1e9),
      {Quantity::bandwidth, usual, usual}, measurement(copy->value, copy->noise));
}

void RateChecks::check_products(NumberFormat format) {
  const auto index = static_cast<std::size_t>(precision_of(format));
  const auto& peak = gpu_.peak_flops[index];
  const auto& band = gpu_.achieved_band[index];
  if (!peak || !band) return;
  const Prediction prediction{Quantity::gemm_rate, peak->value * band->low,
                              peak->value * band->high};
  const auto check = [&](Tier tier, Witness witness) -> Check* {
    const RateKind kind = kind_of(tier, format);
    const Rate* rate = find(kind);
    if (rate == nullptr) return nullptr;
    return &add(std::string(name_of(kind)),
                fmt::format("{:.2f} to {:.2f} of the database's {:.1f} TFLOP/s in {}, which the "
                            "library reaches on a healthy card",
                            band->low, band->high, peak->value / 1e12, name_of(format)),
                prediction, measurement(rate->value, rate->noise, witness));
  };
  // What the library reaches makes our own kernel's rate no news.
  if (check(Tier::library, Witness::exact) == nullptr) check(Tier::kernel, Witness::reached);
  const Check* ceiling = check(Tier::issue, Witness::upper_bound);
  // A ceiling above the band is as it should be, and decides nothing.
  const bool decides = ceiling != nullptr && ceiling->judgement.verdict == Verdict::contradicted;
  if (ceiling != nullptr && !decides) checks_.pop_back();
}

void RateChecks::check_speedup(NumberFormat half, NumberFormat full) {
  const Rate* fast = find(kind_of(Tier::library, half));
  const Rate* slow = find(kind_of(Tier::library, full));
  const auto usual_fast = usual(half);
  const auto usual_slow = usual(full);
  if (fast == nullptr || slow == nullptr || !usual_fast || !usual_slow) return;
  if (!(slow->value > 0) || !(fast->value > 0) || !(*usual_slow > 0)) return;
  const double predicted = *usual_fast / *usual_slow;
  const double measured = fast->value / slow->value;
  const double noise = noise_of_ratio(fast->noise / fast->value, slow->noise / slow->value);
  add(fmt::format("amp_gemm_{}_over_{}", name_of(half), name_of(full)),
      fmt::format("{} products over those in {}, as the database's achieved rates have it",
                  name_of(half), full == NumberFormat::fp32 ? "strict fp32" : name_of(full)),
      {Quantity::amp_speedup, predicted, predicted}, measurement(measured, measured * noise));
}

void RateChecks::check_host_copies() {
  const Rate* pinned = find(RateKind::pinned_upload);
  const Rate* pageable = find(RateKind::pageable_upload);
  // The generation drops while the card idles; the width does not.
  const auto& link = device_.pcie;
  const auto usual = link ? pinned_copy_rate(link->max_generation, link->width) : std::nullopt;
  if (pinned != nullptr && usual) {
    add("pinned_upload",
        fmt::format("pinned copies over {} lanes of PCIe generation {}", link->width,
                    link->max_generation),
        {Quantity::bandwidth, usual->value, usual->value},
        measurement(pinned->value, pinned->noise));
  }
  if (pinned == nullptr || pageable == nullptr) return;
  if (!(pinned->value > 0) || !(pageable->value > 0)) return;
  const RateInterval copied = pageable_copy_rate(PerSecond{pinned->value});
  const double measured = pinned->value / pageable->value;
  const double noise =
      noise_of_ratio(pinned->noise / pinned->value, pageable->noise / pageable->value);
  add("pinned_copy_speedup", "pinned over pageable copies, as the estimate's loading times have it",
      {Quantity::pinned_copy_speedup, pinned->value / copied.high.value,
       pinned->value / copied.low.value},
      measurement(measured, measured * noise));
}

}  // namespace

Precision precision_of(NumberFormat format) {
  switch (format) {
    case NumberFormat::fp32:
      return Precision::fp32;
    case NumberFormat::tf32:
      return Precision::tf32;
    case NumberFormat::fp16:
      return Precision::fp16;
    case NumberFormat::bf16:
      return Precision::bf16;
    case NumberFormat::fp8:
      return Precision::fp8;
  }
  return Precision::fp32;
}

std::vector<Check> check_rates(const DeviceReport& device, const Gpu& gpu) {
  RateChecks checks(device, gpu);
  if (device.mig) return {};
  checks.check_bandwidth();
  for (const NumberFormat format : kFormats) checks.check_products(format);
  for (const NumberFormat half : {NumberFormat::fp16, NumberFormat::bf16}) {
    checks.check_speedup(half, NumberFormat::fp32);
    checks.check_speedup(half, NumberFormat::tf32);
  }
  if (!device.integrated) checks.check_host_copies();  // no PCIe lies between
  return checks.take();
}

}  // namespace gpulint::probe
