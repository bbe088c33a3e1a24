#pragma once

#include "expr/value.h"

#include <string>
#include <string_view>

namespace gpulint::expr {

/// Empty when `format` exists and suits `type`; otherwise a message that says what is expected.
std::string format_problem(const Type& type, std::string_view format);

}  // namespace gpulint::expr
