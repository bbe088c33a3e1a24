#pragma once

// Reserved per allocated where the allocator was not replayed, by how long the tensors live.

#include "memory/footprint.h"
#include "memory/phases.h"
#include "plan/training_plan.h"
#include "run/quantity.h"

namespace gpulint {

/// What the caching allocator wants for the tensors alive in one phase; `usual` is the factor for
/// steps that are all alike.
Interval reserved_in(const TrainingPlan& plan, const ModelFootprint& footprint,
                     const Components& alive, Range usual);

}  // namespace gpulint
