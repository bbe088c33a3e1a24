#pragma once

// What the engines that spread model states over data-parallel ranks keep on each.

#include "memory/precision.h"
#include "memory/sharding.h"
#include "memory/weights.h"

namespace gpulint {

struct ShardedRun {
  const ResolvedRun& resolved;
  const TrainingPlan& plan;  // its facts
  RankWeights rank;
  NumberFormats formats;
  const Optimizer& optimizer;
  Interval weights;  // unsharded, with quantized ones
  std::int64_t stage = 0;
  std::int64_t shards = 1;
  bool shards_known = true;
};

/// Fills everything but what is moved to the host. `stage` is at least 1.
ModelStates deepspeed_states(const ShardedRun& run);
ModelStates fsdp_states(const ShardedRun& run);
/// Main gradients in fp32; the optimizer is spread from stage 1 on.
ModelStates megatron_states(const ShardedRun& run);

}  // namespace gpulint
