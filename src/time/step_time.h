#pragma once

// How long one optimizer step takes, as an interval with named terms.

#include "base/units.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// A quantity with how well it is known: low <= central <= high.
template <class Quantity>
struct Between {
  Quantity low;
  Quantity central;
  Quantity high;
};
using TimeInterval = Between<Seconds>;
using RateInterval = Between<PerSecond>;
using CostInterval = Between<Money>;
using RatioInterval = Between<double>;

constexpr TimeInterval times(double count, const TimeInterval& time) {
  return {Seconds{count * time.low.value}, Seconds{count * time.central.value},
          Seconds{count * time.high.value}};
}

enum class TimeBasis : std::uint8_t {
  stated,     // the fact `step_time`, or a measurement handed in
  operators,  // predicted from the model's operators and the GPU's achievable rates
};

/// What limits an operator, or a whole step.
enum class Bottleneck : std::uint8_t { compute, memory, launches, communication, loading };
std::string_view name_of(Bottleneck bottleneck);

struct TimeTerm {
  std::string name;        // "matrix products"
  Seconds time;            // central, of one optimizer step
  std::string arithmetic;  // "3.1 TFLOP at 180 TFLOP/s"
};

/// Operators of one kind and size, forward and backward together.
struct OperatorTime {
  std::string name;        // "conv 64 -> 256, 56x56"
  std::int64_t count = 0;  // in one micro-batch
  Seconds time;            // of all of them, of one optimizer step
  Bottleneck bottleneck = Bottleneck::compute;
};

/// A tensor autograd keeps from forward to backward.
struct LargeTensor {
  std::string name;  // "output of conv"
  Bytes bytes;
  std::string shrink;  // what would make it smaller
};

struct StepTime {
  TimeInterval total;
  TimeBasis basis = TimeBasis::operators;
  Bottleneck bottleneck = Bottleneck::compute;
  std::vector<TimeTerm> terms;          // add up to total.central
  std::vector<OperatorTime> costliest;  // the five that cost most, the longest first
  std::optional<RatioInterval> mfu;     // model FLOPs over the dense peak of the step's precision
  std::optional<RateInterval> loader;   // samples/s that one rank's loader delivers
  std::vector<LargeTensor> largest_tensors;  // three that are kept for backward
  std::string explanation;                   // what the interval spans
};

}  // namespace gpulint
