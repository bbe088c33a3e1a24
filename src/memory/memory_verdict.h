#pragma once

#include "catalog/hardware.h"
#include "memory/memory_estimate.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace gpulint {

/// What an estimate says about a GPU's usable memory, each answer by the end that is safe for it.
enum class MemoryVerdict : std::uint8_t {
  unknown,       // no GPU, no estimate, or nothing above the lower bound is known
  fits,          // `needed.high` is below what is certainly usable
  may_not_fit,   // the interval lies on both sides
  does_not_fit,  // `needed.low` is above what can be usable at most
};

MemoryVerdict verdict_on(const VramEstimate& vram, const std::optional<BytesRange>& usable);

/// "fits", "may not fit", "does not fit" or "unknown".
std::string_view name_of(MemoryVerdict verdict);

}  // namespace gpulint
