#pragma once

// Escapes of string literals. Internal to this room.

#include <string>
#include <string_view>

namespace gpulint::python {

/// What a literal says between its quotes, as UTF-8. Escapes nobody can read stay as they are, as
/// all do in a `raw` one.
std::string unescape(std::string_view text, bool raw);

}  // namespace gpulint::python
