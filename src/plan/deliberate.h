#pragma once

#include "plan/plan.h"

#include <span>
#include <string_view>
#include <vector>

namespace gpulint {

class CodeBase;

/// The comment behind a value, from its `#` to the end of the line; "" for none.
std::string_view comment_behind(const Document& document, const SourceSpan& span);

/// Notes in each plan which stated facts somebody has thought about: those with a comment that
/// gives a reason, on their line or above it, or where code reads them (`explained`: spans of
/// values), in a file beside this one, switches that another phase of the same file sets otherwise or an option of the
/// training scripts around it (`options`: "--use-amp"), and full precision that the file or its
/// folder is called after, or that a file beside it (`project`) does not have.
void note_deliberate(const Document& document, std::span<const SourceSpan> explained,
                     std::span<const std::string> options, CodeBase* project,
                     std::vector<Plan>& plans);

}  // namespace gpulint
