#pragma once

// What an estimate is asked about: one run, and what was measured of it.

#include "catalog/project.h"
#include "run/resolved_run.h"

#include <optional>
#include <span>

namespace gpulint {

/// Of a project that states none.
inline constexpr double kDefaultHeadroom = 0.9;

struct EstimateRequest {
  ResolvedRun run;
  std::span<const Measurement> measurements = {};
  std::optional<Seconds> step_time = {};  // measured, of one optimizer step
  /// Predict the step's time where nobody measured it; costs another run of the operators.
  bool predict_time = false;
  /// Share of a budget above which its verdict is "thin".
  double headroom = kDefaultHeadroom;
};

}  // namespace gpulint
