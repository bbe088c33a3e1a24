#pragma once

#include "device/device_report.h"
#include "device/driver_session.h"
#include "device/timing_session.h"

#include <chrono>

namespace gpulint::probe {

/// Runs the product that a training step is made of for `time`, and watches the card: what a burst
/// reaches a card that is limited by power or heat does not hold. The report says why where it
/// cannot; nothing is run beside other processes.
void sustain(TimingSession& session, const NvmlSession& nvml, std::chrono::seconds time,
             DeviceReport& report);

}  // namespace gpulint::probe
