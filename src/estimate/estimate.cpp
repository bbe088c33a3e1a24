#include "estimate/estimate.h"

#include "memory/device_memory.h"
#include "memory/host_ram.h"
#include "memory/vram_sources.h"
#include "run/fact_access.h"

#include <algorithm>

namespace gpulint {
namespace {

std::vector<std::string> sorted_names(UnknownFacts unknown) {
  std::sort(unknown.begin(), unknown.end());
  unknown.erase(std::unique(unknown.begin(), unknown.end()), unknown.end());
  return {unknown.begin(), unknown.end()};
}

std::optional<BytesRange> whole(const std::optional<Bytes>& available) {
  if (!available) return std::nullopt;
  return BytesRange{*available, *available};
}

}  // namespace

void judge_budgets(Estimate& estimate, double headroom) {
  if (estimate.vram) {
    const VramEstimate& vram = *estimate.vram;
    estimate.vram_verdict = verdict_on({vram.needed, vram.lower_bound_only, vram.bounded_above},
                                       estimate.usable_vram, headroom);
    if (estimate.vram->assumed) estimate.vram_verdict.certain = false;
  }
  if (!estimate.ram) return;
  estimate.ram_verdict =
      verdict_on({estimate.ram->needed}, whole(estimate.available_ram), headroom);
  estimate.shm_verdict =
      verdict_on({exactly(estimate.ram->shm)}, whole(estimate.available_shm), headroom);
}

Estimate estimate(const EstimateRequest& request) {
  Estimate result;
  const TrainingPlan& plan = request.run.facts();
  UnknownFacts unknown;
  const auto batch = at_least(plan.per_device_batch_size, 1);
  const VramSources sources = vram_sources(request, batch);
  result.vram = vram_from(request, sources, batch);
  unknown = sources.missing_for_points;
  const bool measured = result.vram && (result.vram->basis == VramBasis::measured_line ||
                                        result.vram->basis == VramBasis::measured_point);
  if (!measured) {
    unknown.insert(unknown.end(), sources.missing_for_model.begin(),
                   sources.missing_for_model.end());
  }
  result.unknown_for_vram = sorted_names(unknown);
  if (sources.states) result.offloaded = offloaded_to_host(request.run, *sources.states);
  result.ram = host_ram(request.run, sources.states ? &*sources.states : nullptr, unknown);
  result.usable_vram = usable_memory(plan, request.run.gpu());
  result.available_ram = available_ram(plan, request.run.host());
  result.available_shm = available_shm(plan, request.run.host());
  judge_budgets(result, request.headroom);
  static_cast<RunTime&>(result) = run_time(request, unknown);
  result.unknown = sorted_names(std::move(unknown));
  return result;
}

}  // namespace gpulint
