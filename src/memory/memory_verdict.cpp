#include "memory/memory_verdict.h"

namespace gpulint {

MemoryVerdict verdict_on(const VramEstimate& vram, const std::optional<BytesRange>& usable) {
  if (!usable) return MemoryVerdict::unknown;
  if (vram.needed.low > usable->high) return MemoryVerdict::does_not_fit;
  if (vram.lower_bound_only) return MemoryVerdict::unknown;
  return vram.needed.high <= usable->low ? MemoryVerdict::fits : MemoryVerdict::may_not_fit;
}

std::string_view name_of(MemoryVerdict verdict) {
  switch (verdict) {
    case MemoryVerdict::unknown:
      return "unknown";
    case MemoryVerdict::fits:
      return "fits";
    case MemoryVerdict::may_not_fit:
      return "may not fit";
    case MemoryVerdict::does_not_fit:
      return "does not fit";
  }
  return "";
}

}  // namespace gpulint
