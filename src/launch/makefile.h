#pragma once

// Recipes of a Makefile. Internal to this room.

#include "launch/carried_commands.h"

#include <string_view>

namespace gpulint {

/// Recipes of all targets, one behind the other, and the file's variables. A line whose words only
/// make knows (`$@`, `$$N`) is left out. What a conditional (`ifeq`) sets is unknown.
CarriedCommands recipes_of(std::string_view text);

}  // namespace gpulint
