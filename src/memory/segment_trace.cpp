#include "memory/segment_trace.h"

#include "memory/device_memory.h"
#include "memory/operators.h"
#include "memory/phases.h"
#include "memory/pipeline.h"
#include "memory/reserved.h"
#include "memory/step_ways.h"
#include "model/fusion.h"
#include "model/interpreter.h"
#include "run/fact_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace gpulint {
namespace {

/// Segments of a trace that knows sums only: about what a step's larger tensors take.
constexpr Bytes kSegment = Bytes::mib(128);
constexpr Bytes kGranule = Bytes::mib(2);  // the driver hands memory out by

/// A played step and the estimate count the same tensors; what differs is rounding and workspaces,
/// less than a hundredth for the models of the tests.
constexpr double kSame = 0.05;

/// Components that are there beside a played step, for its whole length.
constexpr std::array<Component, 4> kBeside{Component::ema_weights, Component::communication_buffers,
                                           Component::gathered_weights,
                                           Component::convolution_workspace};

Bytes term_of(const VramEstimate& vram, Component component) {
  for (const Term& term : vram.terms) {
    if (term.name == name_of(component)) return term.bytes;
  }
  return {};
}

std::vector<Bytes> beside_the_step(const VramEstimate& vram, const Gpu* gpu) {
  std::vector<Bytes> held;
  const auto add = [&](Bytes bytes) {
    if (bytes > Bytes{}) held.push_back(bytes);
  };
  const Bytes workspace = Bytes::of(cublas_workspaces(gpu).central.count() / 2);
  add(workspace);  // of the forward thread
  add(workspace);  // of autograd's
  for (const Component component : kBeside) add(term_of(vram, component));
  return held;
}

/// nullopt where the plan names no known model, or its step cannot be run.
std::optional<SegmentTrace> played_trace(const EstimateRequest& request, const VramEstimate& vram,
                                         const TraceOptions& options) {
  const TrainingPlan& plan = request.run.facts();
  const auto batch = at_least(plan.per_device_batch_size, 1);
  const model::ModelLibrary::Found* found = request.run.model();
  if (found == nullptr || !batch) return std::nullopt;
  UnknownFacts ignored;
  std::optional<ModelDimensions> dimensions = program_dimensions(plan, *found, ignored);
  if (!dimensions) return std::nullopt;
  (*dimensions)["batch"] = *batch;
  set_stage_layers(plan, *found, *dimensions);
  const StepWay way = std::move(step_ways(request.run, *found, ignored).front());
  for (const auto& [name, value] : way.dimensions) dimensions->insert_or_assign(name, value);
  auto tape = model::run_program(*found->program, *dimensions, way.tape, way.execution);
  if (!tape) return std::nullopt;
  if (way.merged_kernels) model::keep_less(*tape);
  ReplayOptions replay = replay_options(request.run);
  replay.allocator.expandable_segments = options.expandable;
  replay.allocator.limit = options.room;
  SegmentTrace trace =
      trace_steps(*tape, model::play(*tape), replay, beside_the_step(vram, request.run.gpu()));
  trace.basis = fmt::format("the operators of {}", found->entry.id);
  return trace;
}

TracePhase phase_of(std::string_view term) {
  constexpr std::array<Component, 5> kForward{
      Component::activations, Component::input_batch, Component::autocast_copies,
      Component::loss_transients, Component::convolution_workspace};
  for (const Component component : kForward) {
    if (term == name_of(component)) return TracePhase::forward;
  }
  if (term == name_of(Component::gradients)) return TracePhase::backward;
  if (term == name_of(Component::step_temporaries)) return TracePhase::optimizer_step;
  return TracePhase::setup;
}

/// Bytes of each phase, together `vram.reserved_peak`: what the terms leave of it is slack, which
/// grows with the last of them.
std::array<Bytes, kTracePhaseCount> bytes_of_phases(const VramEstimate& vram) {
  std::array<Bytes, kTracePhaseCount> phases{};
  Bytes left = vram.reserved_peak;
  for (std::size_t i = 0; i < kComponentCount; ++i) {
    const auto component = static_cast<Component>(i);
    const Bytes bytes = std::min(left, term_of(vram, component));
    phases[static_cast<std::size_t>(phase_of(name_of(component)))] += bytes;
    left = left - bytes;
  }
  const bool stepping = phases.back() > Bytes{};
  phases[static_cast<std::size_t>(stepping ? TracePhase::optimizer_step : TracePhase::backward)] +=
      left;
  return phases;
}

SegmentTrace summed_trace(const VramEstimate& vram, const TraceOptions& options) {
  SegmentTrace trace;
  trace.expandable = options.expandable;
  trace.basis = "the terms of the estimate";
  trace.peak_allocated = std::min(vram.allocated_peak, vram.reserved_peak);
  const Bytes page = options.expandable ? kExpandablePage[0] : kGranule;
  const auto phases = bytes_of_phases(vram);
  std::uint32_t segment = 0;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    for (Bytes left = rounded_up(phases[i], page); left > Bytes{};) {
      const Bytes bytes = options.expandable ? left : std::min(left, kSegment);
      trace.events.push_back(
          {options.expandable ? 0 : segment++, bytes, static_cast<TracePhase>(i)});
      trace.peak_reserved += bytes;
      left = left - bytes;
    }
  }
  return trace;
}

}  // namespace

bool wants_expandable_segments(const TrainingPlan& plan) {
  return is_true(plan.expandable_segments);
}

SegmentTrace segment_trace(const EstimateRequest& request, const VramEstimate& vram,
                           const TraceOptions& options) {
  // Sharding, offloading and pipelines change what one rank holds; the estimate knows how, the
  // played step does not. Where the two differ, the estimate's sums count.
  if (auto played = played_trace(request, vram, options)) {
    const double estimated = vram.allocated_peak.as_double();
    const double apart = std::abs(played->peak_allocated.as_double() - estimated);
    if (apart <= kSame * estimated) return std::move(*played);
  }
  return summed_trace(vram, options);
}

}  // namespace gpulint
