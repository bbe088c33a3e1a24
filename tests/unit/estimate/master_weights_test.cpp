// fp32 copies beside 16-bit weights: what each kind takes per parameter.
#include "plans.h"
#include "unit/shipped_plan.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace gpulint;
using namespace gpulint::test;

namespace {

constexpr std::int64_t kBillion = 1'000'000'000;

TrainingPlan half_weights(const std::string& kept) {
  TrainingPlan plan = test::shipped_plan();
  state(plan.parameters, kBillion);
  state(plan.per_device_batch_size, 1);
  state(plan.activation_bytes_per_sample, Bytes::of(1000));
  state(plan.mixed_precision, "fp16");
  state(plan.weights_dtype, "fp16");
  state(plan.optimizer, "adam");
  state(plan.gradient_accumulation_steps, 1);
  state(plan.world_size, 1);
  if (!kept.empty()) state(plan.master_weights, kept);
  return plan;
}

}  // namespace

TEST_CASE("masters of 16-bit weights take 4 bytes a parameter, and so does each fp32 state") {
  struct Row {
    std::string kept;
    std::int64_t states;
    std::int64_t gradients;
  };
  const std::vector<Row> table = {
      {"", 4, 2}, {"none", 4, 2}, {"states", 8, 2}, {"weights", 12, 4}, {"gradients", 12, 6}};
  for (const Row& row : table) {
    CAPTURE(row.kept);
    const Estimate known = estimate_of(half_weights(row.kept));
    REQUIRE(known.vram);
    CHECK(known.vram->phase == "optimizer step");
    CHECK(term(*known.vram, "weights") == Bytes::of(2 * kBillion));
    CHECK(term(*known.vram, "optimizer state") == Bytes::of(row.states * kBillion));
    CHECK(term(*known.vram, "gradients") == Bytes::of(row.gradients * kBillion));
  }
}

TEST_CASE("gradients of weights with masters are in the format they are summed in") {
  TrainingPlan plan = half_weights("weights");
  state(plan.gradient_dtype, "bf16");
  CHECK(term(*estimate_of(plan).vram, "gradients") == Bytes::of(2 * kBillion));
}

TEST_CASE("what has fp32 copies of its weights keeps the weights in the format it computes in") {
  TrainingPlan plan = half_weights("weights");
  plan.weights_dtype.reset();
  const Estimate known = estimate_of(plan);
  CHECK(term(*known.vram, "weights") == Bytes::of(2 * kBillion));
  CHECK_FALSE(is_unknown(known, "weights_dtype"));
}

TEST_CASE("an optimizer that nobody knows may take gradients as they are made") {
  TrainingPlan plan = half_weights("");
  const Bytes known = estimate_of(plan).vram->needed.low;
  state(plan.optimizer, "adam_by_layer");
  CHECK(estimate_of(plan).vram->needed.low.as_double() < known.as_double() - 5.5e9);
  state(plan.optimizer_in_backward, false);
  CHECK(estimate_of(plan).vram->needed.low.as_double() > 4e9);
}
