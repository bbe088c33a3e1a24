#pragma once

#include "plan/training_plan.h"

#include <vector>

namespace gpulint {

/// What is true of all of several runs of one config: a fact on which they differ is unknown.
/// `plans`: not empty.
Plan agreed_plan(std::vector<Plan> plans);

}  // namespace gpulint
