#pragma once

// What a script that was run does not tell of its network, and why. Internal to this room.

#include "code/read_code.h"
#include "code/script_start.h"
#include "code/seen_facts.h"
#include "python/interpreter.h"

#include <optional>
#include <vector>

namespace gpulint {

/// `counted`: what is known of the parameters. `step`: nullopt where it was not followed.
std::vector<CodeGap> gaps_of(const python::Interpreter& in, const ScriptNotes& notes,
                             const std::vector<SeenFact>& counted,
                             const std::optional<FollowedNetwork>& step, const CodeBase& code);

}  // namespace gpulint
