#pragma once

#include "catalog/project.h"
#include "memory/memory_estimate.h"
#include "plan/training_plan.h"
#include "run/quantity.h"

#include <optional>
#include <span>
#include <vector>

namespace gpulint {

/// A measured peak as nvidia-smi would have shown it.
struct MeasuredPoint {
  std::int64_t batch = 0;  // samples per device
  Interval total;
  Bytes reading;  // as written
};

/// Points of one setting that the plan is in, by batch, one per batch; empty when there is none.
/// Points are joined only where their `when` facts are the same; of several settings the plan is
/// in, one with two or more points wins, then the most specific one.
std::vector<MeasuredPoint> measured_points(const TrainingPlan& plan, const Gpu* gpu,
                                           std::span<const Measurement> measurements,
                                           UnknownFacts& unknown);

/// Bounds at `batch` samples from points of `measured_points` (at least one).
Interval measured_total(std::span<const MeasuredPoint> points, std::int64_t batch);

/// The whole estimate with its terms.
VramEstimate measured_vram(const TrainingPlan& plan, const Gpu* gpu,
                           std::span<const MeasuredPoint> points, std::int64_t batch);

}  // namespace gpulint
