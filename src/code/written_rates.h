#pragma once

// Rates that code of a project sets while it trains. Internal to this room.

#include "code/read_code.h"
#include "code/seen_facts.h"

#include <set>
#include <string>
#include <vector>

namespace gpulint {

/// `Adam(params, lr=1.0)` says nothing where a schedule of the project's own sets the rate of each
/// step, nor does an optimizer's default that the code sets in its groups. `modules`: paths of
/// those that the script imports.
void doubt_written_rates(const CodeRequest& request, const std::set<std::string>& modules,
                         std::vector<SeenFact>& seen);

}  // namespace gpulint
