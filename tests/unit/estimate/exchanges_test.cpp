#include "time/exchanges.h"

#include "unit/estimate/embedded.h"
#include "unit/estimate/plans.h"
#include "unit/shipped_plan.h"

#include <doctest/doctest.h>

using namespace gpulint;
using namespace gpulint::test;

namespace {

TrainingPlan gpt2_on(std::int64_t gpus) {
  TrainingPlan plan = test::shipped_plan();
  state(plan.model, "gpt2");
  state(plan.per_device_batch_size, 8);
  state(plan.gradient_accumulation_steps, 1);
  state(plan.sequence_length, 1024);
  state(plan.optimizer, "adamw");
  state(plan.mixed_precision, "bf16");
  state(plan.gpus_per_node, gpus);
  return plan;
}

std::vector<Exchange> exchanges(const TrainingPlan& plan) {
  UnknownFacts unknown;
  const auto found = exchanges_of(
      PlanOn{.plan = &plan, .gpu = catalog().gpu("h200-sxm"), .models = &known_models()}, unknown);
  REQUIRE(found.has_value());
  return *found;
}

constexpr double kGradientBytes = 124'439'808 * 4.0;  // of GPT-2's parameters, in fp32

}  // namespace

TEST_CASE("data parallelism reduces all gradients once a step, over a ring") {
  const auto found = exchanges(gpt2_on(8));
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == ExchangeKind::all_reduce);
  CHECK(found[0].name == "gradients");
  CHECK(found[0].ranks == 8);
  CHECK(found[0].inside_host);
  CHECK(found[0].link_bytes.as_double() == doctest::Approx(2 * 7.0 / 8 * kGradientBytes));
  // 0.65 to 1.07 of 450 GB/s: switches that add up lift the upper end.
  const double bytes = found[0].link_bytes.as_double();
  CHECK(found[0].predicted.low.value == doctest::Approx(bytes / 481.5e9));
  CHECK(found[0].predicted.high.value == doctest::Approx(bytes / 292.5e9));
}

TEST_CASE("full sharding scatters gradients and gathers weights twice") {
  TrainingPlan plan = gpt2_on(8);
  state(plan.sharding_stage, std::int64_t{3});
  const auto found = exchanges(plan);
  REQUIRE(found.size() == 2);
  CHECK(found[0].kind == ExchangeKind::reduce_scatter);
  // In bf16.
  CHECK(found[0].link_bytes.as_double() == doctest::Approx(7.0 / 8 * kGradientBytes / 2));
  CHECK(found[1].kind == ExchangeKind::all_gather);
  CHECK(found[1].name == "weights");
  CHECK(found[1].link_bytes.as_double() == doctest::Approx(2 * 7.0 / 8 * kGradientBytes / 2));
}

TEST_CASE("what crosses machines is said to") {
  TrainingPlan plan = gpt2_on(8);
  state(plan.nodes, std::int64_t{2});
  const auto found = exchanges(plan);
  REQUIRE(found.size() == 1);
  CHECK_FALSE(found[0].inside_host);
  CHECK(found[0].predicted.high.value >
        10 * found[0].predicted.low.value);  // nobody stated a network
}

TEST_CASE("one rank exchanges nothing, and of an unknown step nothing is said") {
  CHECK(exchanges(gpt2_on(1)).empty());
  TrainingPlan plan = gpt2_on(8);
  plan.model.reset();
  UnknownFacts unknown;
  CHECK_FALSE(
      exchanges_of(
          PlanOn{.plan = &plan, .gpu = catalog().gpu("h200-sxm"), .models = &known_models()},
          unknown)
          .has_value());
}
