#pragma once

#include <string_view>

namespace gpulint {

/// True for a comment that says why, as opposed to what.
bool gives_reason(std::string_view comment);

}  // namespace gpulint
