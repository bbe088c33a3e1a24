// From storage to the device. A loader delivers what its workers decode, and no more than the
// storage delivers; nobody's decoding speed is guessed. The copy to the device waits in the same
// stream as the kernels, so it costs time unless a prefetcher uses a stream of its own.

#include "run/fact_access.h"
#include "time/host_link.h"
#include "time/time_parts.h"

#include <algorithm>

namespace gpulint {
namespace {

constexpr int kUsualGeneration = 4;
constexpr int kUsualLanes = 16;

}  // namespace

TimeInterval batch_transfer(const TrainingPlan& plan, const Gpu& gpu, Bytes batch) {
  const int generation = std::clamp(gpu.pcie_generation.value_or(kUsualGeneration), 1, 6);
  const auto assumed = pinned_copy_rate(generation, gpu.pcie_lanes.value_or(kUsualLanes));
  const auto rate = gpu.pinned_copy ? gpu.pinned_copy : assumed;
  const auto at = [&](PerSecond copied) { return Seconds{batch.as_double() / copied.value}; };
  const Seconds pinned = rate ? at(*rate) : Seconds{};
  TimeInterval pageable;
  if (rate) {
    const RateInterval copied = pageable_copy_rate(*rate);
    pageable = {at(copied.high), at(copied.central), at(copied.low)};
  }
  const bool hidden = is_true(plan.pin_memory) && is_true(plan.non_blocking);
  if (is_true(plan.pin_memory)) return {hidden ? Seconds{} : pinned, pinned, pinned};
  if (is_false(plan.pin_memory)) return pageable;
  return {pinned, pageable.central, pageable.high};
}

std::optional<RateInterval> loader_rate(const TrainingPlan& plan, const Layout& layout,
                                        UnknownFacts& unknown) {
  std::optional<double> decoded;
  const Maybe<double>& each = plan.samples_per_second_per_worker;
  const auto workers = at_least(plan.num_workers, 0);
  if (each && each->value > 0 && workers) {
    // Without workers the training process decodes, one sample after the other.
    decoded = each->value * static_cast<double>(std::max<std::int64_t>(*workers, 1));
  } else {
    unknown.push_back(each ? "num_workers" : "samples_per_second_per_worker");
  }
  std::optional<double> stored;
  const auto bandwidth = positive(plan.storage_bandwidth);
  const auto dataset = positive(plan.dataset_bytes);
  const auto samples = at_least(plan.dataset_samples, 1);
  if (bandwidth && dataset && samples && !is_true(plan.dataset_in_ram)) {
    const double sample = dataset->as_double() / static_cast<double>(*samples);
    stored = bandwidth->as_double() / sample / static_cast<double>(layout.ranks_on_host);
  }
  if (!decoded && !stored) return std::nullopt;
  const double rate = std::min(decoded.value_or(*(stored ? stored : decoded)),
                               stored.value_or(*(decoded ? decoded : stored)));
  // With only one of both known the loader may be slower.
  return RateInterval{PerSecond{decoded ? rate : 0}, PerSecond{rate}, PerSecond{rate}};
}

}  // namespace gpulint
