#include "memory/segment_events.h"

namespace gpulint {
namespace {

/// In the order of TracePhase.
constexpr std::array<std::string_view, kTracePhaseCount> kNames{"setup", "forward", "backward",
                                                                "optimizer step"};

}  // namespace

std::string_view name_of(TracePhase phase) { return kNames[static_cast<std::size_t>(phase)]; }

std::optional<TracePhase> trace_phase_from(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<TracePhase>(i);
  }
  return std::nullopt;
}

}  // namespace gpulint
