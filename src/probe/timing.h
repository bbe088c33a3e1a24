#pragma once

#include "probe/device_report.h"
#include "probe/driver_session.h"

#include <chrono>

namespace gpulint::probe {

/// Times copies, reads and matrix products with our own kernels in the current context, and adds
/// what it found to `report`: a rate of a kind, or in `not_timed` why there is none. GEMM rates are
/// what our kernels reach, so lower bounds of what the card can do. After `budget` no further kind
/// is begun. All memory is given back.
void time_device(const CudaApi& cuda, const MachineFacts& machine, const NvmlSession& nvml,
                 std::chrono::milliseconds budget, DeviceReport& report);

}  // namespace gpulint::probe
