#include "time/step_replay.h"

#include "unit/estimate/embedded.h"
#include "unit/estimate/plans.h"
#include "unit/shipped_plan.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace gpulint;
using namespace gpulint::test;

namespace {

TrainingPlan resnet50() {
  TrainingPlan plan = test::shipped_plan();
  state(plan.model, "resnet50");
  state(plan.per_device_batch_size, 256);
  state(plan.gradient_accumulation_steps, 1);
  state(plan.image_size, 224);
  state(plan.optimizer, "sgd");
  state(plan.mixed_precision, "bf16");
  state(plan.channels_last, true);
  return plan;
}

TrainingPlan gpt2() {
  TrainingPlan plan = test::shipped_plan();
  state(plan.model, "gpt2");
  state(plan.per_device_batch_size, 16);
  state(plan.gradient_accumulation_steps, 1);
  state(plan.sequence_length, 1024);
  state(plan.optimizer, "adamw");
  state(plan.mixed_precision, "none");
  state(plan.attention_backend, "sdpa");
  state(plan.tf32, false);
  return plan;
}

std::optional<StepReplayPlan> planned(const TrainingPlan& plan, std::string_view gpu = "h200-sxm") {
  UnknownFacts unknown;
  return plan_step_replay(
      PlanOn{.plan = &plan, .gpu = catalog().gpu(gpu), .models = &known_models()}, unknown);
}

double sum_of_predicted(const StepReplay& replay) {
  double sum = 0;
  for (const ReplayProduct& product : replay.products) sum += product.predicted.value;
  return sum;
}

}  // namespace

TEST_CASE("the replay of a CNN is its costliest convolutions as products, in both formats") {
  const auto plan = planned(resnet50());
  REQUIRE(plan.has_value());
  CHECK(plan->runs_half);
  CHECK(plan->half_format == "bf16");
  REQUIRE(plan->half.products.size() > 2);
  CHECK(plan->half.products.size() <= 8);
  for (const ReplayProduct& product : plan->half.products) {
    CHECK(product.kind == ReplayKind::convolution);
    CHECK(product.precision == Precision::bf16);
    CHECK(product.over_product > 1);
    CHECK(product.repeats > 0);
  }
  // PyTorch's default lets convolutions use TF32.
  for (const ReplayProduct& product : plan->full.products)
    CHECK(product.precision == Precision::tf32);
}

TEST_CASE("the replay of a language model is its linear layers, with tf32 off in fp32") {
  const auto plan = planned(gpt2());
  REQUIRE(plan.has_value());
  CHECK_FALSE(plan->runs_half);
  const auto linear = std::find_if(
      plan->full.products.begin(), plan->full.products.end(),
      [](const ReplayProduct& each) { return each.kind == ReplayKind::matrix_product; });
  REQUIRE(linear != plan->full.products.end());
  CHECK(linear->precision == Precision::fp32);
  CHECK(linear->over_product == 1);
  CHECK(plan->half.products.front().precision == Precision::bf16);
}

TEST_CASE("the longest products come first, and with the passes they are a part of the step") {
  for (const auto& plan : {planned(resnet50()), planned(gpt2())}) {
    REQUIRE(plan.has_value());
    for (const StepReplay* replay : {&plan->full, &plan->half}) {
      CHECK(std::is_sorted(
          replay->products.begin(), replay->products.end(),
          [](const auto& a, const auto& b) { return a.predicted.value > b.predicted.value; }));
      CHECK(replay->replayed_share() > 0.5);
      CHECK(replay->replayed_share() < 1);
      CHECK(sum_of_predicted(*replay) + replay->passes.predicted.value <
            replay->step.central.value);
      CHECK(replay->passes.pass_bytes > 1e6);
      CHECK(replay->passes.copy_bytes > replay->passes.pass_bytes);
    }
  }
}

TEST_CASE("a product too large to be timed at once is cut, and repeated as often") {
  const auto plan = planned(gpt2());
  REQUIRE(plan.has_value());
  for (const ReplayProduct& p : plan->full.products) {
    const double bytes =
        4.0 * static_cast<double>(p.rows * p.depth + p.depth * p.columns + p.rows * p.columns);
    CHECK(bytes <= 512.0 * 1048576);
    CHECK(2.0 * static_cast<double>(p.rows) * static_cast<double>(p.columns) *
              static_cast<double>(p.depth) <=
          1e11 * 1.0001);
  }
}

TEST_CASE("a cut side stays as well aligned as it was") {
  const auto plan = planned(gpt2());
  REQUIRE(plan.has_value());
  for (const ReplayProduct& p : plan->full.products) {
    // The vocabulary of 50257 is odd, all other sides are multiples of 64.
    for (const std::int64_t side : {p.rows, p.columns, p.depth}) {
      CHECK((side % 64 == 0 || side % 2 == 1));
    }
  }
}

TEST_CASE("a product that moves more than its operator, for most of its time, is a bound") {
  const auto cnn = planned(resnet50());
  const auto text = planned(gpt2());
  REQUIRE((cnn && text));
  // Fused attention never writes the scores that its products are made of.
  for (const ReplayProduct& p : text->half.products) {
    if (p.kind != ReplayKind::attention) CHECK_FALSE(p.reads_more);
  }
  // A window of 1 x 1 reads each value once; its depth is a number of channels, a power of two.
  for (const ReplayProduct& p : cnn->half.products) {
    const bool one_by_one = (p.depth & (p.depth - 1)) == 0;
    if (one_by_one) CHECK_FALSE(p.reads_more);
  }
}

TEST_CASE("twice the micro-batches are twice the repeats of the same products") {
  TrainingPlan twice = resnet50();
  state(twice.gradient_accumulation_steps, 2);
  const auto one = planned(resnet50());
  const auto two = planned(twice);
  REQUIRE((one && two));
  CHECK(two->half.products.front().repeats ==
        doctest::Approx(2 * one->half.products.front().repeats));
  CHECK(two->half.passes.copy_bytes == doctest::Approx(2 * one->half.passes.copy_bytes));
}

TEST_CASE("a GPU without bf16 is replayed in fp16") {
  TrainingPlan plan = gpt2();
  const auto planned_on_t4 = planned(plan, "t4");
  REQUIRE(planned_on_t4.has_value());
  CHECK(planned_on_t4->half_format == "fp16");
  CHECK(planned_on_t4->half.products.front().precision == Precision::fp16);
}

TEST_CASE("a run whose step cannot be predicted has no replay") {
  TrainingPlan plan = resnet50();
  plan.model.reset();
  CHECK_FALSE(planned(plan).has_value());
  plan = resnet50();
  plan.per_device_batch_size.reset();
  CHECK_FALSE(planned(plan).has_value());
}
