#pragma once

// One run on many GPUs: which of them would hold it?

#include "catalog/catalog.h"
#include "estimate/estimate.h"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace gpulint {

enum class FleetVerdict : std::uint8_t { fits, thin, does_not_fit, unknown };

struct FleetCell {
  const Gpu* gpu = nullptr;
  FleetVerdict verdict = FleetVerdict::unknown;
  std::optional<Interval> vram = {};
  bool lower_bound_only = false;  // only `vram->low` means something
  std::optional<BytesRange> usable = {};
};

/// One GPU of each memory size that is commonly rented or owned, smallest first: what a matrix
/// shows when nobody names a fleet.
inline constexpr std::array<std::string_view, 9> kCommonGpus{
    "rtx-4060",       "t4",       "rtx-3090", "l40s", "a100-sxm4-40gb", "a100-sxm4-80gb",
    "h100-sxm5-80gb", "h200-sxm", "b200"};

/// `base` on each of `gpus`. Fits: the high end is below what is usable; does not fit: the low end
/// is above it; thin: in between, or above `headroom` of it.
std::vector<FleetCell> fleet_of(const EstimateRequest& base, std::span<const Gpu* const> gpus,
                                double headroom);

}  // namespace gpulint
