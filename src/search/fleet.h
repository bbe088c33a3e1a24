#pragma once

// One run on many GPUs: which of them would hold it?

#include "catalog/catalog.h"
#include "estimate/estimate.h"

#include <optional>
#include <span>
#include <vector>

namespace gpulint {

struct FleetCell {
  const Gpu* gpu = nullptr;
  MemoryVerdict verdict = {};
  std::optional<Interval> vram = {};  // what is needed
  bool lower_bound_only = false;      // only `vram->low` means something
  std::optional<BytesRange> usable = {};
};

/// `base` on each of `gpus`.
std::vector<FleetCell> fleet_of(const EstimateRequest& base, std::span<const Gpu* const> gpus);

}  // namespace gpulint
