#pragma once

#include "plan/plan.h"

#include <string_view>
#include <vector>

namespace gpulint {

/// The comment behind a value, from its `#` to the end of the line; "" for none.
std::string_view comment_behind(const Document& document, const SourceSpan& span);

/// Notes in each plan which stated facts somebody has thought about: those whose line carries a
/// comment that gives a reason, and switches that another phase of the same file sets otherwise.
void note_deliberate(const Document& document, std::vector<Plan>& plans);

}  // namespace gpulint
