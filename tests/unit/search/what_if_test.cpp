// What the VRAM would be, were the open facts known. Qwen3-4B of the embedded database.
#include "search/what_if.h"

#include "unit/estimate/embedded.h"
#include "unit/estimate/plans.h"

#include <doctest/doctest.h>

using namespace gpulint;
using namespace gpulint::test;

namespace {

/// Full fine-tuning under DDP: nothing is shared between ranks.
TrainingPlan fine_tuning() {
  TrainingPlan plan = bf16_on_one_gpu("Qwen/Qwen3-4B", 1, 2048);
  state(plan.gradient_accumulation_steps, 1);
  state(plan.activation_checkpointing, "full");
  return plan;
}

std::optional<WhatIf> suppositions_about(const TrainingPlan& plan) {
  PlanOn request;
  request.plan = &plan;
  request.models = &known_models();
  return what_if(request, estimate(request));
}

}  // namespace

TEST_CASE("an estimate that stands by itself needs no suppositions") {
  CHECK_FALSE(suppositions_about(fine_tuning()));
}

TEST_CASE("an open sequence length is supposed at usual lengths, and more tokens need more") {
  TrainingPlan plan = fine_tuning();
  plan.sequence_length.reset();
  const auto table = suppositions_about(plan);
  REQUIRE(table);
  CHECK(table->rows.fact == "sequence_length");
  CHECK(table->rows.values == std::vector<std::string>{"512", "2048", "4096", "8192"});
  CHECK(table->columns.fact.empty());
  for (std::size_t row = 0; row < 4; ++row) REQUIRE(table->cell(row, 0));
  CHECK_FALSE(table->cell(0, 0)->vram.lower_bound_only);
  CHECK(table->cell(0, 0)->vram.total.central < table->cell(1, 0)->vram.total.central);
  CHECK(table->cell(2, 0)->vram.total.central < table->cell(3, 0)->vram.total.central);
}

TEST_CASE("what is supposed is what stating it gives") {
  TrainingPlan plan = fine_tuning();
  plan.sequence_length.reset();
  const auto table = suppositions_about(plan);
  REQUIRE(table);
  const TrainingPlan stated = fine_tuning();  // 2048 tokens
  PlanOn request;
  request.plan = &stated;
  request.models = &known_models();
  CHECK(table->cell(1, 0)->vram.total.central.count() ==
        estimate(request).vram->total.central.count());
}

TEST_CASE("ranks that share their states in unknown ways are supposed to split all of them") {
  TrainingPlan plan = fine_tuning();
  plan.world_size.reset();
  plan.sharding_stage.reset();
  const auto table = suppositions_about(plan);
  REQUIRE(table);
  CHECK(table->rows.fact.empty());
  CHECK(table->columns.fact == "world_size");
  CHECK(table->sharded);
  REQUIRE(table->cell(0, 0));
  REQUIRE(table->cell(0, 3));
  CHECK(table->columns.values[3] == "8");
  CHECK_FALSE(table->cell(0, 3)->vram.lower_bound_only);
  CHECK(table->cell(0, 3)->vram.total.central < table->cell(0, 0)->vram.total.central);
}

TEST_CASE("an unknown model leaves nothing to suppose") {
  TrainingPlan plan = fine_tuning();
  state(plan.model, "none/of-these");
  plan.sequence_length.reset();
  CHECK_FALSE(suppositions_about(plan));
}
