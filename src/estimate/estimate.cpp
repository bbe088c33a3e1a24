#include "estimate/estimate.h"

#include "estimate/device_memory.h"
#include "estimate/fact_access.h"
#include "estimate/footprint.h"
#include "estimate/host_ram.h"
#include "estimate/measured.h"
#include "estimate/operators.h"
#include "estimate/run_time.h"
#include "estimate/sharding.h"
#include "estimate/vram.h"

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
constexpr int kStraightGuesses = 10;

std::vector<std::string> sorted_names(UnknownFacts unknown) {
  std::sort(unknown.begin(), unknown.end());
  unknown.erase(std::unique(unknown.begin(), unknown.end()), unknown.end());
  return {unknown.begin(), unknown.end()};
}

// What VRAM can be computed from, and what each source missed: measured points make the facts about
// the model unnecessary.
// The operators of a known model, else what the user stated.
std::optional<ModelFootprint> footprint_of(const EstimateRequest& request,
                                           std::optional<std::int64_t> batch,
                                           UnknownFacts& unknown) {
  // Stated activations are of the user's own network, whatever it is called.
  const bool stated = request.plan->activation_bytes_per_sample.has_value();
  if (request.models != nullptr && !stated) {
    auto known = operator_footprint(*request.plan, *request.models, request.gpu, batch, unknown);
    if (known) return known;
  }
  return stated_footprint(*request.plan, batch, unknown);
}

struct Sources {
  std::optional<ModelFootprint> footprint;
  std::optional<ModelStates> states;
  std::vector<MeasuredPoint> points;
  UnknownFacts missing_for_model;
  UnknownFacts missing_for_points;
};

Sources gather(const EstimateRequest& request, std::optional<std::int64_t> batch) {
  Sources sources;
  UnknownFacts& unknown = sources.missing_for_model;
  sources.footprint = footprint_of(request, batch, unknown);
  if (sources.footprint) {
    sources.states = model_states(*request.plan, *sources.footprint, unknown);
  }
  if (!request.measurements.empty()) {
    sources.points = measured_points(*request.plan, request.gpu, request.measurements,
                                     sources.missing_for_points);
  }
  return sources;
}

// Better known first: a line of the user's own measurements, operators of a known model, one
// measured point, stated activations, states.
std::optional<VramEstimate> vram_from(const EstimateRequest& request, const Sources& sources,
                                      std::optional<std::int64_t> batch) {
  const bool operators = sources.footprint && sources.footprint->activations_known &&
                         sources.footprint->basis == VramBasis::operators;
  const bool measured = sources.points.size() >= (operators ? 2 : 1);
  if (measured && batch) {
    return measured_vram(*request.plan, request.gpu, sources.points, *batch);
  }
  if (!sources.footprint) return std::nullopt;
  return built_up_vram(*request.plan, request.gpu, *sources.footprint, *sources.states,
                       Detail::full);
}

// Upper end of the memory needed at a batch; nullopt where activations are unknown.
std::optional<Bytes> high_at(const EstimateRequest& request, const Sources& sources,
                             std::int64_t batch) {
  if (sources.points.size() >= 2) return measured_total(sources.points, batch).high;
  if (!sources.footprint || !sources.footprint->activations_known) return std::nullopt;
  UnknownFacts ignored;
  const auto footprint = footprint_of(request, batch, ignored);
  if (!footprint) return std::nullopt;
  return built_up_vram(*request.plan, request.gpu, *footprint, *sources.states, Detail::total_only)
      .needed.high;
}

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

}  // namespace

Estimate estimate(const EstimateRequest& request) {
  Estimate result;
  const TrainingPlan& plan = *request.plan;
  UnknownFacts unknown;
  const auto batch = at_least(plan.per_device_batch_size, 1);
  const Sources sources = gather(request, batch);
  result.vram = vram_from(request, sources, batch);
  unknown = sources.missing_for_points;
  const bool measured = result.vram && (result.vram->basis == VramBasis::measured_line ||
                                        result.vram->basis == VramBasis::measured_point);
  if (!measured) {
    unknown.insert(unknown.end(), sources.missing_for_model.begin(),
                   sources.missing_for_model.end());
  }
  result.ram = host_ram(plan, request.host, sources.states ? &*sources.states : nullptr, unknown);
  result.usable_vram = usable_memory(plan, request.gpu);
  result.available_ram = available_ram(plan, request.host);
  result.available_shm = available_shm(plan, request.host);
  add_run_length(request, result, unknown);
  result.unknown = sorted_names(std::move(unknown));
  return result;
}

std::optional<std::int64_t> largest_batch_that_fits(const EstimateRequest& request) {
  const auto usable = usable_memory(*request.plan, request.gpu);
  if (!usable) return std::nullopt;
  const Sources sources = gather(request, 1);
  const auto at = [&](std::int64_t batch) {
    return BatchHigh{batch, high_at(request, sources, batch)};
  };
  const auto fits = [&](const BatchHigh& tried) {
    return tried.high && *tried.high <= usable->low;
  };
  BatchHigh fitting = at(1);
  if (!fitting.high) return std::nullopt;
  if (!fits(fitting)) return 0;
  BatchHigh failing = at(kSearchGrowth);
  while (fits(failing)) {
    if (failing.batch >= kLargestSearchedBatch)
      return std::nullopt;  // nothing grows with the batch
    fitting = failing;
    failing = at(saturating_multiply(fitting.batch, kSearchGrowth));
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
  const TrainingPlan& plan = *request.plan;
  const auto usable = usable_memory(plan, request.gpu);
  if (!usable || usable->low.count() <= 0 || request.measurements.empty()) return std::nullopt;
  UnknownFacts ignored;
  const auto points = measured_points(plan, request.gpu, request.measurements, ignored);
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
      "cannot tell the two apart",
      room, format_decimal(point.total.central), point.batch, range.proportional,
      range.bounded_above ? "what of it is fixed leaves room for less"
                          : "what of it is fixed leaves room for more");
  return range;
}

}  // namespace gpulint
