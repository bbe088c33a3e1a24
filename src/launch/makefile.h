#pragma once

// Recipes of a Makefile. Internal to this room.

#include "launch/carried_commands.h"

#include <string_view>

namespace gpulint {

/// Recipes of all targets, one behind the other, and the file's variables. A line whose words only
/// make knows (`$@`, `$$N`) is left out; so are conditionals: of two values of a variable the last
/// counts.
CarriedCommands recipes_of(std::string_view text);

}  // namespace gpulint
