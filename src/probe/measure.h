#pragma once

#include "probe/device_report.h"
#include "probe/driver.h"

namespace gpulint::probe {

/// Identity, memory totals and the cost of a bare context of the first visible device. Allocates
/// nothing but that context, and gives it back on every path. Settings of the card are not touched.
Outcome measure(const Driver& driver, const MachineFacts& machine);

}  // namespace gpulint::probe
