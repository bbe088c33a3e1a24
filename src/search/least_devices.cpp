#include "search/least_devices.h"

#include "run/fact_access.h"
#include "search/open_questions.h"

#include <algorithm>
#include <string>

namespace gpulint {
namespace {

// More than that nobody asks a config for.
constexpr std::int64_t kMostDevices = 1024;

std::optional<Estimate> with_split(const EstimateRequest& request, int stage, std::int64_t ranks,
                                   const FactChanges& more) {
  // Ranks that are stated along other axes stay what they are.
  FactChanges changes{{"sharding_stage", std::to_string(stage)},
                      {"world_size", std::to_string(ranks)},
                      {"data_parallel_size", ""},
                      {"nodes", ""},
                      {"gpus_per_node", ""}};
  changes.insert(changes.end(), more.begin(), more.end());
  EstimateRequest supposed = request;
  supposed.run = request.run.with(changes, Origin::project);
  supposed.predict_time = false;
  Estimate tried = estimate(supposed);
  if (!tried.vram || !tried.usable_vram) return std::nullopt;
  return tried;
}

/// Samples that nothing packs count as if the longest batch reached the limit.
std::optional<Estimate> split_over(const EstimateRequest& request, int stage, std::int64_t ranks) {
  FactChanges longest;
  if (may_be_short(request.run.facts()))
    longest = {{"variable_input_sizes", "true"}, {"sequence_length_is_limit", "false"}};
  return with_split(request, stage, ranks, longest);
}

/// Samples that nothing packs or pads to the limit may all be short: the low end must hold then
/// too.
std::optional<Estimate> thriftiest(const EstimateRequest& request, int stage, std::int64_t ranks) {
  const TrainingPlan& plan = request.run.facts();
  const bool full = is_true(plan.packing) || is_true(plan.pad_to_max_length);
  if (full || !plan.sequence_length) return split_over(request, stage, ranks);
  return with_split(request, stage, ranks, {{"packing", "false"}});
}

bool may_fit(const std::optional<Estimate>& tried) {
  return !tried || tried->vram->needed.low <= tried->usable_vram->high;
}

bool fits_centrally(const std::optional<Estimate>& tried) {
  const Fit fit = tried ? tried->vram_verdict.fit : Fit::unknown;
  return fit == Fit::fits || fit == Fit::thin;
}

/// The least number from `fails` + 1 to `works` that may hold the run.
std::int64_t least_between(const EstimateRequest& request, int stage, std::int64_t fails,
                           std::int64_t works) {
  while (works - fails > 1) {
    const std::int64_t middle = fails + (works - fails) / 2;
    (may_fit(thriftiest(request, stage, middle)) ? works : fails) = middle;
  }
  return works;
}

std::optional<std::int64_t> available_devices(const ResolvedRun& run) {
  if (run.layout().world) return run.layout().world;
  const Host* host = run.host();
  if (host == nullptr || !host->gpu_count || !run.layout().hosts) return std::nullopt;
  return saturating_multiply(*host->gpu_count, *run.layout().hosts);
}

bool is_open(const EstimateRequest& request, const Estimate& known) {
  // Where a part of the job is not known, what is known of the rest may be wrong as well.
  const bool is_whole =
      !known.vram || known.vram->bounded_above || !request.run.facts().unmodelled_parts;
  return known.vram && known.usable_vram && is_whole && !known.vram->assumed &&
         !request.run.facts().sharding_stage && !request.run.may_offload() &&
         request.run.layout().world != 1 && request.run.layout().model_ranks() == 1 &&
         request.measurements.empty();
}

/// Does one GPU hold what is likely as the run stands? Alone it exchanges nothing, and unless its
/// batch is a share of a whole its step is the same.
bool fits_as_it_stands(const TrainingPlan& plan, const Estimate& known) {
  const Maybe<std::int64_t>& batch = plan.per_device_batch_size;
  const bool is_share =
      batch ? batch->from.origin == Origin::derived : plan.global_batch_size.has_value();
  return !is_share && known.vram->needed.central <= known.usable_vram->high;
}

}  // namespace

std::optional<LeastDevices> least_devices(const EstimateRequest& request, const Estimate& known) {
  if (!is_open(request, known)) return std::nullopt;
  if (fits_as_it_stands(request.run.facts(), known)) return std::nullopt;
  const std::vector<int> stages = split_stages(request.run);
  if (stages.empty() || may_fit(thriftiest(request, 0, 1))) return std::nullopt;
  const int most = stages.back();
  LeastDevices devices;
  for (std::int64_t ranks = 2; ranks <= kMostDevices; ranks *= 2) {
    if (devices.least == 0 && may_fit(thriftiest(request, most, ranks))) {
      devices.least = least_between(request, most, ranks / 2, ranks);
    }
    if (devices.least != 0 && !known.vram->bounded_above) break;  // something is not counted
    if (devices.least == 0 || !fits_centrally(split_over(request, most, ranks))) continue;
    devices.enough = ranks;
    break;
  }
  if (devices.least == 0) return std::nullopt;
  const Maybe<std::string>& offload = request.run.facts().offload;
  devices.certain = offload && offload->value == "none";
  devices.available = available_devices(request.run);
  return devices;
}

}  // namespace gpulint
