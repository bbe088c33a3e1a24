#pragma once

#include "catalog/dialect.h"
#include "plan/plan.h"

#include <span>
#include <vector>

namespace gpulint {

/// Keys with plain values that no fact of the plans came from and that the dialect does not name
/// either: observations of the list `unread_keys` (name: the dotted path, value: its text), in the
/// order of the document.
std::vector<Observation> unread_keys(const Document& document, const Dialect& dialect,
                                     std::span<const Plan> plans);

}  // namespace gpulint
