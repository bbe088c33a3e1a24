#pragma once

#include "plan/training_plan.h"

#include <vector>

namespace gpulint {

/// What is true of all of several runs of one config: a fact on which they differ is unknown.
/// `plans`: not empty.
Plan agreed_plan(std::vector<Plan> plans);

/// `plan` with what `shown` states and it leaves open: a command that a text shows is one way to
/// start the config, and overrules nothing that the config states. `is_config`: no part of another
/// config's run.
Plan filled_plan(Plan plan, const Plan& shown, bool is_config);

}  // namespace gpulint
