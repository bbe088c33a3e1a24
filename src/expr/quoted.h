#pragma once

#include "base/text.h"

#include <string>
#include <string_view>

namespace gpulint::expr {

/// "text" with what could drive a terminal escaped, for messages.
inline std::string quoted(std::string_view text) {
  std::string result;
  result += '"';
  result += escape_for_display(text);
  result += '"';
  return result;
}

}  // namespace gpulint::expr
