#pragma once

#include "base/units.h"
#include "time/step_time.h"

#include <optional>

namespace gpulint {

/// What copies from pinned host memory reach over a PCIe link; unknown for generations nobody
/// makes. nvbandwidth: 12.1 to 12.9 GB/s on 16 lanes of generation 3, 25 to 26 of generation 4, 55
/// of generation 5; the others in proportion.
std::optional<PerSecond> pinned_copy_rate(int generation, int lanes);

/// What copies from pageable memory reach where pinned ones reach `pinned`: one thread copies them
/// through a staging buffer, however fast the link is. 5 to 6 GB/s beside 11 to 12 pinned
/// (rapidsai/dask-cuda#98), a sixth of pinned (microsoft/DeepSpeed#5301); widened, since memory and
/// processors differ.
RateInterval pageable_copy_rate(PerSecond pinned);

}  // namespace gpulint
