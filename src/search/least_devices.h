#pragma once

#include "estimate/estimate.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace gpulint {

/// What splits all states of a run, in users' words.
inline constexpr std::string_view kSplitsAllStates = "ZeRO-3 or FSDP";

/// How many devices of the target's kind a run takes whose launcher decides how states are split.
struct LeastDevices {
  /// On fewer the run does not fit, however its states are split over them, unless they are moved
  /// to the host. At least 2.
  std::int64_t least = 0;
  /// With all states split that the engine can split it fits from this power of two on, as far as
  /// the centre of the estimate tells; nullopt: on none that was tried.
  std::optional<std::int64_t> enough;
  /// Nothing is moved to the host, and the low ends count every part: `least` is certain.
  bool certain = false;
  /// Devices that are there: what the run states, else those of the target host where the run
  /// states how many hosts it has.
  std::optional<std::int64_t> available;
};

/// nullopt without a target, where it is known how states are split, where one device may hold the
/// run, and where no number of devices would. `known` is the estimate of the same request. Costs at
/// most 30 estimates.
std::optional<LeastDevices> least_devices(const EstimateRequest& request, const Estimate& known);

}  // namespace gpulint
