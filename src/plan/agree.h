#pragma once

#include "plan/training_plan.h"

#include <vector>

namespace gpulint {

/// What is true of all of several runs of one config: a fact on which they differ is unknown.
/// `plans`: not empty.
Plan agreed_plan(std::vector<Plan> plans);

/// As agreed_plan(), of commands that start one program: where each says another value, the
/// program's own default counts, as `own` has it.
Plan agreed_program(std::vector<Plan> plans, const Plan& own);

/// `plan` with what `shown` states and it leaves open: a command that a text shows is one way to
/// start the config, and overrules nothing that the config states. `is_config`: no part of another
/// config's run. `is_module`: what the config says of a fact and nobody can read, the code of
/// programs that import it may say.
Plan filled_plan(Plan plan, const Plan& shown, bool is_config, bool is_module);

}  // namespace gpulint
