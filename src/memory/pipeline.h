#pragma once

// One stage of a pipeline: its layers, and the micro-batches it holds at once.

#include "memory/step_measure.h"
#include "memory/tape_memo.h"
#include "model/footprint.h"
#include "plan/training_plan.h"

#include <cstdint>

namespace gpulint {

/// Layers of the most loaded stage instead of all; false when nothing is divided.
bool set_stage_layers(const TrainingPlan& plan, const model::ModelLibrary::Found& found,
                      ModelDimensions& dimensions);

/// Micro-batches whose activations the first stage holds under the 1F1B schedule.
std::int64_t micro_batches_in_flight(const TrainingPlan& plan);

/// The larger of the last stage (`last`: one micro-batch, with the loss) and the first one (`body`:
/// the same layers without logits, several micro-batches).
StepMeasure most_loaded(const StepMeasure& last, const StepMeasure& body, std::int64_t in_flight);

}  // namespace gpulint
