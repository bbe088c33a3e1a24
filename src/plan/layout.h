#pragma once

// How the ranks of a run are laid out: the one place that computes it. Everything else asks.

#include "catalog/hardware.h"
#include "plan/training_plan.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace gpulint {

/// Counts of ranks, each at least 1. Sizes nobody states count as 1.
struct Layout {
  std::optional<std::int64_t> world;     // of the whole run
  std::optional<std::int64_t> replicas;  // that see different samples (data parallel)
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  std::int64_t context = 1;
  std::int64_t expert = 1;
  std::optional<std::int64_t> expert_tensor;  // ranks each expert is split over, where stated
  std::optional<std::int64_t> hosts;
  /// Ranks on one host: stated, or the world spread over the hosts; else what the host can hold of
  /// the world, else 1, and `ranks_on_host_known` is false.
  std::int64_t ranks_on_host = 1;
  bool ranks_on_host_known = false;

  /// Ranks that one copy of the model and its sequence is spread over.
  std::int64_t model_ranks() const {
    return saturating_multiply(saturating_multiply(tensor, pipeline), context);
  }
  /// Ranks that the weights of one copy are split over.
  std::int64_t weight_ranks() const { return saturating_multiply(tensor, pipeline); }
  /// Pieces that the experts of one pipeline stage are split into. Where nobody states it,
  /// Megatron-Core splits experts by tensor parallelism too as far as there are ranks for both
  /// (parallel_state.py: expert_tensor_parallel_size).
  std::int64_t expert_pieces() const {
    if (expert_tensor) return saturating_multiply(expert, *expert_tensor);
    if (!world) return saturating_multiply(expert, tensor);
    const std::int64_t for_each = *world / pipeline / expert;
    return saturating_multiply(expert, std::clamp<std::int64_t>(for_each, 1, tensor));
  }
  /// Ranks with the same weights: those that share a sequence too. 1 where unknown.
  std::int64_t same_weights() const { return saturating_multiply(replicas.value_or(1), context); }
};

/// `host`: where the run is to start; nullptr = unknown. `nodes_open`: they are stated in a way
/// that nobody can read (`--nnodes=$WORLD_SIZE`), so there may be more than one.
Layout layout_of(const TrainingPlan& facts, const Host* host = nullptr, bool nodes_open = false);

}  // namespace gpulint
