// Host RAM against the A10G guide: batch 256 x 3 x 224 x 224 in fp32, "230 MB with overhead", 62 GB
// of RAM (10^9 bytes), 3 GB + 2 GB for the system and the framework.
#include "plans.h"
#include "unit/shipped_plan.h"

#include <doctest/doctest.h>

using namespace gpulint;
using namespace gpulint::test;

namespace {

TrainingPlan a10g_guide(std::int64_t workers, std::int64_t prefetch) {
  TrainingPlan plan = test::shipped_plan();
  state(plan.per_device_batch_size, 256);
  state(plan.batch_bytes, mb(230));
  state(plan.num_workers, workers);
  state(plan.prefetch_factor, prefetch);
  state(plan.gpus_per_node, 1);
  return plan;
}

}  // namespace

TEST_CASE("the loader buffers of the A10G guide's four rows are 59, 15, 8 and 7 GB") {
  CHECK(estimate_of(a10g_guide(32, 8)).ram->loader_buffers == mb(58'880));
  CHECK(estimate_of(a10g_guide(16, 4)).ram->loader_buffers == mb(14'720));
  CHECK(estimate_of(a10g_guide(12, 3)).ram->loader_buffers == mb(8'280));
  CHECK(estimate_of(a10g_guide(8, 4)).ram->loader_buffers == mb(7'360));
}

TEST_CASE("with 5 GB stated for the rest the totals are 64, 20, 13 and 12 GB and only 64 is over") {
  const std::int64_t rows[4][3] = {
      {32, 8, 63'880}, {16, 4, 19'720}, {12, 3, 13'280}, {8, 4, 12'360}};
  for (const auto& row : rows) {
    TrainingPlan plan = a10g_guide(row[0], row[1]);
    state(plan.host_ram_other, gb(5));
    state(plan.pin_memory, true);
    const Estimate result = estimate_of(plan);
    CHECK(result.ram->total.low == mb(row[2]));
    CHECK(result.ram->total.central == mb(row[2]));
    CHECK(result.ram->total.high == mb(row[2]));
    CHECK(sum_of(result.ram->terms) == mb(row[2]));
    CHECK((result.ram->total.low > gb(62)) == (row[0] == 32));
  }
}

TEST_CASE("one, two, four and eight ranks on one host buffer 8, 16, 33 and 66 GB") {
  const std::int64_t rows[4][2] = {{1, 8'280}, {2, 16'560}, {4, 33'120}, {8, 66'240}};
  for (const auto& row : rows) {
    TrainingPlan plan = a10g_guide(12, 3);
    state(plan.gpus_per_node, row[0]);
    const Estimate result = estimate_of(plan);
    CHECK(result.ram->ranks == row[0]);
    CHECK(result.ram->loader_buffers == mb(row[1]));
  }
}

TEST_CASE("four hosts with one GPU each need what one needs, eight ranks on one host are over") {
  TrainingPlan one = a10g_guide(12, 3);
  state(one.host_ram_other, gb(5));
  TrainingPlan four = one;
  state(four.nodes, 4);
  state(four.world_size, 4);
  CHECK(estimate_of(four).ram->total.central == mb(13'280));
  CHECK(estimate_of(four).ram->total.central == estimate_of(one).ram->total.central);
  TrainingPlan eight = one;
  state(eight.gpus_per_node, 8);
  CHECK(estimate_of(eight).ram->total.low == mb(71'240));
}

TEST_CASE("ranks on a host follow from world size and nodes when gpus_per_node is unknown") {
  TrainingPlan plan = a10g_guide(12, 3);
  plan.gpus_per_node.reset();
  state(plan.world_size, 8);
  state(plan.nodes, 2);
  CHECK(estimate_of(plan).ram->ranks == 4);
  plan.nodes.reset();
  Host host;
  host.gpu_count = 4;
  const Estimate result = estimate_of(plan, nullptr, &host);
  CHECK(result.ram->ranks == 4);
  CHECK(is_unknown(result, "gpus_per_node"));
}

TEST_CASE("weights that may pass through the host while a model loads decide by the ends alone") {
  TrainingPlan plan = a10g_guide(1, 1);
  state(plan.gpus_per_node, 8);
  state(plan.world_size, 8);
  state(plan.parameters, 8'000'000'000);
  state(plan.ram, gb(64));
  const Estimate loading = estimate_of(plan);
  CHECK(loading.ram->total.central > gb(200));
  CHECK(loading.ram->needed.central < gb(30));
  CHECK(loading.ram->needed.high == loading.ram->total.high);
  CHECK(loading.ram_verdict.fit == Fit::thin);
  CHECK_FALSE(loading.ram_verdict.certain);
  state(plan.ram, gb(5));
  CHECK(estimate_of(plan).ram_verdict.fit == Fit::does_not_fit);
}

TEST_CASE("a batch of 256 x 3 x 224 x 224 in fp32 is 154,140,672 bytes, a quarter of it in uint8") {
  TrainingPlan plan = a10g_guide(1, 1);
  plan.batch_bytes.reset();
  state(plan.image_size, 224);
  state(plan.sample_bytes, Bytes::of(3 * 224 * 224 * 4));
  plan.sample_bytes->from.origin = Origin::derived;
  const RamEstimate ram = *estimate_of(plan).ram;
  CHECK(ram.loader_buffers == Bytes::of(154'140'672));
  // Nobody said which of the two the loader delivers; two batches (in flight, in use) differ.
  plan.sample_bytes->from.origin = Origin::stated;
  const RamEstimate stated = *estimate_of(plan).ram;
  CHECK(stated.total.low - ram.total.low == Bytes::of(2 * 154'140'672 / 4 * 3));
  CHECK(stated.total.central == ram.total.central);
}

TEST_CASE("stated batch bytes win over stated sample bytes and those over derived batch bytes") {
  TrainingPlan plan = a10g_guide(1, 1);
  state(plan.sample_bytes, Bytes::of(1000));
  CHECK(estimate_of(plan).ram->loader_buffers == mb(230));
  plan.batch_bytes->from.origin = Origin::derived;
  CHECK(estimate_of(plan).ram->loader_buffers == Bytes::of(256'000));
}

TEST_CASE("pinned blocks are rounded up to a power of two, one batch more than in flight") {
  TrainingPlan plan = a10g_guide(12, 3);
  state(plan.pin_memory, true);
  const RamEstimate ram = *estimate_of(plan).ram;
  const Term* copies = find_term(ram.terms, "pinned copies");
  REQUIRE(copies != nullptr);
  CHECK(copies->bytes == Bytes::of(37 * (268'435'456 - 230'000'000)));
  CHECK(ram.loader_buffers == mb(8'280));
  state(plan.pin_memory, false);
  CHECK(find_term(estimate_of(plan).ram->terms, "pinned copies") == nullptr);
}

TEST_CASE("our own budget is kept beside a stated rest and its terms add up without one") {
  TrainingPlan plan = a10g_guide(12, 3);
  state(plan.pin_memory, true);
  const RamEstimate own = *estimate_of(plan).ram;
  CHECK(sum_of(own.terms) == own.total.central);
  CHECK_FALSE(own.own_total);
  CHECK(own.total.low < own.total.central);
  CHECK(own.total.central < own.total.high);
  state(plan.host_ram_other, gb(5));
  const RamEstimate with_rest = *estimate_of(plan).ram;
  CHECK(with_rest.own_total == own.total.central);
  // 8.28 buffers + 0.23 in use + 1.42 pinning + 2.4 workers + 1.55 main + 1.5 system
  CHECK(own.total.central.as_gb() == doctest::Approx(15.38).epsilon(0.001));
}

TEST_CASE("without workers one batch is held and shared memory is not used") {
  TrainingPlan plan = a10g_guide(0, 4);
  const RamEstimate ram = *estimate_of(plan).ram;
  CHECK(ram.loader_buffers == Bytes{});
  CHECK(ram.shm == Bytes{});
  CHECK(find_term(ram.terms, "batch in use")->bytes == mb(230));
  CHECK(find_term(ram.terms, "worker processes") == nullptr);
}

TEST_CASE("shared memory holds the batches in flight and the one in use of every rank") {
  TrainingPlan plan = a10g_guide(12, 3);
  CHECK(estimate_of(plan).ram->shm == mb(37 * 230));
  state(plan.gpus_per_node, 2);
  CHECK(estimate_of(plan).ram->shm == mb(2 * 37 * 230));
}

TEST_CASE("an unknown prefetch factor counts as PyTorch's 2 and is named") {
  TrainingPlan plan = a10g_guide(12, 3);
  plan.prefetch_factor.reset();
  const Estimate result = estimate_of(plan);
  CHECK(result.ram->loader_buffers == mb(24 * 230));
  CHECK(is_unknown(result, "prefetch_factor"));
  CHECK(result.ram->terms.front().arithmetic ==
        "12 workers x 2 batches (PyTorch's default) x 230 MB");
}

TEST_CASE("a loader never has more batches in flight than its epoch has") {
  TrainingPlan plan = a10g_guide(32, 8);
  state(plan.dataset_samples, 2560);
  CHECK(estimate_of(plan).ram->loader_buffers == mb(10 * 230));
  plan.prefetch_factor.reset();
  const RamEstimate ram = *estimate_of(plan).ram;
  CHECK(ram.loader_buffers == mb(10 * 230));
  CHECK(ram.total.low <= ram.total.central);
}

TEST_CASE("evaluation inside an epoch adds its loader, at the end of one it does not") {
  TrainingPlan plan = a10g_guide(12, 3);
  state(plan.eval_batch_size, 512);
  state(plan.persistent_workers, true);
  // 12 x 3 batches of twice the size, not at the same time as those of training
  CHECK(estimate_of(plan).ram->loader_buffers == mb(2 * 8'280));
  CHECK(find_term(estimate_of(plan).ram->terms, "worker processes")->bytes == mb(24 * 200));
  state(plan.eval_steps, 1000);
  CHECK(estimate_of(plan).ram->loader_buffers == mb(3 * 8'280));
  plan.eval_steps.reset();
  state(plan.persistent_workers, false);
  CHECK(find_term(estimate_of(plan).ram->terms, "worker processes")->bytes == mb(12 * 200));
}

TEST_CASE("a dataset of Python objects may be copied into every worker") {
  TrainingPlan plan = a10g_guide(4, 2);
  const Interval without = estimate_of(plan).ram->total;
  state(plan.dataset_in_ram, true);
  state(plan.dataset_bytes, gb(10));
  const Interval with = estimate_of(plan).ram->total;
  CHECK(with.low - without.low == gb(10));
  CHECK(with.central - without.central == gb(10));
  CHECK(with.high - without.high == gb(50));
}

TEST_CASE("loading a large network on every rank can be the peak of the host") {
  TrainingPlan plan = a10g_guide(2, 2);
  state(plan.parameters, 7'000'000'000);
  state(plan.gpus_per_node, 8);
  const RamEstimate ram = *estimate_of(plan).ram;
  const Term* loading = find_term(ram.terms, "model loading");
  REQUIRE(loading != nullptr);
  CHECK(loading->bytes == gb(224));
  CHECK(sum_of(ram.terms) == ram.total.central);
}

TEST_CASE("an optimizer offloaded to the host is counted there") {
  TrainingPlan plan = a10g_guide(2, 2);
  state(plan.parameters, 1'000'000'000);
  state(plan.optimizer, "adamw");
  state(plan.mixed_precision, "bf16");
  state(plan.sharding_stage, 2);
  state(plan.offload_optimizer, "cpu");
  const RamEstimate ram = *estimate_of(plan).ram;
  // DeepSpeed's estimator: 16 bytes per parameter x 1.5
  CHECK(find_term(ram.terms, "offloaded model states")->bytes == gb(24));
}

TEST_CASE("host RAM is unknown without workers or batch bytes and says which") {
  TrainingPlan plan = test::shipped_plan();
  const Estimate nothing = estimate_of(plan);
  CHECK_FALSE(nothing.ram);
  CHECK(is_unknown(nothing, "num_workers"));
  CHECK(is_unknown(nothing, "batch_bytes"));
}

TEST_CASE(
    "RAM and shared memory come from the plan before the host, half of the RAM for the latter") {
  TrainingPlan plan = test::shipped_plan();
  Host host;
  host.ram = gb(62);
  CHECK(estimate_of(plan, nullptr, &host).available_ram == gb(62));
  CHECK(estimate_of(plan, nullptr, &host).available_shm == gb(31));
  host.shm = mb(64);
  CHECK(estimate_of(plan, nullptr, &host).available_shm == mb(64));
  state(plan.ram, gb(32));
  state(plan.shm, gb(8));
  CHECK(estimate_of(plan, nullptr, &host).available_ram == gb(32));
  CHECK(estimate_of(plan, nullptr, &host).available_shm == gb(8));
}

TEST_CASE("absurd loader settings saturate instead of overflowing") {
  TrainingPlan plan = a10g_guide(1'000'000'000'000'000'000, 1'000'000'000'000'000'000);
  state(plan.gpus_per_node, 1'000'000'000);
  state(plan.pin_memory, true);
  state(plan.eval_batch_size, 1'000'000'000'000'000'000);
  const RamEstimate ram = *estimate_of(plan).ram;
  CHECK(ram.total.central == Bytes::of(9'223'372'036'854'775'807));
  CHECK(ram.total.low <= ram.total.central);
  CHECK(ram.shm == Bytes::of(9'223'372'036'854'775'807));
  state(plan.num_workers, -4);
  CHECK_FALSE(estimate_of(plan).ram);
}
