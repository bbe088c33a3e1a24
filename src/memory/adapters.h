#pragma once

// What is trained beside frozen weights, and how those are kept.

#include "memory/step_ways.h"
#include "plan/training_plan.h"
#include "run/quantity.h"
#include "run/resolved_run.h"

#include <optional>
#include <string>
#include <vector>

namespace gpulint {

/// The base weights are kept in 4 or 8 bits.
bool has_quantized_base(const TrainingPlan& plan);
/// Quantization takes the head with the blocks (Lightning Fabric's plugin takes every linear
/// layer).
bool quantizes_head(const ResolvedRun& run);
/// Bytes of one adapter weight.
Range adapter_weight_bytes(const TrainingPlan& plan);

/// Names of the layers the adapter is to be put on; unset where nobody lists them by name.
std::optional<std::vector<std::string>> named_targets(const TrainingPlan& plan);

/// Freezes the base and puts the adapter on its targets; names what is open.
void set_adapter(const ResolvedRun& run, StepWay& way, UnknownFacts& unknown);

}  // namespace gpulint
