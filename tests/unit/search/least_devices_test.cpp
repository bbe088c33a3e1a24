// On how many GPUs a run fits whose launcher decides how its states are split.
#include "search/least_devices.h"

#include "unit/estimate/embedded.h"
#include "unit/estimate/plans.h"

#include <doctest/doctest.h>

using namespace gpulint;
using namespace gpulint::test;

namespace {

/// Full fine-tuning of 32 billion parameters: more than one GPU of 80 GB has.
TrainingPlan large_run() {
  TrainingPlan plan = bf16_on_one_gpu("Qwen/Qwen3-32B", 1, 2048);
  state(plan.gradient_accumulation_steps, 1);
  state(plan.activation_checkpointing, "full");
  state(plan.packing, true);
  plan.world_size.reset();
  plan.sharding_stage.reset();
  return plan;
}

PlanOn on_a100(const TrainingPlan& plan) {
  PlanOn request;
  request.plan = &plan;
  request.models = &known_models();
  request.gpu = catalog().gpu("a100-sxm4-80gb");
  return request;
}

std::optional<LeastDevices> devices_for(const TrainingPlan& plan) {
  const PlanOn request = on_a100(plan);
  return least_devices(request, estimate(request));
}

/// The low end with all states split in the thriftiest way over `ranks`.
Bytes low_end_on(std::int64_t ranks) {
  TrainingPlan plan = large_run();
  state(plan.sharding_stage, 3);
  state(plan.world_size, ranks);
  return estimate(on_a100(plan)).vram->needed.low;
}

}  // namespace

TEST_CASE("the least number of GPUs is the first whose low end may fit") {
  const auto devices = devices_for(large_run());
  REQUIRE(devices);
  const Bytes most = catalog().gpu("a100-sxm4-80gb")->usable_memory->high;
  CHECK(devices->least > 1);
  CHECK(low_end_on(devices->least) <= most);
  CHECK(low_end_on(devices->least - 1) > most);
}

TEST_CASE("enough GPUs hold the centre of the estimate") {
  const auto devices = devices_for(large_run());
  REQUIRE(devices);
  REQUIRE(devices->enough);
  CHECK(*devices->enough >= devices->least);
  TrainingPlan plan = large_run();
  state(plan.sharding_stage, 3);
  state(plan.world_size, *devices->enough);
  CHECK(estimate(on_a100(plan)).vram_verdict.fit != Fit::does_not_fit);
}

TEST_CASE("samples that nothing packs may be short, and then fewer GPUs may do") {
  TrainingPlan plan = large_run();
  state(plan.sequence_length, 24576);
  const auto packed = devices_for(plan);
  plan.packing.reset();
  const auto open = devices_for(plan);
  REQUIRE(packed);
  REQUIRE(open);
  CHECK(open->least < packed->least);
  CHECK(open->enough == packed->enough);
  state(plan.packing, false);
  CHECK(devices_for(plan)->enough == packed->enough);
}

TEST_CASE("how many GPUs it takes is certain only where nothing is moved to the host") {
  TrainingPlan plan = large_run();
  CHECK_FALSE(devices_for(plan)->certain);
  state(plan.offload, "none");
  CHECK(devices_for(plan)->certain);
}

TEST_CASE("a stated number of ranks is what is available") {
  TrainingPlan plan = large_run();
  CHECK_FALSE(devices_for(plan)->available);
  state(plan.world_size, 2);
  REQUIRE(devices_for(plan));
  CHECK(devices_for(plan)->available == 2);
}

TEST_CASE("a host offers its GPUs only where the run says how many hosts it has") {
  TrainingPlan plan = large_run();
  PlanOn request = on_a100(plan);
  Host host;
  host.gpu_count = 4;
  request.host = &host;
  CHECK_FALSE(least_devices(request, estimate(request))->available);
  state(plan.nodes, 1);
  REQUIRE(least_devices(request, estimate(request)));
  CHECK(least_devices(request, estimate(request))->available == 4);
}

TEST_CASE("where one GPU may do, or it is stated how states are split, nothing is asked") {
  TrainingPlan small = large_run();
  state(small.model, "Qwen/Qwen3-4B");
  CHECK_FALSE(devices_for(small));
  TrainingPlan stated = large_run();
  state(stated.sharding_stage, 3);
  CHECK_FALSE(devices_for(stated));
}

TEST_CASE("without a target and for a job with uncounted parts nothing is said of GPUs") {
  TrainingPlan plan = large_run();
  PlanOn request = on_a100(plan);
  request.gpu = nullptr;
  CHECK_FALSE(least_devices(request, estimate(request)));
  state(plan.unmodelled_parts, TextList{"a teacher"});
  CHECK_FALSE(devices_for(plan));
}

TEST_CASE("states in 16 bits are possible where no number format is stated") {
  TrainingPlan plan = large_run();
  state(plan.sharding_stage, 3);
  state(plan.sharding_engine, "fsdp");
  state(plan.world_size, 8);
  const Bytes half = vram_of(plan).needed.low;
  plan.weights_dtype.reset();
  plan.mixed_precision.reset();
  CHECK(vram_of(plan).needed.low <= half);
}

TEST_CASE("states that one GPU cannot hold need several, however long the samples are") {
  TrainingPlan plan = large_run();
  plan.sequence_length.reset();
  REQUIRE(!estimate(on_a100(plan)).vram->bounded_above);
  const auto devices = devices_for(plan);
  REQUIRE(devices);
  CHECK(devices->least > 1);
  CHECK(devices->least <= devices_for(large_run())->least);
  CHECK(!devices->enough);  // what is not counted may not fit
}
