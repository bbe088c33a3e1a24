#pragma once

#include "cli/arguments.h"

#include <string>
#include <string_view>

namespace gpulint::cli {

/// What is typed behind `gpulint`: "estimate CONFIG".
std::string usage_of(Command command);
/// One sentence per command.
std::string purpose_of(Command command);
/// One sentence for the whole program, and what its exit codes mean.
std::string_view program_purpose();
std::string_view exit_codes();
/// What a command's help ends with; empty for most.
std::string epilogue_of(Command command);

/// `gpulint --help`: examples and commands first, then the options of the default command.
std::string main_help(std::string_view check_options);

}  // namespace gpulint::cli
