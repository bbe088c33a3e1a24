#pragma once

#include "plan/map_keys.h"

#include <vector>

namespace gpulint {

/// Observes keys that what the config chose does not take (`accepts` of the dialect): list
/// `refused_keys`, span: the key, name, value: the choice, detail: the code that refuses it.
void observe_refused_keys(const KeyIndex& keys, const Dialect& dialect, const Scope& top,
                          std::vector<Observation>& observations);

/// Observes a comment that calls a batch one of a device where the key states that of all of them:
/// list `contradicted_comments`, span: the value, name: the key, value, fact.
void observe_batch_comments(const Document& document, const Plan& plan,
                            std::vector<Observation>& observations);

}  // namespace gpulint
