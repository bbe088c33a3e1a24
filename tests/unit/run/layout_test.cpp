#include "plan/layout.h"

#include "unit/estimate/plans.h"

#include <doctest/doctest.h>

using namespace gpulint;
using namespace gpulint::test;

TEST_CASE("ranks that no key spreads are replicas of one model") {
  TrainingPlan plan;
  state(plan.world_size, 8);
  const Layout layout = layout_of(plan);
  CHECK(layout.world == 8);
  CHECK(layout.replicas == 8);
  CHECK(layout.model_ranks() == 1);
}

TEST_CASE("replicas are what tensor, pipeline and context parallelism leave of the world") {
  TrainingPlan plan;
  state(plan.gpus_per_node, 8);
  state(plan.nodes, 4);
  state(plan.tensor_parallel_size, 4);
  state(plan.pipeline_parallel_size, 2);
  state(plan.context_parallel_size, 2);
  const Layout layout = layout_of(plan);
  CHECK(layout.world == 32);
  CHECK(layout.hosts == 4);
  CHECK(layout.ranks_on_host == 8);
  CHECK(layout.model_ranks() == 16);
  CHECK(layout.weight_ranks() == 8);
  CHECK(layout.replicas == 2);
  CHECK(layout.same_weights() == 4);  // ranks that share a sequence have the same weights
}

TEST_CASE(
    "replicas that are stated alone are the ranks of the world, and share a host where there is "
    "one") {
  TrainingPlan plan;
  state(plan.data_parallel_size, 8);
  Host host;
  host.gpu_count = 4;
  CHECK(layout_of(plan).world == 8);
  CHECK(layout_of(plan, &host).ranks_on_host == 4);
  CHECK_FALSE(layout_of(plan, &host).ranks_on_host_known);
  state(plan.nodes, 1);
  CHECK(layout_of(plan).ranks_on_host == 8);
  CHECK(layout_of(plan).ranks_on_host_known);
  state(plan.tensor_parallel_size, 2);
  CHECK(layout_of(plan).world == 16);
}

TEST_CASE("a world of unknown size has no replicas, and counts of zero say nothing") {
  TrainingPlan plan;
  state(plan.world_size, 0);
  state(plan.tensor_parallel_size, 2);
  const Layout layout = layout_of(plan);
  CHECK_FALSE(layout.world);
  CHECK_FALSE(layout.replicas);
  CHECK(layout.tensor == 2);
  CHECK(layout.ranks_on_host == 1);
  CHECK_FALSE(layout.ranks_on_host_known);
}

TEST_CASE("a host holds no more ranks of an unplaced world than it has GPUs") {
  TrainingPlan plan;
  state(plan.world_size, 64);
  Host host;
  host.gpu_count = 8;
  CHECK(layout_of(plan, &host).ranks_on_host == 8);
  CHECK_FALSE(layout_of(plan, &host).ranks_on_host_known);
  state(plan.nodes, 16);
  CHECK(layout_of(plan, &host).ranks_on_host == 4);
  CHECK(layout_of(plan, &host).ranks_on_host_known);
}

TEST_CASE("experts are split by tensor parallelism as far as ranks go, or as the config says") {
  TrainingPlan plan;
  state(plan.world_size, 16);
  state(plan.tensor_parallel_size, 4);
  state(plan.expert_parallel_size, 4);
  CHECK(layout_of(plan).expert_pieces() == 16);
  state(plan.expert_parallel_size, 8);
  CHECK(layout_of(plan).expert_pieces() == 16);  // two ranks are left for each of eight
  state(plan.expert_tensor_parallel_size, 1);
  CHECK(layout_of(plan).expert_pieces() == 8);
}
