#pragma once

#include "device/device_report.h"
#include "device/timing_session.h"

namespace gpulint::probe {

/// Runs every kernel that this device could be timed with once, on the smallest work there is, and
/// compares what products and copies give: for tools that look for invalid accesses and races,
/// under which everything takes many times as long. Nothing is timed.
void try_kernels(TimingSession& session, DeviceReport& report);

}  // namespace gpulint::probe
