#include "run/resolved_run.h"

#include "estimate/estimate.h"
#include "plan/complete.h"
#include "plan/fact_table.h"
#include "run/model_facts.h"
#include "unit/estimate/embedded.h"

#include <doctest/doctest.h>

using namespace gpulint;
using namespace gpulint::test;

namespace resolved_run_test {

ResolvedRun run_of(const TrainingPlan& plan, RunTarget target = {}) {
  return ResolvedRun::of(plan, &known_models(), target);
}

TrainingPlan named(std::string_view model) {
  TrainingPlan plan = shipped_plan();
  state(plan.model, model);
  state(plan.per_device_batch_size, 1);
  state(plan.sequence_length, 2048);
  return plan;
}

TEST_CASE("a model that is named states its dimensions and parameters") {
  const ResolvedRun run = run_of(named("meta-llama/Llama-3.1-8B"));
  REQUIRE(run.model() != nullptr);
  const TrainingPlan& facts = run.facts();
  REQUIRE(facts.hidden_size);
  CHECK(facts.hidden_size->value == 4096);
  CHECK(facts.hidden_size->from.origin == Origin::model);
  CHECK(facts.hidden_size->from.detail.find("llama-3.1-8b.yaml") != std::string::npos);
  CHECK(facts.num_hidden_layers->value == 32);
  CHECK(facts.num_attention_heads->value == 32);
  CHECK(facts.num_key_value_heads->value == 8);
  CHECK(facts.intermediate_size->value == 14336);
  CHECK(facts.head_size->value == 128);
  CHECK(facts.vocab_size->value == 128256);
  CHECK(facts.parameters->value == 8030261248);
}

TEST_CASE("what the config states wins over the model, and what the model derives follows it") {
  TrainingPlan plan = named("meta-llama/Llama-3.1-8B");
  state(plan.hidden_size, 2048);
  const TrainingPlan facts = run_of(plan).facts();
  CHECK(facts.hidden_size->value == 2048);
  CHECK(facts.hidden_size->from.origin == Origin::stated);
  CHECK(facts.head_size->value == 64);
  CHECK(facts.parameters->value < 4'000'000'000);  // counted for the narrower network
}

TEST_CASE("a stated width that the model's heads do not divide has no head size") {
  TrainingPlan plan = named("meta-llama/Llama-2-7b-hf");
  state(plan.hidden_size, 1000);
  const TrainingPlan facts = run_of(plan).facts();
  CHECK(facts.num_attention_heads->value == 32);
  CHECK_FALSE(facts.head_size);
}

TEST_CASE("positions bound a sequence only where the model has a table of them") {
  CHECK(run_of(named("openai-community/gpt2")).facts().max_position_embeddings->value == 1024);
  CHECK_FALSE(run_of(named("bigscience/bloom-560m")).facts().max_position_embeddings);
  CHECK_FALSE(run_of(named("microsoft/deberta-v3-base")).facts().max_position_embeddings);
}

TEST_CASE("a mixture of experts has the intermediate size of its published config.json") {
  CHECK(run_of(named("Qwen/Qwen3-30B-A3B")).facts().intermediate_size->value == 6144);
  CHECK(run_of(named("allenai/OLMoE-1B-7B-0924")).facts().intermediate_size->value == 1024);
}

TEST_CASE("a dense member of a family that has mixtures too has no experts") {
  const TrainingPlan dense = run_of(named("Qwen/Qwen3.5-9B")).facts();
  CHECK_FALSE(dense.num_experts);
  CHECK_FALSE(dense.moe_top_k);
  const ResolvedRun mixture = run_of(named("Qwen/Qwen3-Next-80B-A3B-Instruct"));
  CHECK(mixture.facts().num_experts->value == 512);
  CHECK(mixture.facts().moe_top_k->value == 10);
}

TEST_CASE("a run alters the model it names where a stated dimension differs from the model's") {
  const auto altered = [](const TrainingPlan& plan) {
    const ResolvedRun run = run_of(plan);
    return alters_model(*run.model(), run.facts());
  };
  TrainingPlan plan = named("openai-community/gpt2");
  CHECK_FALSE(altered(plan).has_value());  // it states none
  state(plan.vocab_size, 50257);
  CHECK(altered(plan) == false);
  state(plan.num_hidden_layers, 6);
  CHECK(altered(plan) == true);
}

TEST_CASE("a model nobody knows leaves its dimensions unknown") {
  const ResolvedRun run = run_of(named("our/in-house-model"));
  CHECK(run.model() == nullptr);
  CHECK_FALSE(run.facts().hidden_size);
  CHECK_FALSE(run.facts().parameters);
}

TEST_CASE("a vision transformer's heads do not make its samples text") {
  TrainingPlan plan = shipped_plan();
  state(plan.model, "vit_base_patch16_224");
  state(plan.sequence_length, 197);
  state(plan.per_device_batch_size, 8);
  CHECK_FALSE(run_of(plan).facts().vocab_size);
  CHECK_FALSE(run_of(plan).facts().sample_bytes);
}

TEST_CASE("a network that cuts images into patches takes images of the size in its name") {
  const auto side = [](std::string_view name) -> std::int64_t {
    TrainingPlan plan = shipped_plan();
    state(plan.model, name);
    const TrainingPlan facts = run_of(plan).facts();
    if (!facts.image_size) return 0;
    CHECK(facts.image_size->from.origin == Origin::model);
    return facts.image_size->value;
  };
  CHECK(side("vit_base_patch16_224") == 224);
  CHECK(side("timm/vit_base_patch16_224.augreg_in21k") == 224);
  CHECK(side("swin_tiny_patch4_window7_224") == 224);
  CHECK(side("resnet152") == 0);
  CHECK(side("regnety_160") == 0);
  TrainingPlan stated = shipped_plan();
  state(stated.model, "vit_base_patch16_224");
  state(stated.image_size, 384);
  CHECK(run_of(stated).facts().image_size->value == 384);
}

TEST_CASE("a changed fact takes along what followed from it") {
  TrainingPlan plan = shipped_plan();
  state(plan.per_device_batch_size, 4);
  state(plan.gpus_per_node, 8);
  state(plan.nodes, 2);
  state(plan.gradient_accumulation_steps, 2);
  const ResolvedRun run = run_of(plan);
  CHECK(run.facts().global_batch_size->value == 128);
  const ResolvedRun larger = run.with({{"per_device_batch_size", "16"}});
  CHECK(larger.facts().global_batch_size->value == 512);
  const ResolvedRun fewer = larger.with({{"nodes", "1"}});
  CHECK(fewer.facts().world_size->value == 8);
  CHECK(fewer.facts().global_batch_size->value == 256);
  CHECK(fewer.layout().hosts == 1);
  CHECK(run.facts().global_batch_size->value == 128);  // a value: the first run is as it was
}

TEST_CASE(
    "what is known of the optimizer, adapter and engine is looked up when the run is resolved") {
  TrainingPlan plan = shipped_plan();
  state(plan.optimizer, "sgd");
  state(plan.adapter, "none");
  state(plan.sharding_engine, "fsdp2");
  const ResolvedRun run = run_of(plan);
  REQUIRE(run.optimizer().traits != nullptr);
  CHECK(run.optimizer().traits->id == "sgd");
  CHECK(run.optimizer().unknown == UnknownFacts{"momentum"});
  CHECK_FALSE(run.adapter().present);
  CHECK(run.adapter().traits == nullptr);
  CHECK(run.implementation() == nullptr);
  REQUIRE(run.engine() != nullptr);
  CHECK(run.engine()->states == StateLayout::gathered_units);
}

TEST_CASE("a changed optimizer or adapter is looked up again") {
  TrainingPlan plan = shipped_plan();
  state(plan.optimizer, "adamw");
  const ResolvedRun run = run_of(plan);
  CHECK(run.optimizer().state_values.central == 2);
  const ResolvedRun small = run.with({{"optimizer", "adamw_8bit"}});
  CHECK(small.optimizer().state_values.central == 0);
  CHECK(small.optimizer().state_bytes.central == 2.03125);
  const ResolvedRun plain = run.with({{"optimizer", "sgd"}, {"momentum", "0.9"}});
  CHECK(plain.optimizer().state_values.central == 1);
  CHECK(plain.optimizer().unknown.empty());
  CHECK(run.with({{"adapter", "nobodys"}}).adapter().is_undescribed());
  CHECK(run.with({{"adapter", "lora"}}).adapter().is_at(AdapterPlace::layers));
}

TEST_CASE("a rank of an adapter that nobody names may freeze the weights") {
  TrainingPlan plan = shipped_plan();
  plan.adapter.reset();
  state(plan.adapter_rank, 8);
  const ResolvedRun run = run_of(plan);
  CHECK(run.adapter().present);
  CHECK(run.adapter().is_undescribed());
  CHECK_FALSE(run.with({{"adapter", "none"}}).adapter().present);
}

TEST_CASE("a frozen part of a model whose parts nobody knows may be most of it") {
  TrainingPlan plan = shipped_plan();
  plan.adapter.reset();
  plan.model.reset();
  state(plan.freeze_language, true);
  CHECK(run_of(plan).adapter().is_undescribed());
  state(plan.freeze_language, false);
  state(plan.freeze_vision, true);
  CHECK_FALSE(run_of(plan).adapter().present);
  plan.freeze_language.reset();
  CHECK(run_of(plan).adapter().is_undescribed());
}

TEST_CASE("nodes that are stated and cannot be read leave the ranks open") {
  auto sources = std::make_shared<FactSources>();
  sources->given = shipped_plan();
  sources->given.world_size.reset();
  sources->given.data_parallel_size.reset();
  sources->given.nodes.reset();
  state(sources->given.gpus_per_node, 8);
  sources->states.resize(fact_table().size());
  sources->states[static_cast<std::size_t>(find_fact("nodes") - fact_table().data())] =
      FactState::blocked;
  Plan plan;
  plan.facts = complete(*sources);
  plan.sources = sources;
  const ResolvedRun run = ResolvedRun::of(plan, nullptr, {});
  CHECK_FALSE(run.layout().world);
  CHECK(run.with({{"nodes", "2"}}).layout().world == 16);
}

TEST_CASE("an adapter that rates its weights keeps the ratings beside what the optimizer keeps") {
  TrainingPlan plan = shipped_plan();
  state(plan.optimizer, "adamw");
  state(plan.adapter, "adalora");
  const Optimizer optimizer = run_of(plan).optimizer();
  CHECK(optimizer.state_values.low == 2);
  CHECK(optimizer.state_values.central == 5);
  CHECK(optimizer.state_values.high == 5);
}

TEST_CASE("a changed per-device batch overrules a written global one") {
  TrainingPlan plan = shipped_plan();
  state(plan.per_device_batch_size, 4);
  state(plan.global_batch_size, 64);
  state(plan.world_size, 8);
  const ResolvedRun run = run_of(plan).with({{"per_device_batch_size", "2"}});
  REQUIRE(run.facts().global_batch_size);
  CHECK(run.facts().global_batch_size->value == 16);
}

TEST_CASE(
    "a fact whose key was not understood is not filled from the model after a change either") {
  auto sources = std::make_shared<FactSources>();
  sources->given = named("meta-llama/Llama-3.1-8B");
  sources->states.assign(fact_table().size(), FactState::untouched);
  const FactRow* heads = find_fact("num_attention_heads");
  sources->states[static_cast<std::size_t>(heads - fact_table().data())] = FactState::blocked;
  Plan plan;
  plan.facts = complete(*sources);
  plan.sources = sources;
  const ResolvedRun run = ResolvedRun::of(plan, &known_models(), {});
  CHECK_FALSE(run.facts().num_attention_heads);
  CHECK_FALSE(run.with({{"sequence_length", "4096"}}).facts().num_attention_heads);
}

TEST_CASE("host RAM counts a model that is named as one whose parameters are stated") {
  TrainingPlan plan = named("meta-llama/Llama-3.1-8B");
  state(plan.gpus_per_node, 8);
  state(plan.num_workers, 2);
  const Estimate by_name = estimate(PlanOn{.plan = &plan, .models = &known_models()});
  TrainingPlan counted = plan;
  state(counted.parameters, 8030261248);
  const Estimate by_count = estimate(PlanOn{.plan = &counted, .models = &known_models()});
  REQUIRE(by_name.ram);
  REQUIRE(by_count.ram);
  CHECK(by_name.ram->total.central == by_count.ram->total.central);
  CHECK(by_name.ram->total.central > gb(250));  // eight copies of 32.1 GB
}

TEST_CASE("tensor-parallel ranks exchange every layer of a model that is named") {
  TrainingPlan plan = named("meta-llama/Llama-2-70b-hf");
  state(plan.tensor_parallel_size, 8);
  state(plan.world_size, 8);
  state(plan.gpus_per_node, 8);
  state(plan.mixed_precision, "bf16");
  const auto exchanged = [&](const TrainingPlan& asked) {
    const Estimate result = estimate(PlanOn{.plan = &asked,
                                            .gpu = catalog().gpu("h100-sxm5-80gb"),
                                            .models = &known_models(),
                                            .predict_time = true});
    REQUIRE(result.step_time);
    for (const TimeTerm& term : result.step_time->terms) {
      if (term.name == "exchange between ranks that nothing hides") return term.arithmetic;
    }
    return std::string("nothing");
  };
  TrainingPlan stated = plan;
  state(stated.num_hidden_layers, 80);
  CHECK(exchanged(plan) == exchanged(stated));
  CHECK(exchanged(plan).find(" GB between tensor-parallel ranks") != std::string::npos);
}

TEST_CASE("a method of tuning that nobody knows may freeze the weights") {
  auto sources = std::make_shared<FactSources>();
  sources->states.assign(fact_table().size(), FactState::untouched);
  const auto adapter = static_cast<std::size_t>(find_fact("adapter") - fact_table().data());
  Plan plan;
  plan.sources = sources;
  CHECK_FALSE(ResolvedRun::of(plan, nullptr, {}).adapter().present);
  sources->states[adapter] = FactState::blocked;
  const ResolvedRun run = ResolvedRun::of(plan, nullptr, {});
  CHECK(run.adapter().present);
  CHECK(run.adapter().is_undescribed());
}

TEST_CASE("a machine with one GPU gives a run one per node, and another machine leaves it open") {
  const Host* one = catalog().host("g5-4xlarge");
  const Host* eight = catalog().host("p5-48xlarge");
  REQUIRE(one != nullptr);
  REQUIRE(eight != nullptr);
  const ResolvedRun run = run_of(named("meta-llama/Llama-3.1-8B"), {.host = one});
  REQUIRE(run.facts().gpus_per_node);
  CHECK(run.facts().gpus_per_node->value == 1);
  CHECK(run.facts().gpus_per_node->from.detail == "g5-4xlarge has 1 GPU");
  CHECK(run.layout().world == 1);
  CHECK_FALSE(run.on({.host = eight}).facts().gpus_per_node);
  CHECK(run_of(named("meta-llama/Llama-3.1-8B"), {.host = eight})
            .on({.host = one})
            .facts()
            .gpus_per_node);

  TrainingPlan more = named("meta-llama/Llama-3.1-8B");
  state(more.world_size, 8);
  CHECK(run_of(more, {.host = one}).layout().hosts == 8);
}

TEST_CASE("the memory stated of one GPU says nothing of another") {
  TrainingPlan plan = named("meta-llama/Llama-3.1-8B");
  state(plan.gpu_memory, Bytes::of(std::int64_t{37} << 30));
  const Gpu* a100 = catalog().gpu("a100-sxm4-40gb");
  const Gpu* small = catalog().gpu("rtx-3090");
  const ResolvedRun run = run_of(plan, {.gpu = a100});
  CHECK(run.on({.gpu = a100}).facts().gpu_memory);
  CHECK_FALSE(run.on({.gpu = small}).facts().gpu_memory);
}

TEST_CASE("a project's network with as many parameters as the model it is built on is that model") {
  TrainingPlan plan = shipped_plan();
  plan.network = Fact<std::string>{"t5-base", {.origin = Origin::code}};
  plan.parameters = Fact<std::int64_t>{222'903'552, {.origin = Origin::code}};
  const ResolvedRun run = run_of(plan);
  REQUIRE(run.model() != nullptr);
  CHECK(run.model()->entry.id == "t5-base");
  CHECK(run.model()->assumed);
  plan.parameters->value += 1'000;
  CHECK(run_of(plan).model() == nullptr);
}

TEST_CASE("where ranks share experts, a size in a name bounds only what one token uses") {
  TrainingPlan plan = named("our-lab/nova-30B-A3B");
  CHECK(run_of(plan).facts().parameters->value == 30'000'000'000);
  state(plan.expert_parallel_size, 8);
  CHECK(run_of(plan).facts().parameters->value == 3'000'000'000);
}

}  // namespace resolved_run_test
