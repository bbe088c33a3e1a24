#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpulint::probe {

/// Exit codes of `gpulint confirm`, beside that of wrong usage.
inline constexpr int kNothingContradicted = 0;
inline constexpr int kContradicted = 1;
inline constexpr int kMeasuringFailed = 3;
inline constexpr int kNoUsableDevice = 4;

enum class Quantity : std::uint8_t {
  memory_total,         // bytes
  context,              // bytes
  footprint,            // bytes reserved
  bandwidth,            // bytes/s
  gemm_rate,            // operations/s
  amp_speedup,          // ratio of GEMM rates
  pinned_copy_speedup,  // ratio of host-to-device bandwidths, pinned over pageable
  step_time,            // seconds of one optimizer step
  step_work,            // seconds of the parts of a step that were timed alone
  headroom,             // bytes left at the peak; negative where they are missing
  batch,                // samples
  link_rate,            // bytes/s between cards
  exchange_time,        // seconds that ranks exchange in a step
};
inline constexpr std::size_t kQuantityCount = 13;

/// What a measurement says about the quantity itself. The card does at least what our own kernel
/// reached; it does at most what its instructions can issue.
enum class Witness : std::uint8_t {
  exact,
  lower_bound,
  upper_bound,
  reached,  // a lower bound of what can be reached: reaching the interval confirms it
};

enum class Verdict : std::uint8_t { confirmed, contradicted, inconclusive };

/// A predicted interval, low <= high, in the unit of its quantity.
struct Prediction {
  Quantity quantity = Quantity::memory_total;
  double low = 0;
  double high = 0;
};

struct Measurement {
  double value = 0;
  double noise = 0;  // half-width of what repetition scatters over, same unit
  Witness witness = Witness::exact;
  std::string disturbed_by;  // "" or why the device was not itself (thermal limit, another process)
};

struct Judgement {
  Verdict verdict = Verdict::inconclusive;
  double tolerance = 0;  // same unit as the prediction
  std::string why;       // of inconclusive
};

std::string_view name_of(Quantity quantity);
std::string_view name_of(Verdict verdict);
/// "143771 MiB", "4300 GB/s", "780.1 TFLOP/s", "x1.95", "12.3 ms": with the unit people use.
std::string in_words(Quantity quantity, double value);

/// Relative noise of a ratio of two measurements with these. Not std::hypot, whose newest version
/// needs glibc 2.35.
double noise_of_ratio(double first, double second);

/// How far outside the predicted interval a measurement may lie.
double tolerance_of(const Prediction& prediction);

/// Confirmed when the measurement lies within the interval widened by the tolerance, contradicted
/// when it lies outside. Inconclusive when the device was disturbed, when the noise is more than
/// half of the tolerance, when a mere bound does not decide, or when the measurement lies within an
/// interval so wide that most would: a step's, a link's or an exchange's twice as long at one end
/// as at the other, a headroom that leaves open whether the run fits.
Judgement judge(const Prediction& prediction, const Measurement& measurement);

}  // namespace gpulint::probe
