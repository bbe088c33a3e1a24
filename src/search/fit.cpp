// What is tried has to be surely held (memory/memory_verdict.h). The largest batch is searched;
// between it and one sample memory is a maximum of lines in the batch, so a chord lies above it and
// a batch read off the chord leaves at least the room it promises. How much a larger batch gains
// follows from two predicted steps: time = fixed + per sample x batch.

#include "search/fit.h"

#include "memory/device_memory.h"
#include "memory/measured.h"
#include "run/fact_access.h"
#include "search/largest_batch.h"
#include "time/time_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace gpulint {
namespace {

// Of usable memory; the A10G guide's three settings leave about this much.
constexpr double kConservativeShare = 0.70;
constexpr double kBalancedShare = 0.85;
// Batches are rounded down to multiples that tensor cores and schedulers like.
constexpr std::int64_t kBatchMultiple = 8;
// The guide's workers: half, three quarters and all of the cores; its prefetch factors.
constexpr double kWorkerShare[] = {0.5, 0.75, 1.0};
constexpr std::int64_t kPrefetch[] = {2, 3, 4};
// Up to this batch and sequence anything is searched.
constexpr std::int64_t kLongestSequence = std::int64_t{1} << 24;
// A batch pays until a larger one would gain less than this.
constexpr double kWorthwhileGain = 0.10;
constexpr std::int64_t kApart = 8;  // least ratio of the two batches whose steps are predicted

Estimate estimate_with(const EstimateRequest& request, const FactChanges& changes) {
  EstimateRequest other = request;
  other.run = request.run.with(changes);
  other.predict_time = false;
  return estimate(other);
}

FactChanges batch_of(std::int64_t batch) {
  return {{"per_device_batch_size", std::to_string(batch)}};
}

std::optional<TimeInterval> step_at(const EstimateRequest& request, std::int64_t batch) {
  FactChanges changes = batch_of(batch);
  changes.emplace_back("step_time", "");
  // The device's own pace, whatever feeds it.
  changes.emplace_back("num_workers", "");
  changes.emplace_back("samples_per_second_per_worker", "");
  EstimateRequest other = request;
  other.run = request.run.with(changes);
  UnknownFacts ignored;
  const auto step = predict_step_time(other, ignored, StepDetail::total);
  if (!step) return std::nullopt;
  return step->total;
}

void add_pace(const EstimateRequest& request, FitResult& result) {
  const std::int64_t most = *result.largest_batch;
  const auto steps =
      static_cast<double>(at_least(request.run.facts().gradient_accumulation_steps, 1).value_or(1));
  const auto large = step_at(request, most);
  if (!large) return;
  const double samples = static_cast<double>(most) * steps;
  result.throughput = RateInterval{PerSecond{samples / large->high.value},
                                   PerSecond{samples / large->central.value},
                                   PerSecond{samples / large->low.value}};
  // A power of two: GPUs of a matrix share the step.
  const std::int64_t few = static_cast<std::int64_t>(
      std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(1, most / kApart))));
  const auto small = few == most ? std::nullopt : step_at(request, few);
  if (!small) return;
  const double per_sample =
      (large->central.value - small->central.value) / static_cast<double>(most - few);
  const double fixed = large->central.value - per_sample * static_cast<double>(most);
  if (!(per_sample > 0)) return;  // the step costs the same whatever is in it: more always pays
  const double pays = std::max(1.0, fixed / per_sample * (1 / kWorthwhileGain - 1));
  result.batch_that_pays = std::min(most, saturating_round(std::ceil(pays)));
}

std::int64_t rounded_down(std::int64_t batch) {
  return batch > kBatchMultiple ? batch / kBatchMultiple * kBatchMultiple : batch;
}

/// Largest batch within `share` of usable memory, read off the chord between one sample and `most`.
std::int64_t batch_within(const FitResult& result, Bytes one, double share) {
  const std::int64_t most = *result.largest_batch;
  const double room = share * result.usable->low.as_double() - one.as_double();
  const double rise = (result.vram->high - one).as_double();
  if (room <= 0) return 1;
  if (rise <= 0) return most;
  const double batch = 1 + room / rise * static_cast<double>(most - 1);
  return std::clamp<std::int64_t>(saturating_round(std::floor(batch)), 1, most);
}

std::optional<std::int64_t> cores_per_rank(const EstimateRequest& request) {
  std::optional<std::int64_t> cores = at_least(request.run.facts().cpu_cores, 1);
  if (!cores && request.run.host() != nullptr && request.run.host()->cpu_cores) {
    cores = *request.run.host()->cpu_cores;
  }
  if (!cores) return std::nullopt;
  return std::max<std::int64_t>(1, *cores / request.run.layout().ranks_on_host);
}

/// Workers and prefetch of a setting, shallower until host memory is sure to hold them.
void add_loading(const EstimateRequest& request, std::size_t level, FactChanges& facts) {
  const auto cores = cores_per_rank(request);
  if (!cores) return;
  const std::int64_t workers = std::max<std::int64_t>(
      1, saturating_round(std::floor(kWorkerShare[level] * static_cast<double>(*cores))));
  facts.emplace_back("num_workers", std::to_string(workers));
  std::int64_t prefetch = kPrefetch[level];
  for (; prefetch > 1; --prefetch) {
    FactChanges tried = facts;
    tried.emplace_back("prefetch_factor", std::to_string(prefetch));
    const Estimate result = estimate_with(request, tried);
    if (result.ram_verdict.fit == Fit::unknown || result.ram_verdict.surely_held()) break;
  }
  facts.emplace_back("prefetch_factor", std::to_string(prefetch));
}

void add_settings(const EstimateRequest& request, Bytes one, FitDetail detail, FitResult& result) {
  constexpr std::string_view kNames[] = {"conservative", "balanced", "aggressive"};
  constexpr double kShares[] = {kConservativeShare, kBalancedShare, 1.0};
  for (std::size_t level = 0; level < 3; ++level) {
    const std::int64_t batch = rounded_down(batch_within(result, one, kShares[level]));
    FitSetting setting{std::string(kNames[level]), {}};
    setting.facts.emplace_back("per_device_batch_size", std::to_string(batch));
    if (detail == FitDetail::whole) {
      add_loading(request, level, setting.facts);
    }
    // Compiling may raise the peak: the careful setting goes without.
    if (level == 0 && is_true(request.run.facts().compile))
      setting.facts.emplace_back("compile", "false");
    result.settings.push_back(std::move(setting));
  }
}

std::optional<std::int64_t> longest_sequence(const EstimateRequest& request) {
  if (!request.run.facts().sequence_length || !request.run.facts().per_device_batch_size)
    return std::nullopt;
  const Estimate stated = estimate_with(request, {});
  if (!stated.vram || stated.vram->lower_bound_only || !stated.usable_vram) return std::nullopt;
  // What the config leaves open weighs more in a short sequence; its upper end is sure all the
  // same.
  const auto holds = [&](std::int64_t tokens) {
    const Estimate tried = estimate_with(request, {{"sequence_length", std::to_string(tokens)}});
    return tried.vram && tried.vram->bounded_above &&
           surely_held(tried.vram->needed.high, *stated.usable_vram);
  };
  constexpr std::int64_t kStep = 64;  // attention kernels and packers work in such units
  if (!holds(kStep)) return 0;
  std::int64_t low = kStep;
  std::int64_t high = 2 * low;
  while (high < kLongestSequence && holds(high)) {
    low = high;
    high *= 2;
  }
  if (high >= kLongestSequence) return std::nullopt;
  while (high - low > std::max(kStep, low / 32)) {
    const std::int64_t middle = (low + (high - low) / 2) / kStep * kStep;
    if (middle <= low || middle >= high) break;
    (holds(middle) ? low : high) = middle;
  }
  return low;
}

// A line through two measured points tells of other batches; one point does not.
EstimateRequest searchable(EstimateRequest request) {
  UnknownFacts ignored;
  if (measured_points(request.run.facts(), request.run.gpu(), request.measurements, ignored)
          .size() < 2) {
    request.measurements = {};
  }
  return request;
}

}  // namespace

FitResult fit(const EstimateRequest& asked, FitDetail detail) {
  FitResult result;
  const Estimate stated = estimate_with(asked, {});
  result.verdict = stated.vram_verdict;
  const EstimateRequest request = searchable(asked);
  result.usable = usable_memory(request.run.facts(), request.run.gpu());
  result.largest_batch = largest_batch_that_fits(request);
  if (detail == FitDetail::whole) {
    result.devices = least_devices(asked, stated);
    result.longest_sequence = longest_sequence(request);
    result.vram_ladder = vram_ladder(request);
    result.ram_ladder = ram_ladder(request);
    result.loading_ladder = loading_ladder(request);
  }
  if (!result.largest_batch) {
    result.unknown = estimate_with(request, batch_of(1)).unknown;
    return result;
  }
  const std::int64_t most = std::max<std::int64_t>(*result.largest_batch, 1);
  const Estimate one = estimate_with(request, batch_of(1));
  const Estimate full = most == 1 ? one : estimate_with(request, batch_of(most));
  if (full.vram) result.vram = full.vram->needed;
  if (*result.largest_batch < 1 || !result.vram || !one.vram || !result.usable) return result;
  add_settings(request, one.vram->needed.high, detail, result);
  add_pace(request, result);
  return result;
}

}  // namespace gpulint
