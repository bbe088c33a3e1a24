#include "plan/layout.h"

#include <algorithm>

namespace gpulint {
namespace {

using KnownCount = std::optional<std::int64_t>;

// A count of 0 or -1 says as little as none.
KnownCount count_of(const Maybe<std::int64_t>& fact) {
  if (!fact || fact->value < 1) return std::nullopt;
  return fact->value;
}

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }

/// Replicas of the model are ranks too: as many as the ways nobody splits it leave.
KnownCount world_of(const TrainingPlan& facts, std::int64_t model_ranks, bool nodes_open) {
  if (const KnownCount world = count_of(facts.world_size)) return world;
  const KnownCount per_node = count_of(facts.gpus_per_node);
  const bool splits = facts.splits_batches && facts.splits_batches->value;  // in one process
  if (per_node && !nodes_open && !splits)
    return saturating_multiply(*per_node, count_of(facts.nodes).value_or(1));
  const KnownCount replicas = count_of(facts.data_parallel_size);
  if (!replicas) return std::nullopt;
  return saturating_multiply(*replicas, model_ranks);
}

KnownCount hosts_of(const TrainingPlan& facts, KnownCount world) {
  if (const KnownCount nodes = count_of(facts.nodes)) return nodes;
  if (!world) return std::nullopt;
  if (world == 1) return 1;
  const KnownCount per_node = count_of(facts.gpus_per_node);
  if (!per_node) return std::nullopt;
  return ceil_divide(*world, *per_node);
}

void set_ranks_on_host(const TrainingPlan& facts, const Host* host, Layout& layout) {
  const KnownCount per_node = count_of(facts.gpus_per_node);
  const KnownCount nodes = count_of(facts.nodes);
  const KnownCount world = layout.world;
  layout.ranks_on_host_known = per_node || world == 1 || (world && nodes);
  if (per_node) {
    // One process may have several GPUs.
    layout.ranks_on_host = world ? std::min(*per_node, *world) : *per_node;
  } else if (world == 1) {
    layout.ranks_on_host = 1;
  } else if (world && nodes) {
    layout.ranks_on_host = ceil_divide(*world, *nodes);
  } else if (world && host != nullptr && host->gpu_count && *host->gpu_count > 0) {
    layout.ranks_on_host = std::min<std::int64_t>(*world, *host->gpu_count);
  }
}

}  // namespace

Layout layout_of(const TrainingPlan& facts, const Host* host, bool nodes_open) {
  Layout layout;
  layout.tensor = count_of(facts.tensor_parallel_size).value_or(1);
  layout.pipeline = count_of(facts.pipeline_parallel_size).value_or(1);
  layout.context = count_of(facts.context_parallel_size).value_or(1);
  layout.expert = count_of(facts.expert_parallel_size).value_or(1);
  layout.expert_tensor = count_of(facts.expert_tensor_parallel_size);
  layout.world = world_of(facts, layout.model_ranks(), nodes_open);
  layout.replicas = count_of(facts.data_parallel_size);
  if (!layout.replicas && layout.world) {
    layout.replicas = std::max<std::int64_t>(1, *layout.world / layout.model_ranks());
  }
  layout.hosts = hosts_of(facts, layout.world);
  set_ranks_on_host(facts, host, layout);
  return layout;
}

}  // namespace gpulint
