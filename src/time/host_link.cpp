#include "time/host_link.h"

#include <array>
#include <cstddef>

namespace gpulint {

std::optional<PerSecond> pinned_copy_rate(int generation, int lanes) {
  // Bytes per second and lane.
  constexpr std::array<double, 6> kPerLane{0.2e9, 0.4e9, 0.78e9, 1.6e9, 3.4e9, 6.8e9};
  if (generation < 1 || generation > static_cast<int>(kPerLane.size()) || lanes < 1) {
    return std::nullopt;
  }
  return PerSecond{kPerLane[static_cast<std::size_t>(generation - 1)] * lanes};
}

}  // namespace gpulint
