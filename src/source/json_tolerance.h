#pragma once

// JSON as people write it: comments, trailing commas, NaN. Internal to this room.

#include "source/tree_builder.h"

#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// One kind of departure from RFC 8259.
struct Departure {
  std::string what;  // "// comments"
  Range first;
  std::uint32_t count = 0;
};

/// The text with every comment and trailing comma blanked and NaN or Infinity replaced by a number
/// of the same length, so that all offsets stay; comments and departures say what was there.
struct StrictJson {
  std::string text;
  std::vector<Comment> comments;
  std::vector<Departure> departures;
};
/// `hjson`: text without quotes, too.
StrictJson made_strict(std::string_view text, bool hjson);

}  // namespace gpulint
