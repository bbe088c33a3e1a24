#pragma once

// What the catalogue says of the values a key takes. Internal to this room.

#include "plan/taken_keys.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// True where all that take the key take words of a list alone.
bool takes_choices(std::span<const TakenBy> by);

struct TakenChoices {
  std::vector<std::string_view> names;  // sorted, each once
  ReleaseSet releases = 0;              // those that take the value
  bool are_checked = false;             // the package refuses others
};
TakenChoices choices_of(std::span<const TakenBy> by, std::string_view value);

/// "a, b, c, d and 3 more", or the one of them that was meant.
std::string words_taken(const TakenChoices& choices, std::string_view value);

/// "a number", "at least 0": what a key of numbers takes in place of `text`; "" where it takes it
/// or is not known to be a key of numbers.
std::string expected_number(const TakenBy& by, std::string_view text);

}  // namespace gpulint
