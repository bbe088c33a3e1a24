#pragma once

// The schedule that a function of the step draws: `LambdaLR(optimizer, lambda step: min(1, step /
// 100))`. Internal to this room.

#include "catalog/consumers.h"
#include "code/seen_facts.h"
#include "python/interpreter.h"

#include <string_view>
#include <vector>

namespace gpulint {

/// Of what a call states: the schedule that a function it is given draws, by what that makes of
/// steps near and far. Where the function does not say so, or draws something else, nothing changes.
void state_drawn_schedules(python::Interpreter& in, const python::Call& call,
                           const ConsumingCall& known, std::vector<SeenFact>& stated);

/// Whether the code of a function of the step asks about something else, as in `if not use_cosine`:
/// what stands behind it may never run.
bool asks_about_settings(std::string_view code);

}  // namespace gpulint
