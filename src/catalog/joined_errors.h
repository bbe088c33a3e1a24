#pragma once

#include "base/result.h"

#include <optional>
#include <utility>

namespace gpulint {

/// Joins errors into one: the first one's place, the others as further lines.
inline void append(std::optional<Error>& joined, Error error) {
  if (!joined) {
    joined = std::move(error);
  } else {
    joined->message += "\n" + error.to_string();
  }
}

}  // namespace gpulint
