#pragma once

// What the comments of a batch script ask its scheduler for (`#SBATCH --nodes=2`). Internal to this
// room.

#include "launch/command_line.h"

#include <span>
#include <utility>
#include <vector>

namespace gpulint {

/// A launcher with its own flags.
using LauncherFlags = std::pair<const Launcher*, FlagTree>;

/// One tree per launcher, in the order of the script.
std::vector<LauncherFlags> directive_flags(std::span<const Launcher* const> launchers,
                                           const std::vector<ShellDirective>& directives);
/// The variables that a launcher sets because of its flags.
void add_variables_set(const Launcher& launcher, const FlagTree& flags, ShellVariables& variables);
/// Those that the schedulers set because of their comments.
ShellVariables directive_variables(std::span<const Launcher* const> launchers,
                                   const std::vector<ShellDirective>& directives);

}  // namespace gpulint
