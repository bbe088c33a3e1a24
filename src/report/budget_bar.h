#pragma once

#include "base/units.h"
#include "estimate/estimate.h"
#include "lint/lint.h"

#include <string>

namespace gpulint {

/// "[#########+++.......]": '#' up to `central`, '+' up to `high`, '.' for what is left of
/// `capacity`; '!' at the end when `central` is above it, which is where verdicts say "does not
/// fit".
std::string bar_of(Bytes central, Bytes high, Bytes capacity, int width);

/// "VRAM [###...] 18.2 GiB of 22.1 GiB: fits  RAM [##....] 20.1 GB of 62.0 GB: fits  on a10g": what
/// is needed and the verdict on it; empty when the run has no target or nothing is known of it.
std::string budget_line(const PlanReport& plan, bool color = false);

}  // namespace gpulint
