#include "base/result.h"

#include <fmt/format.h>

namespace gpulint {

std::string Error::to_string() const {
  if (file.empty()) return message;
  if (place.line == 0) return fmt::format("{}: {}", file, message);
  return fmt::format("{}:{}:{}: {}", file, place.line, place.column, message);
}

}  // namespace gpulint
