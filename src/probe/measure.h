#pragma once

#include "probe/device_report.h"
#include "probe/driver.h"

namespace gpulint::probe {

/// Identity, memory totals, the cost of a bare context and the rates of one visible device. Gives
/// everything back on every path. Settings of the card are not touched.
/// `turn` >= 0: the rank of this process on its node; ranks share the visible devices in turn.
Outcome measure(const Driver& driver, const MachineFacts& machine, int turn = 0);

}  // namespace gpulint::probe
