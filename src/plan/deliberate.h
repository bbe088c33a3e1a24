#pragma once

#include "plan/plan.h"

#include <vector>

namespace gpulint {

/// Notes in each plan which stated facts somebody has thought about: those whose line carries a
/// comment that gives a reason, and switches that another phase of the same file sets otherwise.
void note_deliberate(const Document& document, std::vector<Plan>& plans);

}  // namespace gpulint
