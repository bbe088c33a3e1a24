#pragma once

#include "catalog/dialect.h"
#include "plan/key_index.h"
#include "plan/training_plan.h"

#include <string>
#include <vector>

namespace gpulint {

/// Adds what the reader noticed about the text itself (duplicate keys, JSON that is not strict,
/// limits, aliases that lead nowhere) to the plan's observations.
/// `is_composed`: by Hydra, whose loader refuses a key that is written twice (`fact` "refused").
void observe_document(const Document& document, Plan& plan, bool is_composed = false);
/// Adds that the keys of a document were too many to look at, if they were.
void observe_limits(const KeyIndex& keys, Plan& plan);

/// Adds the keys a dialect's file names whose value is left to a launcher ("auto").
void observe_auto_values(const KeyIndex& keys, const Dialect& dialect, PathHash root,
                         std::vector<Observation>& observations);

/// Something was left out because a limit was reached.
Observation limit_observation(const Document& document, std::string detail);

}  // namespace gpulint
