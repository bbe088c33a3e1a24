#pragma once

// Keys that are made of several flags of a launcher.

#include "launch/directives.h"

#include <span>
#include <string>
#include <vector>

namespace gpulint {

/// The first of several flags that is given; nullptr: none.
const FlagNode* any_flag(const FlagTree& tree, std::span<const std::string> flags);

/// Adds the products that launchers describe (`FlagProduct`). A flag may stand in a command or in
/// the comments of its script.
void multiply_flags(std::vector<LauncherFlags>& launchers);

}  // namespace gpulint
