#include "memory/vram_sources.h"

#include "memory/device_memory.h"
#include "memory/operators.h"
#include "memory/vram.h"
#include "memory/vram_words.h"
#include "run/fact_access.h"

#include <algorithm>
#include <utility>

namespace gpulint {
namespace {

// The operators of a known model, else what the user stated.
std::optional<ModelFootprint> footprint_of(const EstimateRequest& request,
                                           std::optional<std::int64_t> batch,
                                           UnknownFacts& unknown) {
  // Stated activations are of the user's own network, whatever it is called.
  const bool stated = request.run.facts().activation_bytes_per_sample.has_value();
  if (request.run.model() != nullptr && !stated) {
    auto known = operator_footprint(request.run, batch, unknown);
    if (known) return known;
  }
  return stated_footprint(request.run, batch, unknown);
}

/// The same request about each network that the run may have instead of the likeliest one.
std::vector<EstimateRequest> about_others(const EstimateRequest& request) {
  std::vector<EstimateRequest> requests;
  for (ResolvedRun& run : request.run.others()) {
    requests.push_back(request);
    requests.back().run = std::move(run);
  }
  return requests;
}

void widen(Interval& interval, const Interval& other) {
  interval.low = std::min(interval.low, other.low);
  interval.high = std::max(interval.high, other.high);
}

void widen(VramEstimate& vram, const VramEstimate& other) {
  widen(vram.needed, other.needed);
  widen(vram.total, other.total);
  widen(vram.ample, other.ample);
  widen(vram.allocated, other.allocated);
  widen(vram.reserved, other.reserved);
  vram.bounded_above = vram.bounded_above && other.bounded_above;
  vram.lower_bound_only = vram.lower_bound_only || other.lower_bound_only;
}

/// What the operators or the stated figures of a run give, without its measured points.
std::optional<VramEstimate> computed(const EstimateRequest& request,
                                     std::optional<std::int64_t> batch, Detail detail) {
  UnknownFacts ignored;
  const auto footprint = footprint_of(request, batch, ignored);
  if (!footprint) return std::nullopt;
  const ModelStates states = model_states(request.run, *footprint, ignored);
  return built_up_vram(request.run, *footprint, states, detail);
}

/// Of a network nobody knows: what a process takes on the device before its first tensor.
VramEstimate process_alone(const ResolvedRun& run) {
  const OutsideAllocator outside = outside_allocator(run.facts(), run.gpu());
  const Bytes kept = positive(run.facts().vram_other).value_or(Bytes{});
  VramEstimate vram;
  vram.basis = VramBasis::process_only;
  vram.needed = vram.total = vram.ample = outside.total() + exactly(kept);
  vram.outside_allocator = outside.total().central;
  vram.lower_bound_only = true;
  vram.bounded_above = false;
  const auto add_term = [&vram](std::string name, Bytes bytes) {
    if (bytes.count() > 0) vram.terms.push_back({std::move(name), bytes, {}});
  };
  add_term("kept by the script", kept);
  add_term("CUDA context", outside.context.central);
  add_term("NCCL buffers", outside.communication.central);
  vram.explanation =
      "a lower bound: the network is unknown, so only what its process takes on the device before "
      "the first tensor is counted";
  return vram;
}

}  // namespace

VramSources vram_sources(const EstimateRequest& request, std::optional<std::int64_t> batch) {
  VramSources sources;
  UnknownFacts& unknown = sources.missing_for_model;
  sources.footprint = footprint_of(request, batch, unknown);
  if (sources.footprint) {
    sources.states = model_states(request.run, *sources.footprint, unknown);
  }
  if (!request.measurements.empty()) {
    sources.points = measured_points(request.run.facts(), request.run.gpu(), request.measurements,
                                     sources.missing_for_points);
  }
  return sources;
}

std::optional<VramEstimate> vram_from(const EstimateRequest& request, const VramSources& sources,
                                      std::optional<std::int64_t> batch) {
  const bool operators = sources.footprint && sources.footprint->activations_known &&
                         sources.footprint->basis == VramBasis::operators;
  const bool measured = sources.points.size() >= (operators ? 2 : 1);
  if (measured && batch) {
    return measured_vram(request.run.facts(), request.run.gpu(), sources.points, *batch);
  }
  if (!sources.footprint) {
    if (request.run.gpu() == nullptr) return std::nullopt;
    return process_alone(request.run);
  }
  VramEstimate vram = built_up_vram(request.run, *sources.footprint, *sources.states, Detail::full);
  const bool said = is_undecided(vram);
  for (const EstimateRequest& other : about_others(request)) {
    if (const auto instead = computed(other, batch, Detail::total_only)) widen(vram, *instead);
  }
  if (!said && is_undecided(vram)) {
    vram.lower_bound_only = true;
    vram.explanation += kUndecidedWords;
  }
  return vram;
}

std::optional<Bytes> vram_needed_at_most(const EstimateRequest& request, const VramSources& sources,
                                         std::int64_t batch) {
  if (sources.points.size() >= 2) return measured_total(sources.points, batch).high;
  if (!sources.footprint || !sources.footprint->activations_known) return std::nullopt;
  UnknownFacts ignored;
  const auto footprint = footprint_of(request, batch, ignored);
  if (!footprint) return std::nullopt;
  VramEstimate vram = built_up_vram(request.run, *footprint, *sources.states, Detail::total_only);
  for (const EstimateRequest& other : about_others(request)) {
    if (const auto instead = computed(other, batch, Detail::total_only)) widen(vram, *instead);
  }
  if (!vram.bounded_above || vram.assumed) return std::nullopt;
  return vram.needed.high;
}

}  // namespace gpulint
