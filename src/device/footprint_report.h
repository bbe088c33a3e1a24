#pragma once

#include "base/units.h"
#include "memory/segment_events.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpulint::probe {

enum class FootprintVerdict : std::uint8_t {
  fits,
  fits_tight,        // little is left at the peak
  fits_unconfirmed,  // the driver promised the memory, but may have promised too much (WSL)
  out_of_memory,
  refused,  // not tried: the device or its other users do not allow it
  aborted,  // begun and given up
};
inline constexpr std::size_t kFootprintVerdictCount = 6;
std::string_view name_of(FootprintVerdict verdict);
std::optional<FootprintVerdict> footprint_verdict_from(std::string_view name);

/// Where a trace finds no memory.
struct MissingMemory {
  int event = 0;  // of the trace, from 0
  TracePhase phase = TracePhase::setup;
  Bytes bytes;  // that are missing
  friend bool operator==(const MissingMemory&, const MissingMemory&) = default;
};

/// What became of a predicted footprint on the device.
struct FootprintReport {
  FootprintVerdict verdict = FootprintVerdict::refused;
  std::string why;     // of refused and aborted
  bool tried = false;  // false: by arithmetic on the free memory alone
  std::string basis;   // what the segments were derived from
  bool expandable = false;
  std::string fallback;  // why segments were native where expandable ones were predicted
  std::optional<MissingMemory> missing;  // of out_of_memory
  Bytes needed;   // predicted: reserved at the peak, and what lives outside the allocator
  Bytes outside;  // of that, what the replay does not take
  Bytes free_at_start;
  Bytes floor;          // what the replay leaves alone
  Bytes reserved_peak;  // taken from the driver by the replay
  Bytes taken_peak;     // by how much the free memory fell
  Bytes free_at_peak;
  Bytes drift;               // free memory that did not come back
  int segments = 0;          // alive at the peak
  double fragmentation = 0;  // part of the reserved memory that no tensor of the trace uses
  friend bool operator==(const FootprintReport&, const FootprintReport&) = default;
};

}  // namespace gpulint::probe
