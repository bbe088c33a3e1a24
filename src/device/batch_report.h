#pragma once

#include "device/footprint_report.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gpulint::probe {

/// What the device said of one batch.
struct BatchTrial {
  std::int64_t batch = 0;
  FootprintVerdict verdict = FootprintVerdict::refused;
  bool tried = false;  // false: by arithmetic
  Bytes needed;
  Bytes left;  // of the device at the peak, beyond what lives outside of the allocator
  friend bool operator==(const BatchTrial&, const BatchTrial&) = default;
};

/// The largest batch whose footprint the device gave.
struct BatchReport {
  std::int64_t predicted = 0;           // by the estimate's sums; 0: not one
  std::optional<std::int64_t> largest;  // 0: not one; unset: `why`
  std::vector<BatchTrial> trials;       // in the order they were made
  std::string why;
  friend bool operator==(const BatchReport&, const BatchReport&) = default;
};

}  // namespace gpulint::probe
