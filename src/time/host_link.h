#pragma once

#include "base/units.h"

#include <optional>

namespace gpulint {

/// What copies from pinned host memory reach over a PCIe link; unknown for generations nobody
/// makes. nvbandwidth: 12.1 to 12.9 GB/s on 16 lanes of generation 3, 25 to 26 of generation 4, 55
/// of generation 5; the others in proportion.
std::optional<PerSecond> pinned_copy_rate(int generation, int lanes);

/// Of the pinned rate, from pageable memory, where one thread copies through a staging buffer.
struct PageableShare {
  double low = 0.2;
  double central = 0.35;
  double high = 0.6;
};

}  // namespace gpulint
