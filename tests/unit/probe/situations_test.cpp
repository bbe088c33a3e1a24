// How a device may be shared, sliced or hidden.

#include "device/measure.h"
#include "probe/confirmation.h"
#include "time/step_replay.h"
#include "unit/device/fake.h"

using namespace gpulint;
using namespace gpulint::probe;

namespace {

DeviceReport measured(const MachineFacts& machine = {}, const Assignment& assignment = untimed()) {
  const Outcome outcome = measure(load_fake(), machine, assignment);
  REQUIRE(std::holds_alternative<DeviceReport>(outcome));
  return std::get<DeviceReport>(outcome);
}

ReplayProduct product(Precision precision) {
  return {.kind = ReplayKind::matrix_product,
          .precision = precision,
          .rows = 32,
          .columns = 16,
          .depth = 64,
          .repeats = 3,
          .over_product = 1,
          .predicted = Seconds{0.06}};
}

StepReplayPlan step_plan() {
  StepReplayPlan plan;
  plan.half.step = plan.full.step = {Seconds{0.07}, Seconds{0.1}, Seconds{0.14}};
  plan.half.products = {product(Precision::bf16)};
  plan.full.products = {product(Precision::fp32)};
  plan.half.passes =
      plan.full.passes = {.copy_bytes = 1e9, .pass_bytes = 4e6, .predicted = Seconds{0.02}};
  plan.half_format = "bf16";
  return plan;
}

Assignment replay_of_step() {
  // Time for the replay, none for the rates.
  return {.plan = [](const DeviceReport&) { return ConfigPlan{.step = step_plan()}; },
          .step_budget = std::chrono::hours(1),
          .end = std::chrono::steady_clock::now() + std::chrono::hours(1)};
}

}  // namespace

TEST_CASE("processes on other slices of a card are none of this slice's") {
  FakeDriver& fake = fresh_fake();
  fake.name = "NVIDIA H200 MIG 1g.18gb";
  fake.processes = 3;
  CHECK_FALSE(measured().other_processes.has_value());
  fake.name = "NVIDIA H200";
  CHECK(measured().other_processes == 3);
}

TEST_CASE("NVML is asked for the device CUDA chose, whatever their orders") {
  FakeDriver& fake = fresh_fake();
  fake.devices = 2;
  Assignment second = untimed();
  second.turn = 1;
  CHECK(measured({}, second).pci_bus_id == "0000:81:00.0");
  CHECK(fake.nvml_saw_second);
  CHECK(measured().pci_bus_id == "0000:03:00.0");
  CHECK_FALSE(fake.nvml_saw_second);
}

TEST_CASE("a GPU that another process owns exclusively is busy") {
  FakeDriver& fake = fresh_fake();
  fake.failing_call = "cuDevicePrimaryCtxRetain";
  fake.failing_code = 46;  // CUDA_ERROR_DEVICE_UNAVAILABLE
  const Outcome outcome = measure(load_fake(), {}, untimed());
  REQUIRE(std::holds_alternative<Unavailable>(outcome));
  CHECK(std::get<Unavailable>(outcome).reason == Reason::busy);
}

TEST_CASE("where MPS grants a part of a card, its totals and rates decide nothing") {
  fresh_fake();
  MachineFacts machine;
  machine.granted_part = "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=50";
  DeviceReport report = measured(machine);
  CHECK(report.disturbed_by ==
        "MPS grants a part of the card: CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=50");
  report.nvml_total = Bytes::gib(9);
  report.cuda_total = Bytes::gib(8);
  Gpu gpu;
  gpu.memory_total = Bytes::mib(143771);
  gpu.usable_memory = BytesRange{Bytes::mib(143156), Bytes::mib(143156)};
  const auto checks = check_device(report, &gpu, {});
  REQUIRE(checks.size() == 2);
  for (const Check& check : checks) {
    CHECK(check.judgement.verdict == Verdict::inconclusive);
    CHECK(check.judgement.why == report.limited_by);
  }
}

TEST_CASE("the step of a config is replayed on the device, in both formats, and leaves nothing") {
  FakeDriver& fake = fresh_fake();
  const DeviceReport report = measured({}, replay_of_step());
  REQUIRE(report.step.has_value());
  CHECK(report.step->not_timed == std::vector<std::string>{});
  REQUIRE(report.step->half.products.size() == 1);
  REQUIRE(report.step->full.products.size() == 1);
  CHECK(report.step->half.products.front().time.measured.value > 0);
  CHECK_FALSE(report.step->half.products.front().time.exact);  // no library was given
  REQUIRE(report.step->half.passes.has_value());
  CHECK(report.step->half.passes->measured.value > 0);
  CHECK(fake.live_objects == 0);
  CHECK(fake.live_contexts == 0);
}

TEST_CASE("no step is replayed beside another process, and a kernel that is wrong is not timed") {
  FakeDriver& fake = fresh_fake();
  fake.processes = 1;
  CHECK_FALSE(measured({}, replay_of_step()).step.has_value());
  fresh_fake().wrong_products = true;
  const DeviceReport wrong = measured({}, replay_of_step());
  REQUIRE(wrong.step.has_value());
  CHECK(wrong.step->half.products.empty());
  CHECK(wrong.step->full.products.empty());
  CHECK(fake.live_objects == 0);
}
