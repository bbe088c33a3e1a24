#include "search/largest_batch.h"

#include "memory/device_memory.h"
#include "memory/memory_verdict.h"
#include "memory/vram_sources.h"
#include "run/fact_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace gpulint {
namespace {

// Batches nobody trains with; the search ends here.
constexpr std::int64_t kLargestSearchedBatch = std::int64_t{1} << 40;
// From one sample up: sizes no operator can count are far beyond the first batch that fails.
constexpr std::int64_t kSearchGrowth = 8;
// Where the run's own batch needs more than so many times the room, it says little of where it
// ends.
constexpr std::int64_t kNear = 8;
constexpr int kStraightGuesses = 10;

struct BatchHigh {
  std::int64_t batch = 1;
  std::optional<Bytes> high;  // none where the operators refuse the batch: sizes beyond counting
};

// Batch at which the line through both reaches `limit`.
std::int64_t straight_guess(const BatchHigh& fitting, const BatchHigh& failing, Bytes limit) {
  if (!failing.high) return fitting.batch + (failing.batch - fitting.batch) / 2;
  const double rise = (*failing.high - *fitting.high).as_double();
  const double part = (limit - *fitting.high).as_double() / rise;
  const double width = static_cast<double>(failing.batch - fitting.batch);
  return saturating_add(fitting.batch, saturating_round(std::floor(part * width)));
}

// The next batch to try above two that fit: the first one beyond the line through both, at least
// `step` further on.
std::int64_t beyond(const BatchHigh& smaller, const BatchHigh& larger, Bytes limit,
                    std::int64_t step) {
  const std::int64_t most = saturating_multiply(larger.batch, kSearchGrowth);
  if (*larger.high <= *smaller.high) return most;
  const std::int64_t line = saturating_add(straight_guess(smaller, larger, limit), 1);
  return std::clamp(line, std::min(saturating_add(larger.batch, step), most), most);
}

}  // namespace

std::optional<std::int64_t> largest_batch_that_fits(const EstimateRequest& request) {
  const auto usable = usable_memory(request.run.facts(), request.run.gpu());
  if (!usable) return std::nullopt;
  const VramSources sources = vram_sources(request, 1);
  const auto at = [&](std::int64_t batch) {
    return BatchHigh{batch, vram_needed_at_most(request, sources, batch)};
  };
  const auto fits = [&](const BatchHigh& tried) {
    return tried.high && surely_held(*tried.high, *usable);
  };
  BatchHigh fitting = at(1);
  if (!fitting.high) return std::nullopt;
  if (!fits(fitting)) return 0;
  // The run's own batch was estimated before, and lies near the end more often than not.
  const auto own = at_least(request.run.facts().per_device_batch_size, 2);
  BatchHigh failing = own ? at(*own) : BatchHigh{};
  if (!failing.high || *failing.high > usable->low * kNear) failing = at(kSearchGrowth);
  for (std::int64_t least = 1; fits(failing); least = saturating_multiply(least, kSearchGrowth)) {
    if (failing.batch >= kLargestSearchedBatch)
      return std::nullopt;  // nothing grows with the batch
    const std::int64_t next = beyond(fitting, failing, usable->low, least);
    fitting = failing;
    failing = at(next);
  }
  // Memory is a maximum of lines over the phases: a straight guess lands on the last batch or close
  // to it, and galloping away from there closes the bracket in a handful of evaluations where
  // halving would take forty. Where sizes saturate a line says nothing, so halving ends it.
  std::int64_t step = 0;
  int tries = 0;
  while (failing.batch - fitting.batch > 1) {
    const std::int64_t line =
        step == 0 ? straight_guess(fitting, failing, usable->low) : fitting.batch + step;
    const bool halve = ++tries > kStraightGuesses;
    const std::int64_t guess = halve ? fitting.batch + (failing.batch - fitting.batch) / 2 : line;
    const BatchHigh tried = at(std::clamp(guess, fitting.batch + 1, failing.batch - 1));
    const bool held = fits(tried);
    (held ? fitting : failing) = tried;
    step = held ? std::max<std::int64_t>(1, saturating_multiply(step, 2)) : 0;
  }
  return fitting.batch;
}

std::optional<BatchRange> batch_range_that_fits(const EstimateRequest& request) {
  const TrainingPlan& plan = request.run.facts();
  const auto usable = usable_memory(plan, request.run.gpu());
  if (!usable || usable->low.count() <= 0 || request.measurements.empty()) return std::nullopt;
  UnknownFacts ignored;
  const auto points = measured_points(plan, request.run.gpu(), request.measurements, ignored);
  if (points.size() != 1) return std::nullopt;
  const MeasuredPoint& point = points.front();
  BatchRange range;
  range.proportional =
      usable->low.as_double() / point.total.central.as_double() * static_cast<double>(point.batch);
  const std::int64_t proportional = saturating_round(std::floor(range.proportional));
  // A measured batch that fits leaves room for more, one that does not may be fixed memory alone.
  range.bounded_above = range.proportional < static_cast<double>(point.batch);
  range.low = range.bounded_above ? 0 : proportional;
  range.high = range.bounded_above ? proportional : std::numeric_limits<std::int64_t>::max();
  const auto capacity = positive(plan.gpu_memory);
  const auto reserve = positive(plan.gpu_memory_reserve);
  const std::string room = capacity && reserve ? fmt::format("({} - {})", format_decimal(*capacity),
                                                             format_decimal(*reserve))
                                               : format_decimal(usable->low);
  range.explanation = fmt::format(
      "{} / {} x {} = {:.1f} if all of the measured memory were per sample; {}, and one point "
      "cannot separate the two",
      room, format_decimal(point.total.central), point.batch, range.proportional,
      range.bounded_above ? "fixed memory would leave room for less"
                          : "fixed memory would leave room for more");
  return range;
}

}  // namespace gpulint
