#pragma once

#include "base/units.h"
#include "estimate/estimate.h"
#include "lint/lint.h"

#include <string>

namespace gpulint {

/// "[#########+++.......]": '#' up to `central`, '+' up to `high`, '.' for what is left of
/// `capacity`;
/// '!' at the end when `high` does not fit.
std::string bar_of(Bytes central, Bytes high, Bytes capacity, int width);

/// "VRAM [###...] 18.2 of 22.1 GiB  RAM [##....] 20.1 of 62.0 GB  on a10g", or empty when the run
/// has no target or nothing is known of it.
std::string budget_line(const PlanReport& plan);

}  // namespace gpulint
