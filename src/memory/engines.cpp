// DeepSpeed: 16-bit weights and gradients, fp32 masters and optimizer values on the shard of a rank
// whatever the model was loaded in. The ZeRO paper counts 4P+12P/N, 2P+14P/N and 16P/N bytes for
// stages 1 to 3, DeepSpeed's estimators an fp32 copy of the gradient shard more. A reduction bucket
// is allocated whole, stage 3 gathers layers as they are needed.
// FSDP: the shard keeps the format the weights have (fp32 under a mixed-precision policy),
// gradients and optimizer values too. One unit is a block; while it computes the next is gathered,
// and in the backward pass its whole gradient exists until it is reduced. What belongs to no block
// (embeddings, head) stays gathered from forward to the end of backward. Sources: Rajbhandari et
// al. 2020; DeepSpeed runtime/zero/stage_1_and_2.py, stage3.py, config.py; torch/distributed/fsdp
// _runtime_utils.py, _fsdp_param_group.py; Megatron-LM theoretical_memory.py.

#include "memory/engines.h"

#include "memory/adapters.h"
#include "run/fact_access.h"

#include <algorithm>

namespace gpulint {
namespace {

// Elements; DeepSpeed's defaults.
constexpr double kReduceBucket = 5e8;
constexpr double kMaxLiveParameters = 1e9;
constexpr double kPrefetchBucket = 5e7;
constexpr double kStepSubGroup = 1e9;
constexpr double kSingle = 4;  // bytes
constexpr double kHalf = 2;

// Divided over the ranks; with their number unknown, anything down to nothing.
Range shard(Range per_parameter, const ShardedRun& run) {
  const double n = static_cast<double>(run.shards);
  return {run.shards_known ? per_parameter.low / n : 0, per_parameter.central / n,
          per_parameter.high / n};
}
Interval shard(const Interval& whole, const ShardedRun& run) {
  return times(shard(exactly(1), run), whole);
}

Interval deepspeed_gathered(const ShardedRun& run, double bytes) {
  const double live = std::min(run.rank.parameters, kMaxLiveParameters);
  const Bytes high = Bytes::rounded((live + kPrefetchBucket) * bytes);
  if (run.rank.block <= 0) return {Bytes{}, Bytes::rounded(live * bytes), high};
  // One layer computes while the next is being gathered.
  const Bytes one = Bytes::rounded(run.rank.block * bytes);
  return {one, one * 2, std::max(high, one * 2)};
}

Interval reduction_buckets(const ShardedRun& run, double bytes) {
  const auto stated = at_least(run.plan.reduce_bucket_size, 1);
  // Overlapped communication takes two. Trainers that fill in "auto" choose far smaller ones.
  if (stated) return times(static_cast<double>(*stated) * bytes, Range{1, 1, 2});
  return times(kReduceBucket * bytes, Range{0, 1, 2});
}

// Bytes of a master weight: what the shard is kept in.
Range fsdp_master(const ShardedRun& run) {
  const std::string_view mixed = text_of(run.plan.mixed_precision);
  const bool policy = !mixed.empty() && mixed != "none";
  const std::string_view weights = text_of(run.plan.weights_dtype);
  const bool half_weights = weights == "bf16" || weights == "fp16";
  if (!run.formats.half) return exactly(kSingle);
  if (half_weights) return {2, 2, policy ? kSingle : 2};  // launchers may widen what is trained
  return policy ? exactly(kSingle) : exactly(2);
}

// FSDP 1 flattens a block with all its weights: one adapter in it makes the flat gradient as large
// as the block, frozen part included, and while micro-batches accumulate it is not even reduced.
// Transformers wraps adapters apart (PEFT's fsdp_auto_wrap_policy, Trainer's
// _fsdp_qlora_plugin_updates), and quantised weights have no gradient at all.
Range flat_gradients(const ShardedRun& run, double bytes) {
  const EngineTraits* engine = run.resolved.engine();
  const bool flat = engine != nullptr && engine->flattens_units && run.resolved.adapter().present &&
                    !has_quantized_base(run.plan);
  if (!flat) return {};
  const std::string_view policy = text_of(run.plan.sharding_wrap_policy);
  if (policy == "transformer") return {};
  const bool mixed_units = policy == "block";
  const bool accumulates = at_least(run.plan.gradient_accumulation_steps, 2).has_value();
  const double sharded = bytes / static_cast<double>(run.shards);
  const double whole = accumulates ? bytes : sharded;
  if (mixed_units) return exactly(whole);
  return {0, 0, policy.empty() ? whole : 0};
}

}  // namespace

ModelStates deepspeed_states(const ShardedRun& run) {
  ModelStates states;
  const bool half = run.formats.half;
  const double bytes = half ? 2 : kSingle;
  const double trainable = run.rank.trainable;
  const Range values = run.optimizer.state_values * exactly(kSingle) + run.optimizer.state_bytes +
                       exactly(half ? kSingle : 0);
  // Beside the 16-bit gradient shard (stage 2) or instead of it (stage 3) an fp32 one is kept.
  const double fp32_gradient = run.stage == 2 ? kSingle : run.stage >= 3 ? kSingle - 2 : 0;
  const Range master_gradient = half ? Range{0, fp32_gradient, kSingle} : Range{};
  const bool is_quantized = has_quantized_base(run.plan);
  const bool is_adapted = run.resolved.adapter().present;
  const double held = run.stage >= 3 ? run.rank.unspread : run.rank.parameters;
  Interval kept = is_quantized ? run.weights : times(held, exactly(bytes));
  if (is_adapted && !is_quantized) {
    // The engine casts a frozen base as well, in whatever format it was loaded; what its own file
    // leaves out, a trainer may only state to itself.
    kept = half ? Interval{kept.low, kept.central, std::max(kept.high, run.weights.high)}
                : run.weights;
  }
  states.weights = run.stage >= 3 ? shard(kept, run) : kept;
  const Range own = run.stage >= 2 ? shard(exactly(bytes), run) : exactly(bytes);
  const double unspread = run.rank.unspread_trainable;
  states.gradients = times(run.stage >= 2 ? unspread : trainable, own) +
                     times(unspread, shard(master_gradient, run));
  states.optimizer_state = times(unspread, shard(values, run));
  const double group = std::min(kStepSubGroup, unspread / static_cast<double>(run.shards));
  states.step_temporaries = times(group, Range{0, 4, 8});
  states.communication_buffers = reduction_buckets(run, bytes);
  if (run.stage >= 3) states.gathered_weights = deepspeed_gathered(run, bytes);
  return states;
}

ModelStates fsdp_states(const ShardedRun& run) {
  ModelStates states;
  const Range master = fsdp_master(run);
  const double unit = run.formats.half ? 2 : kSingle;
  const double trainable = run.rank.unspread_trainable;
  const bool plain = !has_quantized_base(run.plan) && !run.resolved.adapter().present;
  const double spread = run.rank.unspread / std::max(run.rank.parameters, 1.0);
  const Interval kept =
      plain ? times(run.rank.unspread, master) : times(exactly(spread), run.weights);
  states.weights = shard(kept, run);
  const Range gradient = run.resolved.adapter().present ? adapter_weight_bytes(run.plan) : master;
  states.gradients = times(trainable, shard(gradient, run)) +
                     times(run.rank.parameters, flat_gradients(run, unit));
  const Range values = run.optimizer.state_values * gradient + run.optimizer.state_bytes;
  states.optimizer_state = times(trainable, shard(values, run));
  states.step_temporaries = times(trainable, shard(run.optimizer.step_values * gradient, run));
  const double blocks = run.rank.parameters - run.rank.outside_blocks;
  const double trained = std::min(1.0, trainable / std::max(run.rank.unspread, 1.0));
  // Stages of a pipeline keep their layers gathered and reduce after the last micro-batch.
  const bool staged = at_least(run.plan.pipeline_parallel_size, 2).has_value();
  const double whole_blocks =
      run.stage >= 3 && !staged ? run.rank.block : blocks;  // gathered at one time
  const Interval gathered = run.stage >= 3 && !staged ? times(whole_blocks * unit, Range{1, 2, 3})
                                                      : times(whole_blocks * unit, exactly(1));
  // Reduced in the unit's format or in fp32.
  const Interval unreduced = staged ? times(trained * blocks, Range{2, kSingle, kSingle})
                                    : times(trained * run.rank.block * unit, Range{1, 2, 3});
  const Interval root = times(run.rank.outside_blocks * unit, Range{0.5, 1, 1});
  const Interval root_gradient = times(trained * run.rank.outside_blocks * unit, Range{0, 1, 2});
  states.gathered_weights = gathered + unreduced + root + root_gradient;
  return states;
}

ModelStates megatron_states(const ShardedRun& run) {
  ModelStates states;
  const double trainable = run.rank.trainable;
  const bool half = run.formats.half;
  const Range values = run.optimizer.state_values * exactly(kSingle) + run.optimizer.state_bytes +
                       exactly(half ? kSingle : 0);
  states.weights = half ? times(run.rank.parameters, exactly(2)) : run.weights;
  // In fp32 unless said otherwise (--grad-reduce-in-bf16, NeMo's grad_sync_dtype).
  const bool sums_in_half =
      half && run.plan.gradient_dtype && is_half(run.plan.gradient_dtype->value);
  states.gradients = times(trainable, exactly(sums_in_half ? kHalf : kSingle));
  states.optimizer_state = run.stage >= 1 ? times(run.rank.unspread_trainable, shard(values, run))
                                          : times(trainable, values);
  return states;
}

}  // namespace gpulint
