#include "search/batch_curve.h"

#include "estimate/estimate.h"
#include "run/fact_access.h"

#include <algorithm>
#include <string>

namespace gpulint {
namespace {

/// Doublings shown on either side of the stated batch.
constexpr int kSmaller = 4;
constexpr int kLarger = 4;

std::optional<BatchPoint> point_at(const EstimateRequest& request, std::int64_t batch,
                                   bool& beyond) {
  EstimateRequest other = request;
  other.predict_time = true;
  // The device's own pace: a loader that is too slow would flatten every curve alike.
  other.run = request.run.with({{"per_device_batch_size", std::to_string(batch)},
                                {"step_time", ""},
                                {"num_workers", ""},
                                {"samples_per_second_per_worker", ""}});
  const Estimate estimated = estimate(other);
  if (!estimated.vram || estimated.vram->lower_bound_only || !estimated.usable_vram) {
    return std::nullopt;
  }
  BatchPoint point{.batch = batch, .needed = estimated.vram->needed, .throughput = {}};
  beyond = point.needed.central > estimated.usable_vram->low;
  if (estimated.step_time) {
    const auto steps = static_cast<double>(
        at_least(request.run.facts().gradient_accumulation_steps, 1).value_or(1));
    point.throughput =
        PerSecond{static_cast<double>(batch) * steps / estimated.step_time->total.central.value};
  }
  return point;
}

}  // namespace

std::vector<BatchPoint> batch_curve(const EstimateRequest& request) {
  const auto stated = at_least(request.run.facts().per_device_batch_size, 1);
  if (!stated || request.run.gpu() == nullptr) return {};
  std::int64_t batch = *stated;
  for (int i = 0; i < kSmaller && batch > 1; ++i) batch = std::max<std::int64_t>(1, batch / 2);
  std::vector<BatchPoint> points;
  int larger = 0;
  for (bool beyond = false; larger <= kLarger;) {
    const auto point = point_at(request, batch, beyond);
    if (!point) return {};
    points.push_back(*point);
    if (batch >= *stated) ++larger;
    if (beyond && batch >= *stated) break;
    const std::int64_t next = 2 * batch;
    batch = batch < *stated && next > *stated ? *stated : next;
  }
  return points;
}

}  // namespace gpulint
