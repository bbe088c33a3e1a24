#pragma once

#include "plan/key_index.h"
#include "plan/training_plan.h"

namespace gpulint {

/// Adds what the reader noticed about the text itself (duplicate keys, JSON that is not strict,
/// limits, aliases that lead nowhere) to the plan's observations.
void observe_document(const KeyIndex& keys, Plan& plan);

}  // namespace gpulint
