#pragma once

#include "plan/plan.h"

#include <string_view>
#include <vector>

namespace gpulint {

class Run;

/// The comment behind a value, from its `#` to the end of the line; "" for none.
std::string_view comment_behind(const Document& document, const SourceSpan& span);

/// Notes in each plan which stated facts somebody has thought about: those with a comment that
/// gives a reason, on their line or above it, where code reads them, or in a file beside this one;
/// switches that another phase of the same file sets otherwise or an option of the training scripts
/// around it; and full precision that the file or its folder is called after, that a line of the
/// file explains, or that some files beside it have and others have not.
void note_deliberate(const Document& document, const Run* run, std::vector<Plan>& plans);

}  // namespace gpulint
