#include "memory/vram.h"

#include "memory/adapters.h"
#include "memory/device_memory.h"
#include "memory/phases.h"
#include "memory/precision.h"
#include "memory/reserved_share.h"
#include "memory/step_ways.h"
#include "memory/vram_words.h"
#include "memory/weights.h"
#include "run/fact_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

namespace gpulint {
namespace {

/// A moving average is kept of what is trained, in its format or in fp32.
Interval averaged_weights(const ResolvedRun& run, const ModelFootprint& footprint,
                          const ModelStates& states) {
  if (!run.adapter().present) return states.weights;
  const Bytes half = Bytes::of(saturating_multiply(footprint.trainable_parameters, 2));
  return {half, half * 2, half * 2};
}

// Autograd adds a new gradient to the one that is kept: both are there for a moment. Whether the
// largest one is made while most activations are alive depends on where its layer stands.
Bytes new_gradient(const ResolvedRun& run, const ModelFootprint& footprint,
                   const ModelStates& states) {
  const bool whole = !at_least(run.facts().sharding_stage, 1) && !run.adapter().present;
  if (!whole || footprint.trainable_parameters <= 0) return {};
  const double share = static_cast<double>(footprint.largest_parameter) /
                       static_cast<double>(footprint.trainable_parameters);
  return times(std::min(1.0, share), states.gradients).high;
}

StepMemory step_memory(const ResolvedRun& run, const ModelFootprint& footprint,
                       const ModelStates& states) {
  const TrainingPlan& plan = run.facts();
  StepMemory step;
  step.full[Component::weights] = states.weights;
  step.full[Component::weights].high += states.weights.high * most_networks_beside(run);
  step.full[Component::kept_by_script] = exactly(positive(plan.vram_other).value_or(Bytes{}));
  step.full[Component::optimizer_state] = states.optimizer_state;
  if (is_true(plan.ema)) {
    step.full[Component::ema_weights] = averaged_weights(run, footprint, states);
    if (run.own_network() != OwnNetwork::none) step.full[Component::ema_weights].low = Bytes{};
  }
  step.full[Component::gradients] = states.gradients;
  step.full[Component::communication_buffers] = states.communication_buffers;
  step.full[Component::gathered_weights] = states.gathered_weights;
  step.full[Component::autocast_copies] = states.autocast_copies;
  step.full[Component::activations] = footprint.saved_activations;
  step.full[Component::input_batch] = footprint.input_batch;
  step.full[Component::loss_transients] = footprint.loss_transients;
  step.full[Component::step_temporaries] = states.step_temporaries;
  step.full[Component::workspaces] = cublas_workspaces(run.gpu());
  step.full[Component::model_buffers] = exactly(footprint.buffers);
  step.full[Component::convolution_workspace] = footprint.convolution_workspace;
  if (footprint.reserved_slack) {
    step.full[Component::block_rounding] = exactly(footprint.reserved_slack->rounding);
  }
  step.played = footprint.backward;
  if (step.played) {
    // Sharded weights are 16-bit already: autocast copies none of them in the backward pass either.
    Interval& copies = step.played->autocast_copies;
    copies = {std::min(copies.low, states.autocast_copies.low),
              std::min(copies.central, states.autocast_copies.central),
              std::min(copies.high, states.autocast_copies.high)};
    // What is left of the gradients is there whenever one is made.
    if (is_true(plan.optimizer_in_backward)) step.played->gradient_share = 1;
  }
  step.evaluation_activations = footprint.evaluation_activations;

  // Gradients are freed between steps (set_to_none, the default since torch 2.0) unless
  // micro-batches accumulate into them.
  const auto accumulation = at_least(plan.gradient_accumulation_steps, 1);
  // The batch that decides has no micro-batch before it where the longest one comes first.
  const bool sums_up = accumulation.value_or(1) > 1 && !is_true(plan.group_by_length);
  const bool kept = sums_up || is_false(plan.zero_grad_set_to_none);
  const bool freed = accumulation == 1 && is_true(plan.zero_grad_set_to_none);
  if (kept && step.played) {
    Interval& activations = step.played->activations;
    activations.high = activations.high + new_gradient(run, footprint, states);
  }
  step.kept_gradients =
      kept ? states.gradients : Interval{Bytes{}, Bytes{}, freed ? Bytes{} : states.gradients.high};
  return step;
}

std::string arithmetic_of(Component component, const TrainingPlan& plan,
                          const ModelFootprint& footprint, const ModelStates& states, Bytes bytes) {
  const auto batch = at_least(plan.per_device_batch_size, 1);
  const double parameters = static_cast<double>(footprint.parameters);
  switch (component) {
    case Component::activations:
      if (footprint.basis == VramBasis::activations_stated && batch) {
        return fmt::format("{} samples x {}", *batch,
                           format_binary(plan.activation_bytes_per_sample->value));
      }
      if (!footprint.description.empty()) {
        return fmt::format("saved for backward: {}",
                           format_binary(footprint.saved_activations.central));
      }
      return {};
    case Component::gradients:
      if (bytes < states.gradients.central) {
        return fmt::format("of {}, the rest while activations are released",
                           format_binary(states.gradients.central));
      }
      [[fallthrough]];
    case Component::weights:
    case Component::optimizer_state:
    case Component::autocast_copies:
    case Component::step_temporaries:
    case Component::ema_weights:
      if (parameters <= 0) return {};
      return fmt::format("{} parameters x {:.4g} B", footprint.parameters,
                         bytes.as_double() / parameters);
    case Component::kept_by_script:
      return "vram_other";
    case Component::workspaces:
      return "one for the forward thread, one for autograd's";
    case Component::block_rounding:
      return "allocated in blocks, whose last MiB is not split off";
    case Component::communication_buffers:
    case Component::gathered_weights:
    case Component::input_batch:
    case Component::loss_transients:
    case Component::model_buffers:
    case Component::convolution_workspace:
      return {};
  }
  return {};
}

void add_term(std::vector<Term>& terms, std::string_view name, Bytes bytes,
              std::string arithmetic) {
  if (bytes.count() == 0) return;
  terms.push_back({std::string(name), bytes, std::move(arithmetic)});
}

std::vector<Term> terms_of(const Components& alive, const TrainingPlan& plan,
                           const ModelFootprint& footprint, const ModelStates& states) {
  std::vector<Term> terms;
  terms.reserve(kComponentCount + 3);
  for (std::size_t i = 0; i < kComponentCount; ++i) {
    const auto component = static_cast<Component>(i);
    const Bytes bytes = alive[component].central;
    if (bytes.count() == 0) continue;
    add_term(terms, name_of(component), bytes,
             arithmetic_of(component, plan, footprint, states, bytes));
  }
  return terms;
}

// Where unknown facts decide most of the memory, the centre is one guess of several. Chosen: a low
// end of a third of the centre is what sharding over three ranks that nobody states would leave.
constexpr double kDecided = 0.35;  // low end over centre
// Chosen, not measured: several facts that all would have to be answered in one direction are half
// as likely to be.
constexpr double kDecidedTogether = 0.175;

// fp32 or half of it, few logits or all: where the budget lies between the ends, the centre would
// decide by a guess.
bool hangs_on_guess(const TrainingPlan& plan, const Interval& needed,
                     const std::optional<BytesRange>& usable) {
  const bool is_open =
      text_of(plan.cross_entropy) == "label_tokens" ||
      (text_of(plan.mixed_precision).empty() && !is_half(text_of(plan.weights_dtype)));
  return is_open && usable && needed.low <= usable->high && needed.high > usable->low;
}

/// The phases of one step inside the allocator.
struct Timeline {
  std::array<Components, kPhaseCount> alive;
  std::array<Interval, kPhaseCount> allocated;
  Interval peak;
  std::size_t winner = 0;  // phase with the largest centre
};

Timeline play(const StepMemory& step) {
  Timeline timeline;
  for (std::size_t i = 0; i < kPhaseCount; ++i) {
    timeline.alive[i] = alive_in(step, static_cast<Phase>(i));
    timeline.allocated[i] = timeline.alive[i].total();
    timeline.peak = peak_of(timeline.peak, timeline.allocated[i]);
    if (timeline.allocated[i].central > timeline.allocated[timeline.winner].central) {
      timeline.winner = i;
    }
  }
  return timeline;
}

Interval least_of(const Interval& a, const Interval& b) {
  return {std::min(a.low, b.low), std::min(a.central, b.central), std::min(a.high, b.high)};
}

// Short of memory cuDNN is given no workspace: a request that fails makes it take its next kernel,
// and the last of them, an implicit matrix product, borrows nothing.
Timeline play_short_of_memory(StepMemory step, const ModelFootprint& footprint) {
  const auto without = [](Interval& bytes, Bytes workspace) {
    bytes.central = std::max(Bytes{}, bytes.central - workspace);
    bytes.low = std::min(bytes.low, bytes.central);
  };
  step.full[Component::convolution_workspace] = {};
  without(step.full[Component::loss_transients], footprint.forward_workspace);
  if (step.played) without(step.played->activations, footprint.backward_workspace);
  return play(step);
}

// What of `ample` the device lets the process keep: it gives cached blocks back before it asks for
// more than there is, and asks for more only where it needs more.
Interval shown_on(const std::optional<BytesRange>& usable, const Interval& ample,
                  const Interval& needed) {
  if (!usable) return ample;
  return {std::min(ample.low, std::max(usable->low, needed.low)),
          std::min(ample.central, std::max(usable->low, needed.central)),
          std::min(ample.high, std::max(usable->high, needed.high))};
}

// The peak's figure beside the tensors: what is cached, or what kernels did without.
void add_slack(std::vector<Term>& terms, Bytes reserved, Bytes allocated) {
  const Bytes slack = reserved - allocated;
  if (slack.count() < 0) {
    add_term(terms, "workspaces done without", slack, "short of memory, kernels borrow less");
    return;
  }
  add_term(terms, "allocator slack", slack,
           fmt::format("reserved is {:.2f} x allocated",
                       reserved.as_double() / std::max(1.0, allocated.as_double())));
}

/// What the allocator reserves: as the run wants it, and as the device lets it.
struct Reserved {
  Interval wanted;
  Interval kept;
};

// Short of memory the allocator gives cached blocks back: what is reserved stays within the device
// as long as what is needed does. What the run wants is no smaller for that; `at_peak` is the
// central figure where every batch has the same shapes.
Reserved reserved_on(const std::optional<BytesRange>& usable, const OutsideAllocator& outside,
                     Interval wanted, const Interval& needed, Bytes at_peak) {
  if (!usable) return {wanted, wanted};
  Interval kept = wanted;
  const Bytes room = usable->low - outside.total().central;
  kept.low = std::min(kept.low, std::max(room, needed.low));
  kept.central = std::min(kept.central, std::max({room, needed.central, kept.low}));
  // Nor does anybody reserve more than there is, whatever the lengths of the batches.
  const Bytes most = usable->high - outside.total().low;
  kept.high = std::min(kept.high, std::max({most, needed.high, kept.central}));
  wanted.central = std::min(wanted.central, std::max({room, needed.central, wanted.low, at_peak}));
  return {wanted, kept};
}

/// A step played with memory to spare and without, and what is reserved for each byte of it.
struct PlayedStep {
  Timeline ample;
  Range ample_factor = {};
  Timeline pressed;
  Range pressed_factor = {};
};

PlayedStep play_both_ways(const TrainingPlan& plan, const ModelFootprint& footprint,
                          const StepMemory& step) {
  PlayedStep played{.ample = play(step), .pressed = play_short_of_memory(step, footprint)};
  played.ample_factor = reserved_per_allocated(plan, footprint, played.ample.peak.central);
  played.pressed_factor = needed_per_allocated(plan, footprint, played.pressed.peak.central);
  return played;
}

void add_phases(const PlayedStep& step, Bytes outside, VramEstimate& vram) {
  vram.phase = name_of(static_cast<Phase>(step.ample.winner));
  vram.phases.reserve(kPhaseCount);
  for (std::size_t i = 0; i < kPhaseCount; ++i) {
    const Bytes total = times(step.ample_factor, step.ample.allocated[i]).central + outside;
    const Bytes needed = times(step.pressed_factor, step.pressed.allocated[i]).central + outside;
    vram.phases.push_back({std::string(name_of(static_cast<Phase>(i))),
                           std::min(total, vram.total.central),
                           std::min(needed, vram.needed.central)});
  }
}

}  // namespace

bool is_undecided(const VramEstimate& vram) {
  const double decided = vram.answers_together ? kDecidedTogether : kDecided;
  return vram.basis == VramBasis::operators &&
         vram.ample.low.as_double() < decided * vram.ample.central.as_double();
}

VramEstimate built_up_vram(const ResolvedRun& run, const ModelFootprint& footprint,
                           const ModelStates& states, Detail detail) {
  const TrainingPlan& plan = run.facts();
  const Gpu* gpu = run.gpu();
  const PlayedStep step = play_both_ways(plan, footprint, step_memory(run, footprint, states));
  const Timeline& ample = step.ample;
  const OutsideAllocator outside = outside_allocator(plan, gpu);
  const std::optional<BytesRange> usable = usable_memory(plan, gpu);
  const Interval needed = times(step.pressed_factor, step.pressed.peak);
  Interval wanted;
  for (const Components& alive : ample.alive) {
    wanted = peak_of(wanted, reserved_in(plan, footprint, alive, step.ample_factor));
  }
  const Reserved reserved =
      reserved_on(usable, outside, wanted, needed, times(step.ample_factor, ample.peak).central);
  VramEstimate vram;
  vram.basis = footprint.basis;
  vram.answers_together = footprint.answers_together;
  vram.allocated = ample.peak;
  vram.reserved = reserved.kept;
  vram.allocated_peak = ample.peak.central;
  vram.reserved_peak = reserved.kept.central;
  vram.outside_allocator = outside.total().central;
  vram.ample = reserved.wanted + outside.total();
  vram.needed = least_of(needed + outside.total(), vram.ample);
  vram.total = shown_on(usable, vram.ample, vram.needed);
  const std::vector<std::string> missing = missing_parts(run);
  vram.bounded_above = footprint.activations_known && missing.empty();
  vram.assumed = footprint.basis == VramBasis::operators
                     ? run.model() != nullptr && run.model()->assumed
                     : is_sized_by_name(plan);
  vram.lower_bound_only =
      !vram.bounded_above || is_undecided(vram) ||
      (footprint.basis == VramBasis::operators && hangs_on_guess(plan, vram.needed, usable));
  if (detail == Detail::total_only) return vram;

  add_phases(step, outside.total().central, vram);
  vram.terms = terms_of(ample.alive[ample.winner], plan, footprint, states);
  add_slack(vram.terms, vram.total.central - outside.total().central, ample.peak.central);
  add_term(vram.terms, "CUDA context", outside.context.central, {});
  add_term(vram.terms, "NCCL buffers", outside.communication.central, {});
  vram.explanation = explanation_of(run, footprint, states, missing, is_undecided(vram));
  return vram;
}

}  // namespace gpulint
