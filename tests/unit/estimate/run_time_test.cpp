// Steps, time and cost. The A10G guide: 1,281,167 ImageNet images at batch 256; the A100 guide:
// 18.59 minutes per epoch and about $4.00 for ten.
#include "plans.h"
#include "unit/shipped_plan.h"

#include <doctest/doctest.h>

using namespace gpulint;
using namespace gpulint::test;

namespace {

TrainingPlan imagenet() {
  TrainingPlan plan = test::shipped_plan();
  state(plan.dataset_samples, 1'281'167);
  state(plan.per_device_batch_size, 256);
  state(plan.gradient_accumulation_steps, 1);
  state(plan.world_size, 1);
  state(plan.epochs, 100.0);
  return plan;
}

}  // namespace

TEST_CASE("an epoch ends with an incomplete batch unless it is dropped") {
  TrainingPlan plan = imagenet();
  CHECK(estimate_of(plan).steps_per_epoch == 5005);
  CHECK(estimate_of(plan).run_steps == 500'500);
  state(plan.drop_last, true);
  CHECK(estimate_of(plan).steps_per_epoch == 5004);  // the guide's count
  state(plan.max_steps, 1000);
  CHECK(estimate_of(plan).run_steps == 1000);
}

TEST_CASE("no step time is ever invented") {
  const Estimate result = estimate_of(imagenet());
  CHECK_FALSE(result.step_time);
  CHECK_FALSE(result.epoch_time);
  CHECK_FALSE(result.run_time);
  CHECK_FALSE(result.cost);
  CHECK(is_unknown(result, "step_time"));
}

TEST_CASE("a measured step time gives epoch time and cost") {
  // A100 guide: 18.59 min x 10 epochs at $1.29 per hour = $4.00
  TrainingPlan plan = test::shipped_plan();
  state(plan.dataset_samples, 1000);
  state(plan.global_batch_size, 1);
  state(plan.epochs, 10.0);
  state(plan.world_size, 1);
  state(plan.price_per_hour, 1.29);
  PlanOn request;
  request.plan = &plan;
  request.step_time = Seconds{18.59 * 60 / 1000};
  const Estimate result = estimate(request);
  CHECK(result.epoch_time->central.value == doctest::Approx(18.59 * 60));
  CHECK(result.cost->central.dollars == doctest::Approx(4.00).epsilon(0.002));
  CHECK(result.throughput->central.value == doctest::Approx(1000 / (18.59 * 60)));
}

TEST_CASE("a price of the host database is paid once per host") {
  TrainingPlan plan = imagenet();
  state(plan.max_steps, 3600);
  state(plan.nodes, 4);
  state(plan.world_size, 32);
  Host host;
  host.price = Price{Money{2.0}, "2026-11-01", "price list", false};
  PlanOn request;
  request.plan = &plan;
  request.host = &host;
  request.step_time = Seconds{1.0};
  CHECK(estimate(request).cost->central.dollars == doctest::Approx(8.0));
}

TEST_CASE("absurd run lengths saturate") {
  TrainingPlan plan = imagenet();
  state(plan.epochs, 1e300);
  CHECK(estimate_of(plan).run_steps == 9'223'372'036'854'775'807);
  state(plan.epochs, -1.0);
  CHECK_FALSE(estimate_of(plan).run_steps);
}

TEST_CASE("a stated step time is taken as it is and wins over any prediction") {
  // The A10G guide's 0.8 and 1.5 it/s over 5,004 iterations: 104 and 55.6 minutes per epoch, 7.2
  // and 3.9 days for 100.
  TrainingPlan plan = imagenet();
  state(plan.drop_last, true);
  state(plan.step_time, 1 / 0.8);
  const Estimate slow = estimate_of(plan);
  CHECK(slow.step_time->basis == TimeBasis::stated);
  CHECK(slow.epoch_time->central.value / 60 == doctest::Approx(104.25));
  CHECK(slow.run_time->central.value / 86400 == doctest::Approx(7.24).epsilon(0.001));
  state(plan.step_time, 1 / 1.5);
  const Estimate fast = estimate_of(plan);
  CHECK(fast.epoch_time->low.value / 60 == doctest::Approx(55.6));
  CHECK(fast.run_time->high.value / 86400 == doctest::Approx(3.861).epsilon(0.001));
}

TEST_CASE("the A100 guide's rates give its costs and its speed-up") {
  // 18.59 and 1.45 minutes per epoch, ten epochs at $1.29 per hour: $4.00, $0.31 and 12.8 times.
  TrainingPlan plan = test::shipped_plan();
  state(plan.dataset_samples, 1000);
  state(plan.global_batch_size, 1);
  state(plan.epochs, 10.0);
  state(plan.world_size, 1);
  state(plan.price_per_hour, 1.29);
  state(plan.step_time, 18.59 * 60 / 1000);
  const Estimate before = estimate_of(plan);
  state(plan.step_time, 1.45 * 60 / 1000);
  const Estimate after = estimate_of(plan);
  CHECK(before.cost->central.dollars == doctest::Approx(4.00).epsilon(0.002));
  CHECK(after.cost->central.dollars == doctest::Approx(0.31).epsilon(0.01));
  CHECK(before.run_time->central.value / after.run_time->central.value ==
        doctest::Approx(12.8).epsilon(0.002));
}
