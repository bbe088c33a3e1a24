#pragma once

#include "estimate/estimate.h"

#include <string>
#include <vector>

namespace gpulint {

/// A fact and the values of it under which a condition holds.
struct SupposedFact {
  std::string fact;
  std::vector<std::string> values;  // canonical text, in the order they were tried
  friend bool operator==(const SupposedFact&, const SupposedFact&) = default;
};

/// What is needed of a device if the open facts have these values.
struct Condition {
  std::vector<SupposedFact> facts;
  Interval needed;
  bool lower_bound_only = false;  // `needed.central` means nothing, even so
  bool bounded_above = true;      // false: nor does `needed.high`
  MemoryVerdict verdict;
};

/// VRAM under the answers to the one or two open questions that decide most of it; combinations
/// that need the same are one. Empty where the estimate is narrow without them, where no fact with
/// usual values is open, and where answers would bound nothing. `known` is the estimate of the same
/// request.
std::vector<Condition> conditions_of(const EstimateRequest& request, const Estimate& known);

}  // namespace gpulint
