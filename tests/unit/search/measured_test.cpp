// Measured points of the A100 guide (2.3 GB at batch 32) and the RTX 4060 guide (1.82 GB at batch
// 16 in fp32, 2.07 GB at batch 64 under AMP).
#include "unit/estimate/plans.h"
#include "unit/shipped_plan.h"

#include <doctest/doctest.h>

#include <array>

using namespace gpulint;
using namespace gpulint::test;

namespace {

Measurement point(std::int64_t batch, Bytes peak, std::string mixed_precision = "",
                  MemoryKind kind = MemoryKind::nvidia_smi) {
  Measurement measurement;
  if (!mixed_precision.empty()) measurement.when = {{"mixed_precision", mixed_precision}};
  measurement.per_device_batch_size = batch;
  measurement.peak = peak;
  measurement.kind = kind;
  return measurement;
}

TrainingPlan plan_at(std::int64_t batch, const char* mixed_precision = nullptr) {
  TrainingPlan plan = test::shipped_plan();
  state(plan.per_device_batch_size, batch);
  if (mixed_precision != nullptr) state(plan.mixed_precision, mixed_precision);
  return plan;
}

}  // namespace

TEST_CASE("the A100 guide's 525 is (40 - 2.3) / 2.3 x 32 with capacity and reserve stated") {
  TrainingPlan plan = plan_at(32);
  state(plan.gpu_memory, gb(40));
  state(plan.gpu_memory_reserve, mb(2'300));
  const std::array measurements{point(32, mb(2'300))};
  const Gpu gpu = a100();
  const auto range = batch_range_that_fits({&plan, &gpu, nullptr, measurements});
  REQUIRE(range);
  CHECK(range->proportional == doctest::Approx(524.52).epsilon(0.00001));
  CHECK(range->low == 524);
  CHECK_FALSE(range->bounded_above);
  CHECK(range->explanation.starts_with("(40.0 GB - 2.30 GB) / 2.30 GB x 32 = 524.5 "));
}

TEST_CASE("with the database's capacity the range starts at our own number") {
  const TrainingPlan plan = plan_at(32);
  const std::array measurements{point(32, mb(2'300))};
  const Gpu gpu = a100();
  const auto range = batch_range_that_fits({&plan, &gpu, nullptr, measurements});
  CHECK(range->low == 589);  // 40441 MiB / 2.3 GB x 32
  CHECK(range->explanation.find("one point cannot separate the two") != std::string::npos);
  CHECK_FALSE(largest_batch_that_fits({&plan, &gpu, nullptr, measurements}));
}

TEST_CASE("a measured batch that does not fit bounds the batch from above only") {
  TrainingPlan plan = plan_at(32);
  state(plan.gpu_memory, gb(8));
  const std::array measurements{point(32, gb(16))};
  const auto range = batch_range_that_fits({&plan, nullptr, nullptr, measurements});
  CHECK(range->low == 0);
  CHECK(range->high == 16);
  CHECK(range->bounded_above);
}

TEST_CASE("one point bounds another batch between all fixed and all per sample") {
  const std::array measurements{point(32, mb(2'300))};
  const VramEstimate vram = *estimate_of(plan_at(64), nullptr, nullptr, measurements).vram;
  CHECK(vram.basis == VramBasis::measured_point);
  CHECK(vram.total.low.as_double() == doctest::Approx(2.3e9 * 1.05 / 1.10));
  CHECK(vram.total.central == mb(3'450));
  CHECK(vram.total.high.as_double() == doctest::Approx(4.6e9 * 1.13 / 1.10));
  CHECK(sum_of(vram.terms) == vram.total.central);
  CHECK(vram.explanation.find("cannot separate fixed from per-sample") != std::string::npos);
  const VramEstimate smaller = *estimate_of(plan_at(1), nullptr, nullptr, measurements).vram;
  CHECK(smaller.total.high < mb(2'400));
  CHECK(smaller.total.low < mb(100));
}

TEST_CASE("a measured batch is the measurement itself") {
  const std::array measurements{point(32, mb(2'300))};
  const VramEstimate vram = *estimate_of(plan_at(32), nullptr, nullptr, measurements).vram;
  CHECK(vram.total.central == mb(2'300));
  CHECK(vram.terms.size() == 1);
  const Estimate result = estimate_of(plan_at(32), nullptr, nullptr, measurements);
  CHECK_FALSE(is_unknown(result, "parameters"));
  CHECK_FALSE(is_unknown(result, "activation_bytes_per_sample"));
}

TEST_CASE("the RTX 4060 guide's two points belong to different settings and are not joined") {
  const std::array measurements{point(16, mb(1'820), "none"), point(64, mb(2'070), "fp16")};
  const auto at = [&](const TrainingPlan& plan) {
    return estimate_of(plan, nullptr, nullptr, measurements);
  };
  CHECK(at(plan_at(16, "none")).vram->total.central == mb(1'820));
  CHECK(at(plan_at(64, "fp16")).vram->total.central == mb(2'070));
  CHECK(at(plan_at(64, "none")).vram->basis == VramBasis::measured_point);
  CHECK_FALSE(at(plan_at(64, "bf16")).vram);
  const Estimate unknown = at(plan_at(64));
  CHECK_FALSE(unknown.vram);
  CHECK(is_unknown(unknown, "mixed_precision"));
}

TEST_CASE("two points give a line that separates fixed from per-sample memory") {
  const std::array measurements{point(16, mb(2'000)), point(32, mb(3'000))};
  const Gpu gpu = a100();
  const TrainingPlan plan = plan_at(24);
  const VramEstimate vram = *estimate_of(plan, &gpu, nullptr, measurements).vram;
  CHECK(vram.basis == VramBasis::measured_line);
  CHECK(vram.total.central == mb(2'500));
  CHECK(vram.terms[0].bytes == mb(1'000));
  CHECK(vram.terms[1].bytes == mb(1'500));
  const VramEstimate far = *estimate_of(plan_at(320), &gpu, nullptr, measurements).vram;
  CHECK(far.total.central == mb(21'000));
  // beyond the points the interval widens and stays within proportional growth
  CHECK(far.total.high <= Bytes::rounded(30e9 * 1.13 / 1.10));
  CHECK(far.total.high > mb(21'600));
  const auto largest = largest_batch_that_fits({&plan, &gpu, nullptr, measurements});
  REQUIRE(largest);
  const VramEstimate at_largest = *estimate_of(plan_at(*largest), &gpu, nullptr, measurements).vram;
  CHECK(at_largest.total.high <= gpu.usable_memory->low);
  CHECK_FALSE(batch_range_that_fits({&plan, &gpu, nullptr, measurements}));
}

TEST_CASE("reserved and allocated readings gain what lies outside them") {
  const Gpu gpu = a100();
  const std::array reserved{point(32, mb(2'000), "", MemoryKind::reserved)};
  const std::array allocated{point(32, mb(2'000), "", MemoryKind::allocated)};
  const Bytes context = Bytes::mib(462);
  CHECK(estimate_of(plan_at(32), &gpu, nullptr, reserved).vram->total.central ==
        mb(2'000) + context);
  CHECK(estimate_of(plan_at(32), &gpu, nullptr, allocated).vram->total.central ==
        mb(2'200) + context);
}

TEST_CASE("measured points win over stated activations") {
  const std::array measurements{point(32, mb(2'300))};
  TrainingPlan plan = plan_at(32);
  state(plan.parameters, 1'000'000);
  state(plan.activation_bytes_per_sample, mb(1));
  CHECK(estimate_of(plan, nullptr, nullptr, measurements).vram->basis == VramBasis::measured_point);
}

TEST_CASE("absurd batches and readings stay finite and ordered") {
  const std::array measurements{point(1, Bytes::of(9'000'000'000'000'000'000)),
                                point(2, Bytes::of(1)), point(0, mb(1)), point(5, Bytes::of(-7))};
  const TrainingPlan plan = plan_at(1'000'000'000'000'000'000);
  const VramEstimate vram = *estimate_of(plan, nullptr, nullptr, measurements).vram;
  CHECK(vram.total.low <= vram.total.central);
  CHECK(vram.total.central <= vram.total.high);
  CHECK(vram.total.low >= Bytes{});
}
