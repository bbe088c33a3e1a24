#pragma once

#include "device/assignment.h"
#include "device/device_report.h"
#include "device/driver_session.h"

namespace gpulint::probe {

/// Plays a predicted footprint on the device whose context is current, if nobody can be harmed by
/// it, and gives everything back. Free memory is read again as the footprint grows. `device`: what
/// is known of it; `assignment`: whether to share, and until when.
FootprintReport play_footprint(const CudaApi& cuda, const MachineFacts& machine,
                               const NvmlSession& nvml, CudaDevice ordinal,
                               const DeviceReport& device, const FootprintPlan& plan,
                               const Assignment& assignment);

}  // namespace gpulint::probe
