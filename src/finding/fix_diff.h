#pragma once

#include <string>
#include <string_view>

namespace gpulint {

/// Unified diff of two texts under one name, three lines of context, as `patch -p0` reads it; ""
/// when they are equal. Lines end at \n; other line ends stay part of their line.
std::string unified_diff(std::string_view path, std::string_view before, std::string_view after);

}  // namespace gpulint
