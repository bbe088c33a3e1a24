#pragma once

#include "base/source_span.h"

#include <string_view>
#include <vector>

namespace gpulint {

/// Lines of Python code beside which a comment gives a reason: on the line itself, or right above.
std::vector<SourceSpan> explained_lines(FileId file, std::string_view code);

}  // namespace gpulint
