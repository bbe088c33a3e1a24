#pragma once

// The one verdict on a memory budget: a GPU's memory, a host's RAM, /dev/shm. It is made once per
// estimate and rests on one interval, what the run needs; every report, rule and search reads it.
// The decision table and its reasons: docs/estimator.md, "The verdict".

#include "catalog/hardware.h"
#include "run/quantity.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace gpulint {

enum class Fit : std::uint8_t { unknown, fits, thin, does_not_fit };

/// Which figure the verdict rests on.
enum class Deciding : std::uint8_t { nothing, low_end, central, high_end };

struct MemoryVerdict {
  Fit fit = Fit::unknown;
  /// The whole interval says so. Does not fit: an error where certain, else a warning. Thin: little
  /// is left where certain, else the high end is over.
  bool certain = false;
  Deciding deciding = Deciding::nothing;
  Bytes bytes = {};  // the deciding figure

  /// No part of the interval is over the budget.
  bool surely_held() const { return certain && (fit == Fit::fits || fit == Fit::thin); }
  friend bool operator==(const MemoryVerdict&, const MemoryVerdict&) = default;
};

/// What a run needs of one budget.
struct MemoryNeed {
  Interval needed;
  bool lower_bound_only = false;  // `needed.central` means nothing
  bool bounded_above = true;      // `needed.high` is an upper end; looked at in a lower bound
};

/// `usable`: what can be counted on, and the most there can be. Unknown without it, and where a
/// lower bound leaves it open. `headroom`: a share of `usable.low`.
MemoryVerdict verdict_on(const MemoryNeed& need, const std::optional<BytesRange>& usable,
                         double headroom);

/// Whether a run that needs at most this much is sure to be held: what searches for a largest batch
/// or sequence ask of each step.
inline bool surely_held(Bytes needed_at_most, const BytesRange& usable) {
  return needed_at_most <= usable.low;
}

/// The verdict on two budgets of one run, which needs both: the worse of those that are known.
Fit worse_of(Fit a, Fit b);

/// "fits", "thin", "does not fit" or "unknown": the words of every report.
std::string_view name_of(Fit fit);
/// "at least", "about", "up to": what goes before the deciding figure; "" where nothing decides.
std::string_view words_before(Deciding deciding);

}  // namespace gpulint
