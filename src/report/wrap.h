#pragma once

#include <string>
#include <string_view>

namespace gpulint {

/// Lines longer than `width` columns broken between words; what follows stands under the last
/// column of the line, or under its first word. Terminal colours take no columns. A word longer
/// than a line, and a line of source behind its bar, stay whole.
std::string wrap_lines(std::string_view text, int width);

}  // namespace gpulint
