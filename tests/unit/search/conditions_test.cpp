// VRAM under the answers to what a config leaves open. Qwen3-4B of the embedded database.
#include "search/conditions.h"

#include "unit/estimate/embedded.h"
#include "unit/estimate/plans.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace gpulint;
using namespace gpulint::test;

namespace {

TrainingPlan wholly_stated() {
  TrainingPlan plan = bf16_on_one_gpu("Qwen/Qwen3-4B", 1, 2048);
  state(plan.gradient_accumulation_steps, 1);
  state(plan.activation_checkpointing, "full");
  return plan;
}

TrainingPlan launched_somehow() {
  TrainingPlan plan = wholly_stated();
  plan.world_size.reset();
  plan.sharding_stage.reset();
  return plan;
}

std::vector<Condition> conditions_for(const TrainingPlan& plan) {
  PlanOn request;
  request.plan = &plan;
  request.models = &known_models();
  return conditions_of(request, estimate(request));
}

std::set<std::string> facts_in(const std::vector<Condition>& conditions) {
  std::set<std::string> facts;
  for (const Condition& condition : conditions) {
    for (const SupposedFact& fact : condition.facts) facts.insert(fact.fact);
  }
  return facts;
}

const Condition* with_facts(const std::vector<Condition>& conditions,
                            const std::vector<SupposedFact>& facts) {
  const auto found =
      std::find_if(conditions.begin(), conditions.end(), [&](const Condition& condition) {
        return std::all_of(facts.begin(), facts.end(), [&](const SupposedFact& fact) {
          return std::find(condition.facts.begin(), condition.facts.end(), fact) !=
                 condition.facts.end();
        });
      });
  return found == conditions.end() ? nullptr : &*found;
}

bool all_bounded(const std::vector<Condition>& conditions) {
  return std::none_of(conditions.begin(), conditions.end(),
                      [](const Condition& condition) { return condition.lower_bound_only; });
}

}  // namespace

TEST_CASE("a narrow estimate has no conditions") { CHECK(conditions_for(wholly_stated()).empty()); }

TEST_CASE("how a launcher splits states is a condition, and more ranks need less of each") {
  const auto conditions = conditions_for(launched_somehow());
  CHECK(facts_in(conditions) ==
        std::set<std::string>{"sharding_engine", "sharding_stage", "world_size"});
  CHECK(all_bounded(conditions));
  const Condition* whole = with_facts(conditions, {{"sharding_stage", {"0"}}});
  const Condition* few = with_facts(conditions, {{"sharding_stage", {"3"}}, {"world_size", {"8"}}});
  const Condition* many =
      with_facts(conditions, {{"sharding_stage", {"3"}}, {"world_size", {"64"}}});
  REQUIRE(whole);
  REQUIRE(few);
  REQUIRE(many);
  CHECK(whole->needed.low > few->needed.high);
  CHECK(few->needed.low > many->needed.low);
}

TEST_CASE("a condition needs what stating its facts gives") {
  const auto conditions = conditions_for(launched_somehow());
  const Condition* supposed =
      with_facts(conditions,
                 {{"sharding_stage", {"3"}}, {"sharding_engine", {"fsdp"}}, {"world_size", {"8"}}});
  REQUIRE(supposed);
  TrainingPlan plan = launched_somehow();
  state(plan.sharding_stage, 3);
  state(plan.sharding_engine, "fsdp");
  state(plan.world_size, 8);
  const VramEstimate stated = vram_of(plan);
  CHECK(supposed->needed.low.count() == stated.needed.low.count());
  CHECK(supposed->needed.high.count() == stated.needed.high.count());
}

TEST_CASE("combinations that need the same are said once") {
  TrainingPlan plan = launched_somehow();
  state(plan.gradient_as_bucket_view, true);
  const auto conditions = conditions_for(plan);
  CHECK(with_facts(conditions, {{"sharding_stage", {"0"}}, {"world_size", {"1", "8"}}}));
}

TEST_CASE("a run whose ranks are known is not asked for them") {
  TrainingPlan plan = launched_somehow();
  state(plan.world_size, 16);
  CHECK(facts_in(conditions_for(plan)) ==
        std::set<std::string>{"sharding_engine", "sharding_stage"});
}

TEST_CASE("the engine of a run decides which stages are supposed") {
  TrainingPlan plan = launched_somehow();
  state(plan.sharding_engine, "megatron");
  const auto conditions = conditions_for(plan);
  CHECK(with_facts(conditions, {{"sharding_stage", {"1"}}}));
  CHECK_FALSE(with_facts(conditions, {{"sharding_stage", {"3"}}}));
  CHECK_FALSE(facts_in(conditions).contains("sharding_engine"));
}

TEST_CASE("two open questions are answered together, and a third one widens the intervals") {
  TrainingPlan plan = launched_somehow();
  plan.activation_checkpointing.reset();
  const auto conditions = conditions_for(plan);
  CHECK(facts_in(conditions) == std::set<std::string>{"activation_checkpointing", "sharding_engine",
                                                      "sharding_stage", "world_size"});
  const Condition* recomputed =
      with_facts(conditions, {{"activation_checkpointing", {"full"}}, {"world_size", {"64"}}});
  const Condition* kept =
      with_facts(conditions, {{"activation_checkpointing", {"none"}}, {"world_size", {"64"}}});
  REQUIRE(recomputed);
  REQUIRE(kept);
  CHECK(recomputed->needed.high < kept->needed.high);
}

TEST_CASE("the size of the input is asked first: without it nothing is bounded") {
  TrainingPlan plan = wholly_stated();
  plan.sequence_length.reset();
  plan.per_device_batch_size.reset();
  const auto conditions = conditions_for(plan);
  CHECK(facts_in(conditions) == std::set<std::string>{"per_device_batch_size", "sequence_length"});
  CHECK(all_bounded(conditions));
}

TEST_CASE("samples that nothing packs need memory by the longest batch") {
  TrainingPlan plan = bf16_on_one_gpu("Qwen/Qwen3-4B", 8, 2048);
  state(plan.packing, false);
  state(plan.adapter, "lora");
  state(plan.adapter_rank, 16);
  state(plan.adapter_targets, TextList{"q_proj", "v_proj"});
  const auto conditions = conditions_for(plan);
  REQUIRE(conditions.size() == 2);
  CHECK(conditions[0].facts == std::vector<SupposedFact>{{"sequence_length", {"512"}},
                                                         {"variable_input_sizes", {"true"}}});
  CHECK(conditions[1].facts.front() == SupposedFact{"sequence_length", {"2048"}});
  CHECK(all_bounded(conditions));
  CHECK(conditions[0].needed.high < conditions[1].needed.high);
}

TEST_CASE("nothing is supposed for a job with a part that nobody counts") {
  TrainingPlan plan = launched_somehow();
  state(plan.unmodelled_parts, TextList{"a teacher"});
  CHECK(conditions_for(plan).empty());
}

TEST_CASE("nothing is supposed for an unknown model") {
  TrainingPlan plan = launched_somehow();
  state(plan.model, "none/of-these");
  CHECK(conditions_for(plan).empty());
}

TEST_CASE("a language model that only its name describes may be built like those of its size") {
  TrainingPlan plan = wholly_stated();
  state(plan.model, "our-lab/Nova-3B-instruct");
  const auto conditions = conditions_for(plan);
  CHECK(facts_in(conditions).count("model") == 1);
  std::set<std::string> like;
  for (const Condition& condition : conditions) {
    CHECK(condition.bounded_above);
    // Three billion weights, gradients and two values of AdamW in 16 bits.
    CHECK(condition.needed.low > Bytes::of(4 * 2 * 3'000'000'000LL));
    const auto model = std::find_if(condition.facts.begin(), condition.facts.end(),
                                    [](const SupposedFact& fact) { return fact.fact == "model"; });
    REQUIRE(model != condition.facts.end());
    like.insert(model->values.begin(), model->values.end());
  }
  CHECK(like.count("llama-3.2-3b") == 1);
  CHECK(like.count("llama-3.1-8b") == 0);
  state(plan.model, "our-lab/Nova-instruct");
  CHECK(conditions_for(plan).empty());
}

TEST_CASE("where a language model is tuned and nothing says which, sizes of usual ones are tried") {
  TrainingPlan plan = wholly_stated();
  state(plan.model, "/mnt/weights");
  state(plan.objective, "sft");
  const auto conditions = conditions_for(plan);
  const Condition* small = with_facts(conditions, {{"model", {"llama-3.2-1b"}}});
  const Condition* large = with_facts(conditions, {{"model", {"llama-3.1-70b"}}});
  REQUIRE(small != nullptr);
  REQUIRE(large != nullptr);
  CHECK(small->bounded_above);
  CHECK(small->needed.high < large->needed.low);
  state(plan.num_classes, 10);
  CHECK(conditions_for(plan).empty());
}

TEST_CASE("a model that is named and not known is not taken for one of the usual sizes") {
  TrainingPlan plan = wholly_stated();
  state(plan.model, "some-lab/Tiny-MoE");
  state(plan.objective, "sft");
  CHECK(with_facts(conditions_for(plan), {{"model", {"llama-3.2-1b"}}}) == nullptr);
}

TEST_CASE("an adapter on the layers of a language model says what kind of network it adapts") {
  TrainingPlan plan = wholly_stated();
  plan.model.reset();
  state(plan.adapter, "lora");
  state(plan.adapter_rank, 16);
  state(plan.adapter_targets, TextList{"q_proj", "gate_proj"});
  CHECK(facts_in(conditions_for(plan)).count("model") == 1);
  state(plan.adapter_targets, TextList{"q_proj", "v_proj"});
  CHECK(conditions_for(plan).empty());
}

TEST_CASE("the folder of an earlier run names the model that its weights may be of") {
  TrainingPlan plan = wholly_stated();
  state(plan.model, "runs/llama-3.1-8b/seed-1/merged");
  const auto conditions = conditions_for(plan);
  REQUIRE(conditions.size() == 1);
  CHECK(conditions.front().facts.front() == SupposedFact{"model", {"llama-3.1-8b"}});
  state(plan.model, "runs/ours/seed-1/merged");
  CHECK(conditions_for(plan).empty());
}

TEST_CASE("no answer to an open fact needs more than the whole run was said to") {
  const TrainingPlan plan = launched_somehow();
  PlanOn request;
  request.plan = &plan;
  request.models = &known_models();
  const Estimate known = estimate(request);
  for (const Condition& condition : conditions_of(request, known)) {
    CHECK(condition.needed.high <= known.vram->needed.high);
    CHECK(condition.needed.low >= known.vram->needed.low);
  }
}

TEST_CASE("a model named without its size is tried at each size it comes in") {
  TrainingPlan plan = wholly_stated();
  state(plan.model, "google/gemma");
  const std::vector<Condition> conditions = conditions_for(plan);
  REQUIRE(conditions.size() == 2);
  const Condition* small = with_facts(conditions, {{"model", {"gemma-2b"}}});
  const Condition* large = with_facts(conditions, {{"model", {"gemma-7b"}}});
  REQUIRE(small != nullptr);
  REQUIRE(large != nullptr);
  CHECK(small->bounded_above);
  CHECK(small->needed.high < large->needed.low);
}

TEST_CASE("no samples longer than a model has positions for are supposed") {
  TrainingPlan plan = bf16_on_one_gpu("openai-community/gpt2", 1, 512);
  plan.sequence_length.reset();
  std::set<std::string> lengths;
  for (const Condition& condition : conditions_for(plan)) {
    for (const SupposedFact& fact : condition.facts) {
      if (fact.fact == "sequence_length") lengths.insert(fact.values.begin(), fact.values.end());
    }
  }
  CHECK(lengths == std::set<std::string>{"1024", "512"});
}
