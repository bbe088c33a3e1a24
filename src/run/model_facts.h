#pragma once

// What a known model says of a run that names it.

#include "model/footprint.h"
#include "plan/map_keys.h"
#include "plan/training_plan.h"
#include "run/known_models.h"

#include <optional>
#include <span>

namespace gpulint {

/// Fills the dimensions and the parameter count that nobody states from the model the run names,
/// with origin `model` and the model's file. Where the run changes a dimension that the model has,
/// what the model derives from it follows, and the parameters are counted for the changed network.
/// Facts whose key was not understood (`states`) stay unknown; `states` may be empty.
void add_model_facts(const KnownModels& models, const model::ModelLibrary::Found& model,
                     std::span<const FactState> states, TrainingPlan& facts);

/// Does the run state dimensions that differ from those of the model it names (it trains a network
/// of its own)? Unknown where it states none that the model has.
std::optional<bool> alters_model(const model::ModelLibrary::Found& model,
                                 const TrainingPlan& facts);

}  // namespace gpulint
