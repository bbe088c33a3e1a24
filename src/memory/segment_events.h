#pragma once

// What a caching allocator asks the driver for over a training step: plain values, so that who
// plays them on a device knows neither plans nor models.

#include "base/units.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

enum class TracePhase : std::uint8_t { setup, forward, backward, optimizer_step };
inline constexpr std::size_t kTracePhaseCount = 4;
/// "optimizer step"
std::string_view name_of(TracePhase phase);
std::optional<TracePhase> trace_phase_from(std::string_view name);

/// Memory taken from the driver, or given back to it. A native segment is taken whole and given
/// back whole; an expandable one, one per pool, grows and shrinks at its end.
struct SegmentEvent {
  std::uint32_t segment = 0;  // native: its number; expandable: 0 large pool, 1 small pool
  Bytes bytes;                // > 0 taken, < 0 given back
  TracePhase phase = TracePhase::setup;
  friend bool operator==(const SegmentEvent&, const SegmentEvent&) = default;
};

struct SegmentTrace {
  bool expandable = false;
  std::vector<SegmentEvent> events;
  Bytes peak_reserved;
  Bytes peak_allocated;
  std::string basis;  // "the operators of resnet50", "the estimate's terms"
};

/// The pages an expandable segment grows by; PyTorch maps a small pool by 2 MiB, a large by 20 MiB.
inline constexpr std::array<Bytes, 2> kExpandablePage{Bytes::mib(20), Bytes::mib(2)};

}  // namespace gpulint
