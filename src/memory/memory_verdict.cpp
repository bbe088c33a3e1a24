// Which number decides. `needed`, never what nvidia-smi would show: an allocator that finds the
// device full gives its cached blocks back and tries again, so a full device fails no run.
//
//   does not fit, certain   even the low end is above the most that can be usable
//   does not fit            the central estimate (of a lower bound: the low end) is above what can
//                           be counted on
//   thin                    the high end is
//   thin, certain           nothing is, and the centre takes more than the headroom allows
//   fits, certain           none of these
//
// "Does not fit" starts at the centre, so that no report prints a figure above the budget beside a
// milder word; it is certain, and an error, at the low end alone, because one false alarm about a
// run that works costs more than a missed one. What a lower bound leaves out can only add: it may
// say "does not fit", and "fits" only where open facts made it one and the upper end is known.

#include "memory/memory_verdict.h"

#include <algorithm>

namespace gpulint {

MemoryVerdict verdict_on(const MemoryNeed& need, const std::optional<BytesRange>& usable,
                         double headroom) {
  if (!usable) return {};
  const auto& [low, central, high] = need.needed;
  if (low > usable->high) return {Fit::does_not_fit, true, Deciding::low_end, low};
  if (need.lower_bound_only) {
    if (low > usable->low) return {Fit::does_not_fit, false, Deciding::low_end, low};
    if (need.bounded_above && surely_held(high, *usable)) {
      return {Fit::fits, true, Deciding::high_end, high};
    }
    return {Fit::unknown, false, Deciding::low_end, low};
  }
  if (central > usable->low) return {Fit::does_not_fit, false, Deciding::central, central};
  if (!surely_held(high, *usable)) return {Fit::thin, false, Deciding::high_end, high};
  if (central.as_double() > headroom * usable->low.as_double()) {
    return {Fit::thin, true, Deciding::central, central};
  }
  return {Fit::fits, true, Deciding::high_end, high};
}

Fit worse_of(Fit a, Fit b) { return std::max(a, b); }

std::string_view name_of(Fit fit) {
  switch (fit) {
    case Fit::unknown:
      return "unknown";
    case Fit::fits:
      return "fits";
    case Fit::thin:
      return "thin";
    case Fit::does_not_fit:
      return "does not fit";
  }
  return "";
}

std::string_view words_before(Deciding deciding) {
  switch (deciding) {
    case Deciding::nothing:
      return "";
    case Deciding::low_end:
      return "at least";
    case Deciding::central:
      return "about";
    case Deciding::high_end:
      return "up to";
  }
  return "";
}

}  // namespace gpulint
