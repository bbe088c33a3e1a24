#pragma once

#include "device/device_report.h"
#include "device/driver_session.h"

namespace gpulint::probe {

/// Starts the driver: its version, and how many devices it shows, at least one. False: the calls
/// say why.
bool start_driver(const CudaApi& cuda, Calls& calls, DeviceReport& report);

/// What a device is, and what NVML says of it, before anything is made on it. `nvml` speaks of this
/// card from here on.
bool identify(const CudaApi& cuda, Calls& calls, CudaDevice device, NvmlSession& nvml,
              DeviceReport& report);

}  // namespace gpulint::probe
