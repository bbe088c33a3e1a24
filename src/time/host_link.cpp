#include "time/host_link.h"

#include <algorithm>
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

RateInterval pageable_copy_rate(PerSecond pinned) {
  // Bytes per second of the thread, and how much of a slow link the two copies reach in turn.
  constexpr std::array<double, 3> kThread{4e9, 7e9, 14e9};
  constexpr std::array<double, 3> kOfPinned{0.35, 0.5, 0.7};
  const auto rate = [&](std::size_t i) {
    return PerSecond{std::min(kThread[i], kOfPinned[i] * pinned.value)};
  };
  return {rate(0), rate(1), rate(2)};
}

}  // namespace gpulint
