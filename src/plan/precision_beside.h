#pragma once

#include "plan/run.h"
#include "plan/training_plan.h"

namespace gpulint {

/// True where a config of the project that lies beside the one that states mixed precision off, or
/// in a folder around it, turns it on by the same key: who wrote them knows the switch. `from`: of
/// the value that is off.
bool is_switched_on_beside(const Run& run, const Provenance& from);

/// True where the value stands among the defaults that a Python package brings: a user's config
/// decides.
bool is_default_of_package(const Run& run, const Provenance& from);

}  // namespace gpulint
