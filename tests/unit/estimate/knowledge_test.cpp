// One file in a data folder is all it takes: an optimizer, an adapter, an implementation, a
// sharding engine or a GPU generation of one's own changes the estimate.
#include "unit/catalog/texts.h"
#include "unit/estimate/embedded.h"

#include <stdexcept>
#include <string>
#include <utility>

using namespace gpulint;
using namespace gpulint::test;

namespace knowledge_test {

Catalog shipped_with(const std::string& path, const std::string& text) {
  DataFiles data = embedded_data();
  data.files.push_back(data_file(path, text));
  Result<Catalog> catalog = Catalog::open(std::move(data));
  if (!catalog) throw std::runtime_error(catalog.error().to_string());
  return std::move(catalog).value();
}

TrainingPlan language_model(const Catalog& catalog) {
  TrainingPlan plan = bf16_on_one_gpu("llama-2-7b", 1, 2048);
  plan.knowledge = &catalog;
  return plan;
}

VramEstimate vram_with(const Catalog& catalog, const TrainingPlan& plan, const Gpu* gpu = nullptr) {
  const KnownModels models(catalog.model_files());
  const Estimate result = estimate(PlanOn{.plan = &plan, .gpu = gpu, .models = &models});
  REQUIRE(result.vram);
  return *result.vram;
}

TEST_CASE("an optimizer is one file") {
  const Catalog catalog = shipped_with("knowledge/optimizers/four_moments.yaml",
                                       "summary: keeps four moments\nstate: {values: 4 values}\n"
                                       "step: {values: 1 value}\n"
                                       "sources: [a test]\n");
  TrainingPlan plan = language_model(catalog);
  state(plan.optimizer, "four_moments");
  const Optimizer ours = ResolvedRun::of(plan, nullptr, {}).optimizer();
  CHECK(ours.state_values.central == 4);
  CHECK(ours.unknown.empty());
  const Bytes described = vram_with(catalog, plan).total.central;
  plan.knowledge = &shipped_catalog();
  const Optimizer unknown = ResolvedRun::of(plan, nullptr, {}).optimizer();
  CHECK(unknown.state_values.central == 2);  // what optimizers usually keep
  CHECK(unknown.unknown == UnknownFacts{"optimizer"});
  const Bytes more = described - vram_with(shipped_catalog(), plan).total.central;
  CHECK(more > Bytes::gib(25));  // two further values of 2 bytes for each of 6.7 billion weights
}

TEST_CASE("an adapter is one file") {
  const Catalog catalog =
      shipped_with("knowledge/adapters/one_vector.yaml",
                   "summary: a vector per layer\nplace: layers\nform: scale\nsources: [a test]\n");
  TrainingPlan plan = language_model(catalog);
  state(plan.adapter_rank, 256);
  state(plan.adapter, "lora");
  const Bytes low_rank = vram_with(catalog, plan).total.central;
  state(plan.adapter, "one_vector");
  CHECK(vram_with(catalog, plan).total.central < low_rank - Bytes::gib(2));
}

TEST_CASE("an implementation is one file") {
  const Catalog catalog = shipped_with("knowledge/implementations/untied.yaml",
                                       "summary: two tensors\nties_embeddings: false\n"
                                       "sources: [a test]\n");
  TrainingPlan plan = bf16_on_one_gpu("qwen2.5-0.5b", 1, 512);  // its own config ties them
  plan.knowledge = &catalog;
  const Bytes tied = term(vram_with(catalog, plan), "weights");
  state(plan.model_implementation, "untied");
  CHECK(term(vram_with(catalog, plan), "weights") - tied == Bytes::of(151'936 * 896 * 2));
}

TEST_CASE("a sharding engine is one file") {
  const Catalog catalog = shipped_with("knowledge/engines/mine.yaml",
                                       "summary: as FSDP\nstates: gathered_units\n"
                                       "sources: [a test]\n");
  TrainingPlan plan = language_model(catalog);
  state(plan.world_size, 8);
  state(plan.sharding_stage, 3);
  state(plan.sharding_engine, "mine");
  const VramEstimate mine = vram_with(catalog, plan);
  state(plan.sharding_engine, "fsdp2");
  CHECK(mine.total.central == vram_with(catalog, plan).total.central);
  state(plan.sharding_engine, "deepspeed");
  CHECK(mine.total.central != vram_with(catalog, plan).total.central);
}

TEST_CASE("a GPU generation is one file") {
  // As Turing: no kernel of attention for bf16, so scores are kept in fp32.
  DataFiles data = embedded_data();
  data.files.push_back(data_file("hardware_db/architectures/old.yaml", R"(name: Old
vendor: nvidia
compute_capability: "7.2"
first_cuda: "10.0"
features: {tensor_cores: true, bf16_native: false, tf32: false, fp8: false, fp4: false,
  flash_attention_2: false, flash_attention_3: false, sdpa_flash: false,
  sdpa_memory_efficient: true, torch_compile: true}
sources: [a test]
)"));
  data.files.push_back(data_file("hardware_db/gpus/old-card.yaml",
                                 "names: [Old Card]\narchitecture: old\nsources: [a test]\n"));
  data.files.push_back(
      data_file("hardware_db/gpus/new-card.yaml",
                "names: [New Card]\narchitecture: ampere-86\nsources: [a test]\n"));
  const Result<Catalog> catalog = Catalog::open(std::move(data));
  REQUIRE(catalog);
  TrainingPlan plan = language_model(*catalog);
  const VramEstimate old_card = vram_with(*catalog, plan, catalog->gpu("old-card"));
  const VramEstimate new_card = vram_with(*catalog, plan, catalog->gpu("new-card"));
  CHECK(old_card.total.central > new_card.total.central + Bytes::gib(1));
}

}  // namespace knowledge_test
