#pragma once

// Whether the scripts of a project refuse a config. Internal to this room.

#include "code/script_choice.h"

#include <vector>

namespace gpulint {

/// Where every script that a config may be for refuses it: what the likeliest refuses. Empty where
/// one of them takes it, or nobody can tell whose it is.
std::vector<CodeRefusal> refusals_of(const CodeRequest& request, const std::vector<Candidate>& all);

}  // namespace gpulint
