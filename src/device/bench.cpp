#include "device/bench.h"

#include "host/statistics.h"

#include <algorithm>

namespace gpulint::probe {
namespace {

constexpr int kMostWarmUps = 1000;
constexpr int kMostRuns = 256;  // of one sample
constexpr int kEnoughSamples = 3;
constexpr int kMostSms = 1024;

}  // namespace

Timing timing_of(const std::vector<double>& seconds) {
  const Summary summary = summarize(seconds);
  return {Seconds{summary.median}, Seconds{summary.noise}, static_cast<int>(seconds.size())};
}

Bench::Bench(const CudaApi& cuda, Calls& calls, int sm_count)
    : cuda_(cuda),
      calls_(calls),
      sm_count_(std::clamp(sm_count, 1, kMostSms)),
      kernels_(cuda, calls),
      watch_(cuda, calls) {}

LaunchShape Bench::everywhere(int blocks_per_sm) const {
  return {.columns = static_cast<unsigned>(sm_count_ * blocks_per_sm)};
}

bool Bench::fill(const DeviceBuffer& buffer, NumberFormat format) {
  CudaFunction kernel = kernels_.find(KernelFile::memory, "gpulint_fill");
  if (kernel == nullptr) return false;
  RandomBits bits = random_bits(format);
  CudaAddress words = buffer.address();
  std::uint64_t count = buffer.size() / sizeof(std::uint32_t);
  std::uint32_t seed = ++seed_;
  return watch_.launch(kernel, everywhere(), {&words, &count, &seed, &bits.keep, &bits.exponent});
}

std::optional<Seconds> Bench::timed(int runs, const std::function<bool()>& run, bool look) {
  if (!watch_.start()) return std::nullopt;
  for (int i = 0; i < runs; ++i) {
    if (!run()) return std::nullopt;
  }
  if (!watch_.finish()) return std::nullopt;
  if (look && look_) look_();
  return watch_.elapsed();
}

std::optional<std::vector<double>> Bench::sample(const std::function<bool()>& run,
                                                 const SamplePlan& plan) {
  Seconds spent;
  Seconds once;
  for (int i = 0; i == 0 || (i < kMostWarmUps && spent < plan.warm_up); ++i) {
    const auto took = timed(1, run);
    if (!took) return std::nullopt;
    once = *took;
    spent.value += once.value;
  }
  const double wanted = once.value > 0 ? plan.least_sample.value / once.value : kMostRuns;
  const int runs = 1 + static_cast<int>(std::min(wanted, double{kMostRuns - 1}));
  std::vector<double> seconds;
  for (int i = 0; i < std::max(plan.samples, 1); ++i) {
    if (i >= kEnoughSamples && spent > plan.most) break;
    // The last of those that are always taken, when the card is as warm as it gets; all of them
    // where somebody decides by each whether another follows.
    const bool look = plan.more != nullptr || i == std::min(plan.samples, kEnoughSamples) - 1;
    const auto took = timed(runs, run, look);
    if (!took) return std::nullopt;
    if (took->value <= 0) {
      calls_.fail(Reason::init_failed, "the device's clock did not move");
      return std::nullopt;
    }
    spent.value += took->value;
    seconds.push_back(took->value / runs);
    if (plan.more != nullptr && !(*plan.more)(Seconds{seconds.back()})) break;
  }
  return seconds;
}

}  // namespace gpulint::probe
