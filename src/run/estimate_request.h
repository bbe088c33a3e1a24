#pragma once

// What an estimate is asked about: one plan on one target.

#include "catalog/hardware.h"
#include "catalog/project.h"
#include "plan/training_plan.h"

#include <optional>
#include <span>

namespace gpulint {

class KnownModels;

struct EstimateRequest {
  const TrainingPlan* plan = nullptr;
  const Gpu* gpu = nullptr;  // target; nullptr = none
  const Host* host = nullptr;
  std::span<const Measurement> measurements = {};
  /// Models described by operators; nullptr: only stated facts and measured points count.
  const KnownModels* models = nullptr;
  std::optional<Seconds> step_time = {};  // measured, of one optimizer step
  /// Predict the step's time where nobody measured it; costs another run of the operators.
  bool predict_time = false;
};

}  // namespace gpulint
