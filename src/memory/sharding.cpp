// Model states of one device: weights, gradients, optimizer values, and the copies communication
// needs. Unsharded, they follow the precision table alone; sharded, the engine decides
// (engines.cpp), and where it is not known the interval spans both common ones. Tensor parallelism
// splits the parameters evenly; of a pipeline the stage with the larger of embeddings and head is
// counted.

#include "memory/sharding.h"

#include "memory/adapters.h"
#include "memory/engines.h"
#include "run/fact_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace gpulint {
namespace {

// DeepSpeed's estimators multiply host memory by this for pinned and staging buffers.
constexpr double kHostBufferFactor = 1.5;

Interval hull(const Interval& central, const Interval& other) {
  return {std::min(central.low, other.low), central.central, std::max(central.high, other.high)};
}

ModelStates hull(ModelStates central, const ModelStates& other) {
  central.weights = hull(central.weights, other.weights);
  central.gradients = hull(central.gradients, other.gradients);
  central.optimizer_state = hull(central.optimizer_state, other.optimizer_state);
  central.step_temporaries = hull(central.step_temporaries, other.step_temporaries);
  central.communication_buffers = hull(central.communication_buffers, other.communication_buffers);
  central.gathered_weights = hull(central.gathered_weights, other.gathered_weights);
  return central;
}

StateLayout layout_of_states(const ResolvedRun& run) {
  const EngineTraits* engine = run.engine();
  return engine != nullptr ? engine->states : StateLayout::replicated;
}

ModelStates sharded_in_one_format(const ShardedRun& run, UnknownFacts& unknown) {
  switch (layout_of_states(run.resolved)) {
    case StateLayout::fp32_masters:
      return deepspeed_states(run);
    case StateLayout::gathered_units:
      return fsdp_states(run);
    case StateLayout::main_gradients:
      return megatron_states(run);
    case StateLayout::replicated:
      break;
  }
  unknown.push_back("sharding_engine");
  // 16-bit weights without a word of mixed precision have no fp32 masters.
  const std::string_view mixed = text_of(run.plan.mixed_precision);
  if (run.formats.half && (mixed.empty() || mixed == "none")) {
    return hull(fsdp_states(run), deepspeed_states(run));
  }
  return hull(deepspeed_states(run), fsdp_states(run));
}

// Nobody says in which format: states in 16 bits are as possible, and less.
ModelStates sharded_states(const ShardedRun& run, UnknownFacts& unknown) {
  ModelStates states = sharded_in_one_format(run, unknown);
  const bool open = text_of(run.plan.mixed_precision).empty() && !run.plan.weights_dtype;
  if (!open || run.formats.half) return states;
  ShardedRun half = run;
  half.formats.half = true;
  return hull(std::move(states), sharded_in_one_format(half, unknown));
}

/// `replicas`: nullopt where nobody says how many.
ModelStates replicated_states(const ShardedRun& run, std::optional<std::int64_t> replicas) {
  ModelStates states;
  const Range adapter = adapter_weight_bytes(run.plan);
  const double adapters = run.rank.adapters;
  const double whole = run.rank.trainable - adapters;
  const Range values = run.optimizer.state_values;
  const Range step = run.optimizer.step_values;
  states.weights = run.weights;
  states.gradients = times(whole, run.formats.gradient) + times(adapters, adapter);
  states.optimizer_state = times(whole, values * run.formats.state_value) +
                           times(whole, run.formats.master) + times(adapters, values * adapter) +
                           times(run.rank.trainable, run.optimizer.state_bytes);
  states.step_temporaries =
      times(whole, step * run.formats.state_value) + times(adapters, step * adapter);
  if (is_true(run.plan.gradient_as_bucket_view)) return states;
  // DDP reduces gradients in buckets that are a second copy unless the gradients are views.
  if (!replicas) {
    states.communication_buffers.high = states.gradients.high;
  } else if (*replicas > 1) {
    const Bytes low = is_false(run.plan.gradient_as_bucket_view) ? states.gradients.low : Bytes{};
    states.communication_buffers = {low, states.gradients.central, states.gradients.high};
  }
  return states;
}

bool is_away(const Maybe<std::string>& device) { return device && device->value != "none"; }

void move_to_host(const ShardedRun& run, ModelStates& states) {
  const TrainingPlan& plan = run.plan;
  const std::int64_t stage = run.stage;
  const bool parameters_away = is_away(plan.offload_parameters) && stage >= 3;
  Interval moved;
  if (is_away(plan.offload_optimizer)) {
    if (text_of(plan.offload_optimizer) == "cpu") {
      moved = moved + states.optimizer_state;
      // With fp32 gradients, where the engine keeps masters of 16-bit weights.
      const double shards = static_cast<double>(stage >= 1 ? run.shards : 1);
      if (run.formats.half) moved = moved + times(run.rank.trainable / shards, exactly(4));
    }
    states.optimizer_state = {};
    states.step_temporaries = {};
    // Sharded gradients follow the optimizer as soon as they are reduced.
    if (stage >= 2) states.gradients = {Bytes{}, Bytes{}, states.gradients.high};
  }
  if (parameters_away) {
    if (text_of(plan.offload_parameters) == "cpu") moved = moved + states.weights;
    states.weights = {};
    states.gradients = {};
  }
  states.host_memory =
      states.host_memory + Interval{moved.low, times(kHostBufferFactor, moved).central,
                                    times(kHostBufferFactor, moved).high};
}

// bitsandbytes keeps paged states in managed memory, outside of the framework's allocator; pages
// move to the host whenever the device needs room, so they never make a run fail.
void page_out(ModelStates& states) {
  states.host_memory = {Bytes{}, states.optimizer_state.central, states.optimizer_state.high};
  states.optimizer_state = {};
}

// Networks from here on are usually trained sharded, and with optimizers that update weights while
// gradients are made, which scripts and launchers decide; smaller ones are replicated.
constexpr std::int64_t kSmallestSharded = 500'000'000;  // parameters

// A config that only names a large model says little about who keeps its states: the low ends are
// what is left when a launcher shards them, or a method the config does not name shrinks them.
void allow_for_launcher(const TrainingPlan& plan, const ModelFootprint& footprint,
                        ModelStates& states, UnknownFacts& unknown) {
  // A name that says "8b" is as much of a model as one whose operators are known.
  if (footprint.basis != VramBasis::operators && !is_sized_by_name(plan)) return;
  if (footprint.parameters < kSmallestSharded) return;
  // Nor does it say which of the parameters are experts, that other ranks keep.
  if (footprint.basis != VramBasis::operators) states.gathered_weights.low = Bytes{};
  // A framework's documented optimizer is the one that runs; an assumed one may be another.
  const bool known = plan.optimizer && plan.optimizer->from.origin != Origin::assumed;
  if (!known) states.optimizer_state.low = Bytes{};
  if (plan.sharding_stage || layout_of(plan).world == 1) return;
  unknown.push_back("sharding_stage");
  states.weights.low = Bytes{};
  states.autocast_copies.low = Bytes{};
  states.gradients.low = Bytes{};
  states.optimizer_state.low = Bytes{};
}

// A network of the project's own may freeze what it is built on, quantized weights are frozen, and
// what is on the host is not here.
void may_train_less(const ResolvedRun& run, ModelStates& states) {
  const bool may_be_frozen = run.may_be_quantized() && !run.adapter().present;
  if (run.may_offload()) states.weights.low = Bytes{};
  if (run.own_network() == OwnNetwork::none && !may_be_frozen && !run.may_offload()) return;
  for (Interval* state : {&states.autocast_copies, &states.gradients, &states.optimizer_state,
                          &states.step_temporaries, &states.gathered_weights,
                          &states.communication_buffers, &states.host_memory}) {
    state->low = Bytes{};
  }
}

// A reward model may have one score in the place of the head.
void leave_out_head(const ResolvedRun& run, const ParameterCensus& census, ModelStates& states) {
  if (text_of(run.facts().objective) != "reward" || census.total() <= 0) return;
  const double rest = 1 - static_cast<double>(census.head) / static_cast<double>(census.total());
  for (Interval* state : {&states.weights, &states.gradients, &states.optimizer_state}) {
    state->low = Bytes::rounded(rest * state->low.as_double());
  }
}

// An optimizer that is named and described nowhere may take each gradient as soon as it is made
// (GaLore by layer, LOMO), and let go of it.
bool may_update_in_backward(const ResolvedRun& run) {
  const OptimizerTraits* traits = run.optimizer().traits;
  const bool described = traits != nullptr && traits->state_values;
  return run.facts().optimizer && !described && !run.facts().optimizer_in_backward;
}

// Only the gradient at work exists: a block's at most, or the head's. A head that is used once per
// chunk of a loss has the sum so far and what the next chunk adds.
void update_in_backward(const ResolvedRun& run, const ParameterCensus& census,
                        const RankWeights& rank, ModelStates& states) {
  const auto share_of = [&](double elements) {
    const double share = rank.trainable > 0 ? std::min(1.0, elements / rank.trainable) : 0;
    return Range{0, share, share};
  };
  const double ranks =
      static_cast<double>(at_least(run.facts().tensor_parallel_size, 1).value_or(1));
  const bool trained = !run.adapter().present || run.adapter().trains_embeddings;
  const std::int64_t head = census.head > 0 ? census.head : census.embeddings;
  const double largest = trained ? static_cast<double>(head) / ranks : 0;
  const double sums = text_of(run.facts().cross_entropy) == "chunked" ? 2 : 1;
  states.gradients = times(share_of(std::max(rank.block, sums * largest)), states.gradients);
  states.step_temporaries = times(share_of(std::max(rank.block, largest)), states.step_temporaries);
}

}  // namespace

ModelStates model_states(const ResolvedRun& resolved, const ModelFootprint& footprint,
                         UnknownFacts& unknown) {
  if (footprint.parameters <= 0) return {};
  const TrainingPlan& plan = resolved.facts();
  const Layout& layout = resolved.layout();
  const std::int64_t stage = at_least(plan.sharding_stage, 0).value_or(0);
  const RankWeights rank = rank_weights(resolved, footprint);
  const NumberFormats formats = number_formats(plan, unknown);
  for (const std::string_view fact : resolved.optimizer().unknown) unknown.push_back(fact);
  ShardedRun run{.resolved = resolved,
                 .plan = plan,
                 .rank = rank,
                 .formats = formats,
                 .optimizer = resolved.optimizer(),
                 .weights = weight_bytes(resolved, footprint, formats, rank, unknown),
                 .stage = stage,
                 // Ranks that share a sequence see the same weights and split their states too.
                 .shards = layout.replicas ? layout.same_weights() : 1,
                 .shards_known = layout.replicas.has_value()};
  if (const auto group = at_least(plan.sharding_group_size, 1)) {
    run.shards = std::min(*group, layout.replicas ? run.shards : *group);
    run.shards_known = true;
  }
  ModelStates states;
  if (stage >= 1) {
    if (!run.shards_known) unknown.push_back("world_size");
    states = sharded_states(run, unknown);
    states.sharding = fmt::format("states are split by stage {} over {} ranks", stage, run.shards);
  } else if (layout_of_states(resolved) == StateLayout::main_gradients) {
    states = megatron_states(run);
  } else {
    states = replicated_states(run, layout.replicas);
    if (!layout.world && !plan.world_size) unknown.push_back("world_size");
    states.autocast_copies =
        footprint.autocast_copies.value_or(times(rank.trainable, formats.autocast_copy));
  }
  if (is_true(plan.optimizer_in_backward)) {
    update_in_backward(resolved, footprint.census, rank, states);
  }
  leave_out_head(resolved, footprint.census, states);
  if (may_update_in_backward(resolved)) states.gradients.low = Bytes{};
  if (run.optimizer.paged) page_out(states);
  move_to_host(run, states);
  allow_for_launcher(plan, footprint, states, unknown);
  may_train_less(resolved, states);
  return states;
}

}  // namespace gpulint
