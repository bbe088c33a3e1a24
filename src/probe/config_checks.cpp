// Two questions to one replay. `footprint`: do the predicted segments cost of the device what they
// add up to? `headroom`: is what is left of the device at the peak what the estimate leaves of the
// memory the database gives it? Neither says that a framework allocates the same tensors: that is
// a comparison with torch.cuda.max_memory_reserved().

#include "probe/config_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gpulint::probe {
namespace {

/// Whether as much was taken as the device gave.
bool is_measured(const FootprintReport& footprint) {
  switch (footprint.verdict) {
    case FootprintVerdict::fits:
    case FootprintVerdict::fits_tight:
    case FootprintVerdict::fits_unconfirmed:
      return true;
    case FootprintVerdict::out_of_memory:
      return footprint.tried;
    case FootprintVerdict::refused:
    case FootprintVerdict::aborted:
      return false;
  }
  return false;
}

bool is_fitting(FootprintVerdict verdict) {
  return verdict == FootprintVerdict::fits || verdict == FootprintVerdict::fits_tight;
}

/// Why the replay decides nothing, where it could; "" when it does.
std::string undecided(const FootprintReport& footprint) {
  switch (footprint.verdict) {
    case FootprintVerdict::fits:
    case FootprintVerdict::fits_tight:
    case FootprintVerdict::out_of_memory:
      return "";
    case FootprintVerdict::fits_unconfirmed:
      return "Windows may promise more memory than there is";
    case FootprintVerdict::refused:
    case FootprintVerdict::aborted:
      return footprint.why;
  }
  return "";
}

Check check_footprint(const FootprintReport& footprint) {
  const double reserved = (footprint.needed - footprint.outside).as_double();
  Check check;
  check.name = "footprint";
  check.baseline = "what the caching allocator reserves, by " + footprint.basis;
  check.prediction = {Quantity::footprint, reserved, reserved};
  check.measurement = {.value = footprint.taken_peak.as_double(),
                       .noise = footprint.drift.as_double(),
                       .disturbed_by = undecided(footprint)};
  check.judgement = judge(check.prediction, check.measurement);
  if (footprint.verdict == FootprintVerdict::out_of_memory) {
    // Enough was free, and yet the driver had no more: no tolerance makes that the prediction.
    check.judgement = {Verdict::contradicted, check.judgement.tolerance,
                       "the driver ran out of memory"};
  }
  return check;
}

Bytes headroom_of(const DeviceReport& device, const FootprintReport& footprint) {
  if (is_fitting(footprint.verdict)) return footprint.free_at_peak - footprint.outside;
  const Bytes context = device.context.value_or(Bytes{});
  if (!footprint.tried) return device.cuda_total - context - footprint.needed;
  return Bytes{} - footprint.missing.value_or(MissingMemory{}).bytes;
}

Check check_headroom(const DeviceReport& device, const FootprintReport& footprint,
                     const BytesRange& usable, const BytesRange& total) {
  Check check;
  check.name = "headroom";
  check.baseline = "the database's usable memory less the estimate's total";
  check.prediction = {Quantity::headroom, (usable.low - total.high).as_double(),
                      (usable.high - total.low).as_double()};
  check.measurement = {.value = headroom_of(device, footprint).as_double(),
                       .noise = (footprint.drift + device.drift).as_double(),
                       .disturbed_by = undecided(footprint)};
  check.judgement = judge(check.prediction, check.measurement);
  const bool ran_out = footprint.verdict == FootprintVerdict::out_of_memory;
  if (ran_out && check.prediction.low > 0) {
    check.judgement = {Verdict::contradicted, check.judgement.tolerance,
                       "it does not fit, although it was predicted to"};
  }
  return check;
}

std::string gib(Bytes bytes) { return fmt::format("{:.2f} GiB", bytes.as_gib()); }

std::string shortage(const FootprintReport& footprint) {
  const MissingMemory missing = footprint.missing.value_or(MissingMemory{});
  return fmt::format("{}: {} needed; at allocation {}, {}, {} are missing",
                     footprint.tried ? "the driver ran out" : "by arithmetic, not tried",
                     gib(footprint.needed), missing.event + 1, name_of(missing.phase),
                     gib(missing.bytes));
}

std::string outcome_of(const FootprintReport& footprint) {
  switch (footprint.verdict) {
    case FootprintVerdict::fits:
    case FootprintVerdict::fits_tight:
    case FootprintVerdict::fits_unconfirmed:
      return fmt::format(
          "{} reserved in {} {}, {:.0f} % of it unused; {} free at the peak, {} of "
          "that for what lives outside the allocator",
          gib(footprint.reserved_peak), footprint.segments,
          footprint.expandable ? "pages" : "segments", 100 * footprint.fragmentation,
          gib(footprint.free_at_peak), gib(footprint.outside));
    case FootprintVerdict::out_of_memory:
      return shortage(footprint);
    case FootprintVerdict::refused:
    case FootprintVerdict::aborted:
      return footprint.why;
  }
  return "";
}

}  // namespace

std::vector<Check> check_config(const DeviceReport& device, const ConfigPrediction& prediction) {
  std::vector<Check> checks;
  if (!device.footprint) return checks;
  const FootprintReport& footprint = *device.footprint;
  if (is_measured(footprint)) checks.push_back(check_footprint(footprint));
  // A slice of a card has its profile's memory; the database describes whole cards.
  if (prediction.usable && !device.mig) {
    checks.push_back(check_headroom(device, footprint, *prediction.usable, prediction.total));
  }
  return checks;
}

Check check_batch(const BatchReport& batch, std::int64_t predicted) {
  Check check;
  check.name = "largest_batch";
  check.baseline = "the largest batch whose central estimate the device has room for";
  const auto size = static_cast<double>(predicted);
  check.prediction = {Quantity::batch, size, size};
  check.measurement = {.value = static_cast<double>(batch.largest.value_or(0)),
                       .disturbed_by = batch.largest ? "" : batch.why};
  check.judgement = judge(check.prediction, check.measurement);
  return check;
}

std::string in_words(const FootprintReport& footprint) {
  std::string words = fmt::format("{}: {}", name_of(footprint.verdict), outcome_of(footprint));
  if (!footprint.fallback.empty()) words += "; " + footprint.fallback;
  return words;
}

}  // namespace gpulint::probe
