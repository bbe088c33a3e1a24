#pragma once

// What the words of a plan's facts stand for: files of knowledge/, found through the plan's
// catalog.

#include "catalog/knowledge.h"
#include "plan/training_plan.h"

namespace gpulint {

/// nullptr where the fact is unknown, its word is described nowhere, or the plan has no catalog.
const OptimizerTraits* optimizer_of(const TrainingPlan& plan);
const AdapterTraits* adapter_of(const TrainingPlan& plan);
const ImplementationTraits* implementation_of(const TrainingPlan& plan);
const EngineTraits* engine_of(const TrainingPlan& plan);

}  // namespace gpulint
