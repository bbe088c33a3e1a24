// Model states of one device: weights, gradients, optimizer values, and the copies communication
// needs. Unsharded, they follow the precision table alone. Under ZeRO/FSDP with 16-bit work the
// shard of a rank holds fp32 master weights and values; published formula and code differ, and the
// interval spans both: the ZeRO paper counts 4P+12P/N, 2P+14P/N and 16P/N bytes for stages 1 to 3,
// DeepSpeed's own estimators 2P+18P/N and 18P/N for stages 2 and 3 (an fp32 copy of the gradient
// shard more). Sources: Rajbhandari et al. 2020, section 3 and 5; DeepSpeed
// runtime/zero/stage_1_and_2.py, stage3.py, config.py (bucket sizes); PyTorch DDP notes (gradient
// buckets). Tensor and pipeline parallelism are taken as an even split of the parameters; uneven
// stages and replicated norms are not modelled.

#include "estimate/sharding.h"

#include "estimate/fact_access.h"
#include "estimate/optimizer_state.h"
#include "estimate/precision.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpulint {
namespace {

// Elements; DeepSpeed's defaults.
constexpr double kReduceBucket = 5e8;
constexpr double kMaxLiveParameters = 1e9;
constexpr double kPrefetchBucket = 5e7;
constexpr double kStepSubGroup = 1e9;
// DeepSpeed's estimators multiply host memory by this for pinned and staging buffers.
constexpr double kHostBufferFactor = 1.5;
constexpr double kMasterWeight = 4;  // bytes per parameter
constexpr double kMasterGradient = 4;

struct Split {
  double parameters = 0;  // of one model-parallel part
  double trainable = 0;
  std::int64_t shards = 1;  // ranks a state is divided over
  bool shards_known = true;
  std::int64_t replicas = 1;  // ranks that exchange gradients
};

Split split_of(const TrainingPlan& plan, const ModelFootprint& footprint, std::int64_t stage,
               UnknownFacts& unknown) {
  const std::int64_t model_parallel =
      saturating_multiply(at_least(plan.tensor_parallel_size, 1).value_or(1),
                          at_least(plan.pipeline_parallel_size, 1).value_or(1));
  const double parts = static_cast<double>(model_parallel);
  Split split{.parameters = static_cast<double>(footprint.parameters) / parts,
              .trainable = static_cast<double>(footprint.trainable_parameters) / parts};
  auto replicas = at_least(plan.data_parallel_size, 1);
  if (!replicas) {
    if (const auto ranks = ranks_of_run(plan)) {
      replicas = std::max<std::int64_t>(*ranks / model_parallel, 1);
    }
  }
  split.replicas = replicas.value_or(1);
  if (stage < 1) return split;
  split.shards_known = replicas.has_value();
  split.shards = split.replicas;
  if (!split.shards_known) unknown.push_back("world_size");
  return split;
}

// Bytes per parameter divided over the ranks; with the number of ranks unknown, anything down to
// nothing.
Range shard(Range per_parameter, const Split& split) {
  const double n = static_cast<double>(split.shards);
  return {split.shards_known ? per_parameter.low / n : 0, per_parameter.central / n,
          per_parameter.high / n};
}

Interval gathered_layers(const TrainingPlan& plan, const Split& split, double bytes) {
  const double live = std::min(split.parameters, kMaxLiveParameters);
  const Bytes high = Bytes::rounded((live + kPrefetchBucket) * bytes);
  const auto layers = at_least(plan.num_hidden_layers, 1);
  if (!layers) return {Bytes{}, Bytes::rounded(live * bytes), high};
  // One unit computes while the next is being gathered.
  const double unit = split.parameters / static_cast<double>(*layers) * bytes;
  return {Bytes::rounded(unit), Bytes::rounded(2 * unit), std::max(high, Bytes::rounded(2 * unit))};
}

void shard_states(const TrainingPlan& plan, const OptimizerMemory& optimizer, bool half,
                  std::int64_t stage, const Split& split, ModelStates& states) {
  const double bytes = half ? 2 : 4;
  const Range values = optimizer.state_values * exactly(4) + optimizer.state_bytes +
                       exactly(half ? kMasterWeight : 0);
  // Beside the 16-bit gradient shard (stage 2) or instead of it (stage 3) DeepSpeed keeps an fp32
  // one; the paper counts none.
  const double fp32_gradient = stage == 2 ? kMasterGradient : stage >= 3 ? kMasterGradient - 2 : 0;
  const Range master_gradient = half ? Range{0, fp32_gradient, kMasterGradient} : Range{};
  const Range whole = exactly(bytes);
  states.weights = times(split.parameters, stage >= 3 ? shard(whole, split) : whole);
  const Range own_gradient = stage >= 2 ? shard(whole, split) : whole;
  states.gradients = times(split.trainable, own_gradient + shard(master_gradient, split));
  states.optimizer_state = times(split.trainable, shard(values, split));
  states.autocast_copies = {};
  const double group = std::min(kStepSubGroup, split.trainable / static_cast<double>(split.shards));
  states.step_temporaries = times(group, Range{0, 4, 8});
  // Reduction bucket: other engines than DeepSpeed have none of this size; overlapping doubles it.
  states.communication_buffers = times(kReduceBucket * bytes, Range{0, 1, 2});
  if (stage >= 3) {
    states.communication_buffers =
        states.communication_buffers + gathered_layers(plan, split, bytes);
  }
}

void move_to_host(const TrainingPlan& plan, std::int64_t stage, bool half, const Split& split,
                  ModelStates& states) {
  const std::string_view optimizer = text_of(plan.offload_optimizer);
  const std::string_view parameters = text_of(plan.offload_parameters);
  const bool optimizer_away = !optimizer.empty() && optimizer != "none";
  const bool parameters_away = !parameters.empty() && parameters != "none" && stage >= 3;
  Interval moved;
  if (optimizer_away) {
    if (optimizer == "cpu") {
      moved = moved + states.optimizer_state +
              times(split.trainable, shard(exactly(half ? kMasterGradient : 0), split));
    }
    states.optimizer_state = {};
    states.step_temporaries = {};
    if (stage >= 2) states.gradients.low = Bytes{};
  }
  if (parameters_away) {
    if (parameters == "cpu") moved = moved + states.weights;
    states.weights = {};
  }
  states.host_memory = {moved.low, times(kHostBufferFactor, moved).central,
                        times(kHostBufferFactor, moved).high};
}

// Networks from here on are usually trained sharded, and with optimizers that update weights while
// gradients are made, which scripts and launchers decide; smaller ones are replicated.
constexpr std::int64_t kSmallestSharded = 500'000'000;  // parameters

// A config that only names a large model says little about who keeps its states: the low ends are
// what is left when a launcher shards them, or a method the config does not name shrinks them.
void allow_for_launcher(const TrainingPlan& plan, const ModelFootprint& footprint,
                        ModelStates& states, UnknownFacts& unknown) {
  if (footprint.basis != VramBasis::operators || footprint.parameters < kSmallestSharded) return;
  states.gradients.low = Bytes{};
  const bool stated = plan.optimizer && (plan.optimizer->from.origin == Origin::stated ||
                                         plan.optimizer->from.origin == Origin::project);
  if (!stated) states.optimizer_state.low = Bytes{};
  if (plan.sharding_stage || ranks_of_run(plan) == 1) return;
  unknown.push_back("sharding_stage");
  states.weights.low = Bytes{};
  states.autocast_copies.low = Bytes{};
  states.optimizer_state.low = Bytes{};
}

}  // namespace

ModelStates model_states(const TrainingPlan& plan, const ModelFootprint& footprint,
                         UnknownFacts& unknown) {
  ModelStates states;
  if (footprint.parameters <= 0) return states;
  const std::int64_t stage = at_least(plan.sharding_stage, 0).value_or(0);
  const Split split = split_of(plan, footprint, stage, unknown);
  NumberFormats formats = number_formats(plan, unknown);
  const OptimizerMemory optimizer = optimizer_memory(plan, unknown);
  const std::string_view adapter = text_of(plan.adapter);
  if (!adapter.empty() && adapter != "none") {
    // Adapters are kept in fp32 by default, whatever the base model is.
    formats.gradient = {formats.gradient.low, 4, 4};
    formats.state_value = {formats.state_value.low, 4, 4};
  }
  const Range values = optimizer.state_values * formats.state_value + optimizer.state_bytes;
  states.weights = times(split.parameters, formats.weight);
  states.gradients = times(split.trainable, formats.gradient);
  states.optimizer_state = times(split.trainable, values);
  states.autocast_copies =
      footprint.autocast_copies.value_or(times(split.trainable, formats.autocast_copy));
  states.step_temporaries = times(split.trainable, optimizer.step_values * formats.state_value);
  if (optimizer.paged) states.optimizer_state.low = Bytes{};
  if (stage >= 1) {
    shard_states(plan, optimizer, formats.half, stage, split, states);
    states.sharding = fmt::format(
        "states of ZeRO/FSDP stage {} over {} ranks span the paper's and DeepSpeed's "
        "formula and its default buckets",
        stage, split.shards);
  } else if (split.replicas > 1) {
    // DDP reduces gradients in buckets that are a second copy unless the gradients are views.
    states.communication_buffers = {Bytes{}, states.gradients.central, states.gradients.high};
  }
  const Range quantized = quantized_weight_bytes(plan, footprint.parameters, unknown);
  if (quantized.high > 0) {
    states.weights = times(split.parameters, stage >= 3 ? shard(quantized, split) : quantized);
  }
  move_to_host(plan, stage, formats.half, split, states);
  allow_for_launcher(plan, footprint, states, unknown);
  return states;
}

}  // namespace gpulint
