#pragma once

#include "device/device_report.h"
#include "device/driver_session.h"
#include "device/timing_session.h"

#include <chrono>

namespace gpulint::probe {

/// Times copies, launches and matrix products in the current context and adds what it found to
/// `report`: a rate of a kind, or in `not_timed` why there is none. After `end` no further kind is
/// begun; the least needed ones come last: tf32, fp8, the issue ceilings, the cost of a launch. All
/// memory is given back.
void time_device(TimingSession& session, const NvmlSession& nvml,
                 std::chrono::steady_clock::time_point end, DeviceReport& report);

}  // namespace gpulint::probe
