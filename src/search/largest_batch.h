#pragma once

// The largest batch a device holds, searched through the estimate or bounded by one measurement.

#include "run/estimate_request.h"

#include <cstdint>
#include <optional>
#include <string>

namespace gpulint {

/// Largest per-device batch whose `needed.high` stays within the bottom of usable memory (a
/// search), for two or more measured points, or parameters and activations that are known; 0 when
/// not even one sample fits, nullopt when it cannot be known.
std::optional<std::int64_t> largest_batch_that_fits(const EstimateRequest& request);

/// What one measured point says about the largest batch: between all of it growing with the batch
/// and all of it fixed. `proportional` = usable / measured x measured batch.
struct BatchRange {
  std::int64_t low = 0;        // this batch fits in either case
  std::int64_t high = 0;       // no larger one fits; meaningless unless `bounded_above`
  bool bounded_above = false;  // false: a point that fits sets no upper end
  double proportional = 0;     // before rounding
  std::string explanation;
};
/// For exactly one measured point and a known capacity; nullopt otherwise.
std::optional<BatchRange> batch_range_that_fits(const EstimateRequest& request);

}  // namespace gpulint
