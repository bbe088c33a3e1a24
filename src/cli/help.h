#pragma once

#include "cli/arguments.h"

#include <string>
#include <string_view>

namespace gpulint::cli {

/// One sentence per command.
std::string_view purpose_of(Command command);
/// What a command's help ends with; empty for most.
std::string epilogue_of(Command command);

/// `gpulint --help`: examples and commands first, then the options of the default command.
std::string main_help(std::string_view check_options);

}  // namespace gpulint::cli
