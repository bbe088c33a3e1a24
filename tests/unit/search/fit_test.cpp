// What fits, and what changes. ResNet-50 of the embedded database on embedded GPUs.
#include "search/fit.h"

#include "unit/estimate/embedded.h"
#include "unit/estimate/plans.h"
#include "unit/shipped_plan.h"

#include <doctest/doctest.h>

using namespace gpulint;
using namespace gpulint::test;

namespace {

const Gpu& gpu_called(std::string_view id) {
  for (const Gpu* gpu : catalog().gpus()) {
    if (gpu->id == id) return *gpu;
  }
  FAIL("no such GPU");
  return *catalog().gpus().front();
}

TrainingPlan resnet50(std::int64_t batch) {
  TrainingPlan plan = test::shipped_plan();
  state(plan.model, "resnet50");
  state(plan.image_size, 224);
  state(plan.per_device_batch_size, batch);
  state(plan.gradient_accumulation_steps, 1);
  state(plan.world_size, 1);
  state(plan.optimizer, "sgd");
  state(plan.momentum, 0.9);
  state(plan.mixed_precision, "none");
  state(plan.pin_memory, true);
  return plan;
}

PlanOn request_for(const TrainingPlan& plan, std::string_view gpu) {
  PlanOn request;
  request.plan = &plan;
  request.gpu = &gpu_called(gpu);
  request.models = &known_models();
  return request;
}

}  // namespace

TEST_CASE("the largest batch fits and one more does not") {
  TrainingPlan plan = resnet50(64);
  const FitResult result = fit(request_for(plan, "a10g"), FitDetail::matrix);
  REQUIRE(result.largest_batch);
  plan = resnet50(*result.largest_batch);
  const Estimate fitting = estimate(request_for(plan, "a10g"));
  CHECK(fitting.vram->needed.high <= fitting.usable_vram->low);
  plan = resnet50(*result.largest_batch + 1);
  const Estimate failing = estimate(request_for(plan, "a10g"));
  CHECK(failing.vram->needed.high > failing.usable_vram->low);
  CHECK(*result.batch_that_pays <= *result.largest_batch);
}

TEST_CASE("the largest batch is the same whatever batch the run has") {
  const auto largest = [](std::int64_t batch) {
    const TrainingPlan plan = resnet50(batch);
    return largest_batch_that_fits(request_for(plan, "a10g"));
  };
  const auto expected = largest(1);
  REQUIRE(expected);
  CHECK(*expected > 64);
  for (const std::int64_t batch :
       {std::int64_t{2}, std::int64_t{8}, *expected - 1, *expected, *expected + 1, 8 * *expected,
        std::int64_t{1} << 20, std::int64_t{1} << 60}) {
    CAPTURE(batch);
    CHECK(largest(batch) == expected);
  }
}

TEST_CASE("settings grow from conservative to aggressive and are multiples of eight") {
  const TrainingPlan plan = resnet50(64);
  const FitResult result = fit(request_for(plan, "a100-sxm4-80gb"), FitDetail::matrix);
  REQUIRE(result.settings.size() == 3);
  std::int64_t before = 0;
  for (const FitSetting& setting : result.settings) {
    const std::int64_t batch = std::stoll(setting.facts.front().second);
    CHECK(batch % 8 == 0);
    CHECK(batch > before);
    before = batch;
  }
}

TEST_CASE("each step of the ladder lowers the peak; recomputation costs time") {
  const TrainingPlan plan = resnet50(256);
  const std::vector<LadderStep> ladder = vram_ladder(request_for(plan, "a10g"));
  REQUIRE(ladder.size() >= 2);
  CHECK(ladder.front().change.front().first == "mixed_precision");
  CHECK(*ladder.front().time_factor < 1);
  for (std::size_t i = 1; i < ladder.size(); ++i) {
    CHECK(*ladder[i].vram_central < *ladder[i - 1].vram_central);
  }
}

TEST_CASE("mixed precision and channels-last make a predicted step shorter") {
  TrainingPlan plan = resnet50(128);
  PlanOn request = request_for(plan, "a100-sxm4-80gb");
  request.predict_time = true;
  const double full = estimate(request).step_time->total.central.value;
  state(plan.mixed_precision, "fp16");
  const double half = estimate(request).step_time->total.central.value;
  state(plan.channels_last, true);
  const Estimate last = estimate(request);
  CHECK(half < full);
  CHECK(last.step_time->total.central.value < half);
  CHECK(last.step_time->costliest.size() == 5);
  double sum = 0;
  for (const TimeTerm& term : last.step_time->terms) sum += term.time.value;
  CHECK(sum == doctest::Approx(last.step_time->total.central.value));
  CHECK(last.step_time->mfu->central > 0);
  CHECK(last.step_time->mfu->central < 1);
}

TEST_CASE("plain data parallelism copies gradients into buckets unless they lie there") {
  TrainingPlan plan = resnet50(128);
  PlanOn request = request_for(plan, "a100-sxm4-80gb");
  request.predict_time = true;
  const auto copies = [&] {
    const Estimate result = estimate(request);
    REQUIRE(result.step_time);
    for (const TimeTerm& term : result.step_time->terms) {
      if (term.name == "gradients copied into buckets and back") return term.time.value;
    }
    return 0.0;
  };
  CHECK(copies() == 0);
  state(plan.world_size, 8);
  CHECK(copies() > 2 * 161 * 2e-6);  // two copies of each tensor start 2 us apart
  state(plan.gradient_as_bucket_view, true);
  CHECK(copies() == 0);
  state(plan.gradient_as_bucket_view, false);
  state(plan.sharding_engine, "fsdp");
  state(plan.sharding_stage, 3);
  CHECK(copies() == 0);
}

TEST_CASE("an absurd batch gives no time rather than a wrong one") {
  const TrainingPlan plan = resnet50(1'000'000'000'000'000);
  PlanOn request = request_for(plan, "a10g");
  request.predict_time = true;
  const Estimate result = estimate(request);
  if (result.step_time)
    CHECK(result.step_time->total.low.value <= result.step_time->total.high.value);
}
