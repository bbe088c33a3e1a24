#pragma once

// The memory of one micro-step over its course, for a picture: forward fills it, backward empties
// it.

#include "base/units.h"
#include "model/timeline.h"
#include "run/resolved_run.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace gpulint {

struct CurvePoint {
  Bytes live;  // tensors alive above what is there before the step
  model::StepPhase phase = model::StepPhase::forward;
};

/// At most `points` points in the order of the step, each the highest moment of its share of the
/// allocations; nullopt where the model or the size of its input is unknown. Drawn for the most
/// likely way the step runs.
std::optional<std::vector<CurvePoint>> step_curve(const ResolvedRun& run, std::size_t points);

}  // namespace gpulint
