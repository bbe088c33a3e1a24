#pragma once

// Small arithmetic on intervals, and the facts an estimate missed.

#include "base/units.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace gpulint {

/// Bytes with how well they are known: low <= central <= high.
struct Interval {
  Bytes low;
  Bytes central;
  Bytes high;
};

/// A dimensionless or per-item figure with its uncertainty: bytes per parameter, ranks, factors.
struct Range {
  double low = 0;
  double central = 0;
  double high = 0;
};
constexpr Range exactly(double value) { return {value, value, value}; }
constexpr Range operator+(Range a, Range b) {
  return {a.low + b.low, a.central + b.central, a.high + b.high};
}
constexpr Range operator*(Range a, Range b) {
  return {a.low * b.low, a.central * b.central, a.high * b.high};
}

constexpr Interval exactly(Bytes bytes) { return {bytes, bytes, bytes}; }
constexpr Interval operator+(const Interval& a, const Interval& b) {
  return {a.low + b.low, a.central + b.central, a.high + b.high};
}
/// `count` items of `per_item` bytes each.
inline Interval times(double count, Range per_item) {
  return {Bytes::rounded(count * per_item.low), Bytes::rounded(count * per_item.central),
          Bytes::rounded(count * per_item.high)};
}
inline Interval times(Range factor, const Interval& bytes) {
  return {Bytes::rounded(factor.low * bytes.low.as_double()),
          Bytes::rounded(factor.central * bytes.central.as_double()),
          Bytes::rounded(factor.high * bytes.high.as_double())};
}
inline Interval times(double factor, const Interval& bytes) {
  return times(exactly(factor), bytes);
}
/// Larger of both at each end: the peak of two phases that are never at once.
constexpr Interval peak_of(const Interval& a, const Interval& b) {
  return {std::max(a.low, b.low), std::max(a.central, b.central), std::max(a.high, b.high)};
}

/// Names of facts that were missing, in order of discovery; static lifetime.
using UnknownFacts = std::vector<std::string_view>;

}  // namespace gpulint
