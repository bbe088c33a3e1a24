// Predicted against measured. A prediction is an interval, so the tolerance only covers what the
// prediction does not model: drivers that reserve a little more, clocks, alignment. Where the
// interval has no width (an AMP ratio, a published bandwidth), the tolerance carries the verdict.

#include "probe/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace gpulint::probe {
namespace {

constexpr double kBytesPerMiB = 1048576.0;

/// The larger of the two counts; `relative` is taken of the nearer end of the interval.
struct Tolerance {
  std::string_view name;
  double absolute;
  double relative;
};

/// In the order of Quantity. The project's own accuracy targets, not measured figures.
constexpr std::array<Tolerance, kQuantityCount> kTolerances{{
    {"memory_total", 1 * kBytesPerMiB, 0},   // drivers report whole MiB
    {"context", 150 * kBytesPerMiB, 0},      // differs by driver branch and module loading
    {"footprint", 64 * kBytesPerMiB, 0.03},  // allocator rounding, one segment either way
    {"bandwidth", 0, 0.12},                  // memory clock, ECC
    {"gemm_rate", 0, 0},                     // the interval is the accepted band
    {"amp_speedup", 0, 0.20},                // both rates move with the power limit
    {"pinned_copy_speedup", 0, 0.40},        // the host's memory decides
    {"step_time", 0, 0.10},  // caches and gaps between kernels, which no replay repeats
    {"step_work", 0, 0.20},  // sizes between those that rates were fitted to
    {"headroom", 150 * kBytesPerMiB, 0.03},  // context and footprint, whichever errs more
    {"batch", 1, 0.03},                      // as footprint
    {"link_rate", 0, 0.12},                  // as bandwidth
    {"exchange_time", 0, 0.12},              // the link's rate, the other way round
}};

/// Pinned copies that are not clearly faster contradict the advice itself, whatever was predicted.
constexpr double kLeastPinnedSpeedup = 1.3;

const Tolerance& row_of(Quantity quantity) {
  return kTolerances[static_cast<std::size_t>(quantity)];
}

/// Noise is held against the tolerance, or against the half-width of a band without one.
double room_for_noise(const Prediction& prediction, double tolerance) {
  return std::max(tolerance, (prediction.high - prediction.low) / 2) / 2;
}

Judgement inconclusive(double tolerance, std::string why) {
  return {Verdict::inconclusive, tolerance, std::move(why)};
}

/// Why lying within the prediction says little; "" when it says something.
std::string too_wide(const Prediction& prediction) {
  constexpr double kWidest = 2;  // high end over low end
  const bool spans = prediction.quantity == Quantity::step_time ||
                     prediction.quantity == Quantity::link_rate ||
                     prediction.quantity == Quantity::exchange_time;
  if (spans && prediction.high > kWidest * prediction.low) {
    return "the prediction is too wide to be confirmed";
  }
  if (prediction.quantity == Quantity::headroom && prediction.low < 0 && prediction.high > 0) {
    return "the prediction leaves open whether it fits";
  }
  return "";
}

Judgement within(const Prediction& prediction, double tolerance) {
  if (std::string why = too_wide(prediction); !why.empty()) {
    return inconclusive(tolerance, std::move(why));
  }
  return {Verdict::confirmed, tolerance, {}};
}

}  // namespace

std::string_view name_of(Quantity quantity) { return row_of(quantity).name; }

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::confirmed:
      return "confirmed";
    case Verdict::contradicted:
      return "contradicted";
    case Verdict::inconclusive:
      return "inconclusive";
  }
  return "";
}

std::string in_words(Quantity quantity, double value) {
  switch (quantity) {
    case Quantity::memory_total:
    case Quantity::context:
    case Quantity::footprint:
    case Quantity::headroom:
      return fmt::format("{:.0f} MiB", value / kBytesPerMiB);
    case Quantity::bandwidth:
    case Quantity::link_rate:
      return fmt::format("{:.0f} GB/s", value / 1e9);
    case Quantity::gemm_rate:
      return fmt::format("{:.1f} TFLOP/s", value / 1e12);
    case Quantity::amp_speedup:
    case Quantity::pinned_copy_speedup:
      return fmt::format("x{:.2f}", value);
    case Quantity::step_time:
    case Quantity::step_work:
    case Quantity::exchange_time:
      return fmt::format("{:.1f} ms", value * 1e3);
    case Quantity::batch:
      return fmt::format("{:.0f} samples", value);
  }
  return "";
}

double noise_of_ratio(double first, double second) {
  return std::sqrt(first * first + second * second);
}

double tolerance_of(const Prediction& prediction) {
  const Tolerance& row = row_of(prediction.quantity);
  const double scale = std::min(std::abs(prediction.low), std::abs(prediction.high));
  return std::max(row.absolute, row.relative * scale);
}

Judgement judge(const Prediction& prediction, const Measurement& measurement) {
  const double tolerance = tolerance_of(prediction);
  if (!std::isfinite(prediction.low) || !std::isfinite(prediction.high) ||
      !std::isfinite(measurement.value) || !std::isfinite(measurement.noise)) {
    return inconclusive(tolerance, "a value is not a finite number");
  }
  if (!measurement.disturbed_by.empty()) return inconclusive(tolerance, measurement.disturbed_by);
  if (measurement.noise > room_for_noise(prediction, tolerance)) {
    return inconclusive(tolerance, "repeated measurements scatter too much");
  }
  double low = prediction.low - tolerance;
  if (prediction.quantity == Quantity::pinned_copy_speedup)
    low = std::max(low, kLeastPinnedSpeedup);
  const double high = prediction.high + tolerance;
  const bool above = measurement.value > high;
  const bool below = measurement.value < low;
  switch (measurement.witness) {
    case Witness::exact:
      if (above || below) return {Verdict::contradicted, tolerance, {}};
      return within(prediction, tolerance);
    case Witness::lower_bound:
      if (above) return {Verdict::contradicted, tolerance, {}};
      return inconclusive(tolerance, "the measurement is only a lower bound");
    case Witness::reached:
      if (above) return {Verdict::contradicted, tolerance, {}};
      if (!below) return within(prediction, tolerance);
      return inconclusive(tolerance, "our own kernel reached less, the library may reach more");
    case Witness::upper_bound:
      if (below) return {Verdict::contradicted, tolerance, {}};
      return inconclusive(tolerance, "the measurement is only an upper bound");
  }
  return inconclusive(tolerance, "");
}

}  // namespace gpulint::probe
