#pragma once

// One run on many GPUs: which of them would hold it?

#include "catalog/catalog.h"
#include "estimate/estimate.h"

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace gpulint {

struct FleetCell {
  const Gpu* gpu = nullptr;
  MemoryVerdict verdict = {};
  std::optional<Interval> vram = {};  // what is needed
  bool lower_bound_only = false;      // only `vram->low` means something
  std::optional<BytesRange> usable = {};
};

/// One GPU of each memory size that is commonly rented or owned, smallest first: what a matrix
/// shows when nobody names a fleet.
inline constexpr std::array<std::string_view, 9> kCommonGpus{
    "rtx-4060",       "t4",       "rtx-3090", "l40s", "a100-sxm4-40gb", "a100-sxm4-80gb",
    "h100-sxm5-80gb", "h200-sxm", "b200"};

/// `base` on each of `gpus`.
std::vector<FleetCell> fleet_of(const EstimateRequest& base, std::span<const Gpu* const> gpus);

}  // namespace gpulint
