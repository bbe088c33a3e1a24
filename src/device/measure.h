#pragma once

#include "device/assignment.h"
#include "device/device_report.h"
#include "device/driver.h"

namespace gpulint::probe {

/// Identity, memory totals, the cost of a bare context and the rates of one visible device, and
/// what else is assigned. Gives everything back on every path. Settings of the card are not
/// touched. Ranks of a node share the visible devices in turn.
Outcome measure(const Driver& driver, const MachineFacts& machine,
                const Assignment& assignment = {});

}  // namespace gpulint::probe
