#include "engine/learning_rate.h"

#include "unit/engine/fixture.h"

#include <doctest/doctest.h>

namespace gpulint {
namespace {

LearningRateJudgement judge(const std::vector<std::pair<std::string, std::string>>& facts) {
  const Plan plan = make_plan(facts);
  return judge_learning_rate(plan.facts, nullptr, std::nullopt);
}

}  // namespace

TEST_CASE("the learning rate of SGD follows the global batch in proportion") {
  for (const auto& [batch, expected] : {std::pair{"256", 0.5},
                                        {"512", 1.0},
                                        {"1024", 2.0},
                                        {"2048", 4.0},
                                        {"320", 0.625},
                                        {"192", 0.375}}) {
    const auto judgement = judge({{"global_batch_size", batch},
                                  {"optimizer", "sgd"},
                                  {"reference_batch_size", "256"},
                                  {"reference_learning_rate", "0.5"}});
    REQUIRE(judgement.expected.has_value());
    CHECK(*judgement.expected == doctest::Approx(expected));
  }
}

TEST_CASE("the learning rate of the Adam family follows the square root of the global batch") {
  for (const char* optimizer : {"adam", "adamw", "adamw_8bit", "rmsprop", "lamb"}) {
    const auto judgement = judge({{"global_batch_size", "64"},
                                  {"optimizer", optimizer},
                                  {"reference_batch_size", "16"},
                                  {"reference_learning_rate", "0.001"}});
    REQUIRE(judgement.expected.has_value());
    CHECK(*judgement.expected == doctest::Approx(0.002));
  }
}

TEST_CASE("optimizers that choose their own rate or have no published rule expect nothing") {
  for (const char* optimizer : {"prodigy", "dadaptadam", "adafactor", "lion", "muon", "adan"}) {
    TrainingPlan plan = test::shipped_plan();
    plan.optimizer = Fact<std::string>{optimizer, {}};
    CHECK_FALSE(learning_rate_rule(plan).has_value());
  }
}

TEST_CASE("with an unknown world size a batch above the reference is a lower bound") {
  const auto above = judge({{"per_device_batch_size", "320"},
                            {"optimizer", "sgd"},
                            {"reference_batch_size", "256"},
                            {"reference_learning_rate", "0.5"}});
  CHECK(above.batch_is_lower_bound);
  CHECK(above.global_batch_size == 320);
  const auto below = judge({{"per_device_batch_size", "32"},
                            {"optimizer", "sgd"},
                            {"reference_batch_size", "256"},
                            {"reference_learning_rate", "0.5"}});
  CHECK_FALSE(below.global_batch_size.has_value());
  CHECK_FALSE(below.expected.has_value());
}

TEST_CASE("a stated reference comes before one found outside the config") {
  const Plan plan = make_plan({{"global_batch_size", "512"},
                               {"optimizer", "sgd"},
                               {"reference_batch_size", "256"},
                               {"reference_learning_rate", "0.5"}});
  LearningRateReference twin;
  twin.kind = LearningRateReference::Kind::twin;
  twin.learning_rate = 0.1;
  twin.global_batch_size = 64;
  const auto judgement = judge_learning_rate(plan.facts, nullptr, twin);
  REQUIRE(judgement.reference.has_value());
  CHECK(judgement.reference->kind == LearningRateReference::Kind::stated);
  CHECK(*judgement.expected == doctest::Approx(1.0));
}

TEST_CASE("what the code does to the rate is stated, known of the dialect, or unknown") {
  const Plan plain = make_plan({});
  CHECK_FALSE(judge_learning_rate(plain.facts, nullptr, {}).scaled_in_code.has_value());
  Dialect dialect;
  dialect.scales_learning_rate = true;
  CHECK(judge_learning_rate(plain.facts, &dialect, {}).scaled_in_code == true);
  const Plan off = make_plan({{"learning_rate_scaling", "none"}});
  CHECK(judge_learning_rate(off.facts, &dialect, {}).scaled_in_code == false);
}

}  // namespace gpulint
