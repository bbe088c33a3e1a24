#pragma once

// What the time of a step is predicted from: the operators of one micro-batch and the rates of the
// device they run on.

#include "memory/step_ways.h"
#include "memory/tape_memo.h"
#include "run/estimate_request.h"
#include "run/quantity.h"
#include "time/time_parts.h"
#include "time/time_rates.h"

#include <optional>
#include <vector>

namespace gpulint {

struct TimedRun {
  DeviceRates rates;
  Layout layout;
  double samples = 1;        // of one rank and micro-batch
  double micro_batches = 1;  // per optimizer step
  model::ModelLibrary::Found found;
  ModelDimensions dimensions;
  std::vector<StepWay> ways;  // the first is the one on the tape
  SharedTape tape;
  /// Part of the model's work that one rank does.
  double share() const { return 1 / static_cast<double>(layout.model_ranks()); }
};

/// nullopt where model, sizes, batch or GPU are unknown (named in `unknown`).
std::optional<TimedRun> timed_run(const EstimateRequest& request, UnknownFacts& unknown);

/// Compiled models: neighbouring memory-bound operators run as one kernel that keeps what lies
/// between them in registers, and generated code launches it.
model::Kernel as_compiled(model::Kernel kernel);

/// Of the time predicted for kernels: what comparison with published rates leaves
/// (docs/estimator.md).
inline constexpr Range kOfPredicted{0.70, 1.0, 1.45};

}  // namespace gpulint
