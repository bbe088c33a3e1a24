#include "plan/derive.h"

#include "plan/fact_table.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using namespace gpulint;

namespace {

using Stated = std::vector<std::pair<std::string_view, std::string_view>>;

TrainingPlan derived(const Stated& stated, std::string_view blocked = {}) {
  TrainingPlan plan;
  for (const auto& [fact, value] : stated) {
    REQUIRE(set_fact(plan, *find_fact(fact), value, {}));
  }
  std::vector<FactState> states(fact_table().size(), FactState::untouched);
  if (!blocked.empty()) {
    states[static_cast<std::size_t>(find_fact(blocked) - fact_table().data())] = FactState::blocked;
  }
  derive(plan, states);
  return plan;
}

}  // namespace

TEST_CASE("FSDP recomputes what it wraps, whatever the model's own switch says") {
  const Stated both = {{"fsdp_activation_checkpointing", "true"},
                       {"activation_checkpointing", "none"},
                       {"sharding_stage", "3"}};
  CHECK(derived(both).activation_checkpointing->value == "full");
  const Stated off = {{"fsdp_activation_checkpointing", "true"},
                      {"activation_checkpointing", "none"}};
  CHECK(derived(off).activation_checkpointing->value == "none");
}

TEST_CASE("the precision switches decide the mixed precision") {
  CHECK(derived({{"bf16_enabled", "true"}}).mixed_precision->value == "bf16");
  CHECK(derived({{"fp16_enabled", "true"}, {"bf16_enabled", "false"}}).mixed_precision->value ==
        "fp16");
  CHECK(derived({{"fp16_enabled", "false"}, {"bf16_enabled", "false"}}).mixed_precision->value ==
        "none");
}

TEST_CASE("a scale for fp16 says nothing of a run in bf16") {
  CHECK_FALSE(derived({{"bf16_enabled", "true"}, {"loss_scaling", "dynamic"}}).loss_scaling);
  CHECK(derived({{"fp16_enabled", "true"}, {"loss_scaling", "static"}}).loss_scaling->value ==
        "static");
}

TEST_CASE("both switches on, or one off and the other unsaid, is unknown") {
  CHECK_FALSE(derived({{"fp16_enabled", "true"}, {"bf16_enabled", "true"}}).mixed_precision);
  CHECK_FALSE(derived({{"fp16_enabled", "false"}}).mixed_precision);
  CHECK_FALSE(derived({{"fp16_enabled", "false"}}, "bf16_enabled").mixed_precision);
}

TEST_CASE("world size is GPUs times nodes, and data parallelism what model parallelism leaves") {
  const TrainingPlan plan =
      derived({{"gpus_per_node", "8"}, {"nodes", "2"}, {"tensor_parallel_size", "4"}});
  CHECK(plan.world_size->value == 16);
  CHECK(plan.world_size->from.detail == "gpus_per_node x nodes");
  CHECK(plan.data_parallel_size->value == 4);
  CHECK_FALSE(derived({{"gpus_per_node", "8"}}).world_size);
  CHECK_FALSE(derived({{"world_size", "6"}, {"tensor_parallel_size", "4"}}).data_parallel_size);
}

TEST_CASE("one rank runs on one node") {
  CHECK(derived({{"world_size", "1"}}).nodes->value == 1);
  CHECK(derived({{"world_size", "1"}}).gpus_per_node->value == 1);
  CHECK_FALSE(derived({{"world_size", "2"}}).nodes);
  CHECK_FALSE(derived({{"world_size", "1"}}, "nodes").nodes);
}

TEST_CASE("nodes are ranks over GPUs of a node where that comes out even") {
  CHECK(derived({{"world_size", "16"}, {"gpus_per_node", "8"}}).nodes->value == 2);
  CHECK_FALSE(derived({{"world_size", "12"}, {"gpus_per_node", "8"}}).nodes);
  CHECK_FALSE(derived({{"world_size", "16"}, {"gpus_per_node", "8"}}, "nodes").nodes);
}

TEST_CASE("a warm-up in shares of the run is one in steps where that comes out even") {
  CHECK(derived({{"warmup_ratio", "0.06"}, {"max_steps", "70000"}}).warmup_steps->value == 4200);
  CHECK_FALSE(derived({{"warmup_ratio", "0.03"}, {"max_steps", "50"}}).warmup_steps);
  CHECK_FALSE(derived({{"warmup_ratio", "0.1"}, {"max_steps", "50"}}, "warmup_steps").warmup_steps);
  CHECK_FALSE(derived({{"warmup_ratio", "0.1"}}).warmup_steps);
  CHECK(derived({{"warmup_epochs", "0"}}).warmup_steps->value == 0);
  CHECK_FALSE(derived({{"warmup_epochs", "2"}}).warmup_steps);
}

TEST_CASE("global batch is per-device batch times accumulation times replicas") {
  const TrainingPlan plan = derived(
      {{"per_device_batch_size", "4"}, {"gradient_accumulation_steps", "8"}, {"world_size", "2"}});
  CHECK(plan.global_batch_size->value == 64);
  CHECK(plan.global_batch_size->from.origin == Origin::derived);
}

TEST_CASE("accumulation that no key states makes the global batch an assumption") {
  const TrainingPlan plan = derived({{"per_device_batch_size", "4"}, {"world_size", "2"}});
  CHECK(plan.global_batch_size->value == 8);
  CHECK(plan.global_batch_size->from.origin == Origin::assumed);
  CHECK_FALSE(plan.gradient_accumulation_steps);
  CHECK_FALSE(
      derived({{"per_device_batch_size", "4"}, {"world_size", "2"}}, "gradient_accumulation_steps")
          .global_batch_size);
}

TEST_CASE("the missing factor of a stated global batch follows when it comes out even") {
  CHECK(derived({{"global_batch_size", "64"}, {"per_device_batch_size", "4"}, {"world_size", "2"}})
            .gradient_accumulation_steps->value == 8);
  CHECK(
      derived(
          {{"global_batch_size", "64"}, {"gradient_accumulation_steps", "8"}, {"world_size", "2"}})
          .per_device_batch_size->value == 4);
  CHECK_FALSE(
      derived({{"global_batch_size", "65"}, {"per_device_batch_size", "4"}, {"world_size", "2"}})
          .gradient_accumulation_steps);
}

TEST_CASE("an image batch weighs fp32 pixels") {
  const TrainingPlan plan = derived({{"image_size", "224"}, {"per_device_batch_size", "256"}});
  CHECK(plan.batch_bytes->value.count() == 154'140'672);
  CHECK(plan.sample_bytes->from.detail == "3 (RGB) channels x 224 x 224 pixels x 4 bytes (fp32)");
}

TEST_CASE("a token batch weighs three int64 tensors, and a mixture of both is unknown") {
  CHECK(
      derived({{"sequence_length", "2048"}, {"vocab_size", "32000"}}).sample_bytes->value.count() ==
      49'152);
  CHECK_FALSE(derived({{"sequence_length", "96"}}).sample_bytes);
  CHECK_FALSE(derived({{"sequence_length", "16"}, {"image_size", "224"}}).sample_bytes);
}

TEST_CASE("a stated batch size in bytes is kept") {
  const TrainingPlan plan =
      derived({{"batch_bytes", "230 MB"}, {"image_size", "224"}, {"per_device_batch_size", "256"}});
  CHECK(plan.batch_bytes->value.count() == 230'000'000);
  CHECK_FALSE(plan.sample_bytes);
}

TEST_CASE("products of absurd counts saturate") {
  const TrainingPlan plan = derived({{"per_device_batch_size", "1e15"},
                                     {"gradient_accumulation_steps", "1e15"},
                                     {"world_size", "1e15"}});
  CHECK(plan.global_batch_size->value == std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("what leaves the GPU is one word") {
  const auto offload = [](const Stated& stated) {
    const TrainingPlan plan = derived(stated);
    return plan.offload ? plan.offload->value : "unknown";
  };
  CHECK(offload({{"offload_optimizer", "cpu"}, {"offload_parameters", "nvme"}}) == "nvme");
  CHECK(offload({{"offload_optimizer", "cpu"}, {"offload_parameters", "none"}}) == "cpu");
  CHECK(offload({{"offload_parameters", "cpu"}}) == "cpu");
  CHECK(offload({{"offload_optimizer", "none"}, {"offload_parameters", "none"}}) == "none");
  CHECK(offload({{"offload_optimizer", "none"}}) == "unknown");
  CHECK(offload({{"sharding_stage", "0"}}) == "none");
  CHECK(offload({{"sharding_stage", "3"}}) == "unknown");
}
