// Vision-language models: what a frozen tower costs, where adapters go, and how many tokens are
// images.

#include "unit/estimate/embedded.h"
#include "unit/estimate/plans.h"

#include <doctest/doctest.h>

#include <string>

using namespace gpulint;
using namespace gpulint::test;

namespace {

TrainingPlan reader(const std::string& model) {
  TrainingPlan plan = bf16_on_one_gpu(model, 1, 2048);
  state(plan.image_max_pixels, std::int64_t{1003520});
  state(plan.images_per_sample, std::int64_t{1});
  return plan;
}

TrainingPlan frozen(TrainingPlan plan) {
  state(plan.freeze_vision, true);
  state(plan.freeze_projector, true);
  return plan;
}

TrainingPlan adapted_everywhere() {
  TrainingPlan plan = reader("qwen2-vl-2b");
  state(plan.adapter, "lora");
  state(plan.adapter_rank, std::int64_t{8});
  state(plan.adapter_targets, TextList{"all-linear"});
  return plan;
}

bool is_open(const TrainingPlan& plan, std::string_view fact) {
  return is_unknown(estimate(PlanOn{.plan = &plan, .models = &known_models()}), fact);
}

constexpr std::int64_t kTower = 631'183'360;  // Qwen2-VL's, without its merger

}  // namespace

TEST_CASE("a frozen tower keeps its weights, and neither gradients nor optimizer states") {
  const VramEstimate whole = vram_of(reader("qwen2-vl-2b"));
  TrainingPlan towerless = reader("qwen2-vl-2b");
  state(towerless.freeze_vision, true);
  const VramEstimate part = vram_of(towerless);
  CHECK(term(part, "weights") == term(whole, "weights"));
  CHECK(term(whole, "optimizer state") - term(part, "optimizer state") == Bytes::of(4 * kTower));
}

TEST_CASE("a frozen tower saves nothing, however large its images are") {
  TrainingPlan small = frozen(reader("qwen2.5-vl-3b"));
  state(small.image_max_pixels, std::int64_t{50176});
  CHECK(term(vram_of(small), "activations") ==
        term(vram_of(frozen(reader("qwen2.5-vl-3b"))), "activations"));
  TrainingPlan trained_small = reader("qwen2.5-vl-3b");
  state(trained_small.image_max_pixels, std::int64_t{50176});
  CHECK(term(vram_of(trained_small), "activations") <
        term(vram_of(reader("qwen2.5-vl-3b")), "activations"));
}

TEST_CASE("adapters stay away from what is frozen, and from the tower where names say so") {
  TrainingPlan adapted = adapted_everywhere();
  const Bytes everywhere = term(vram_of(adapted), "optimizer state");
  const Bytes language = term(vram_of(frozen(adapted)), "optimizer state");
  CHECK(language < everywhere);
  TrainingPlan named = adapted;
  state(named.adapter_targets,
        TextList{"model.language_model.layers.[\\d]+.(mlp|self_attn).(up|down|gate|q|k|v|o)_proj"});
  CHECK(term(vram_of(named), "optimizer state") == language);
}

TEST_CASE("an expression that names no list of layers may mean all of them, and is named") {
  TrainingPlan adapted = adapted_everywhere();
  const Bytes everywhere = term(vram_of(adapted), "optimizer state");
  for (const char* target : {".*(q_proj|v_proj)$", "^(language_model|visual).*(q_proj|v_proj)"}) {
    CAPTURE(target);
    state(adapted.adapter_targets, TextList{target});
    CHECK(term(vram_of(adapted), "optimizer state") == everywhere);
    const Gpu gpu = a100();
    const Estimate result =
        estimate(PlanOn{.plan = &adapted, .gpu = &gpu, .models = &known_models()});
    CHECK(is_unknown(result, "adapter_targets"));
  }
}

TEST_CASE("a projector trained alone needs next to nothing beside the weights") {
  TrainingPlan plan = reader("qwen2-vl-2b");
  state(plan.freeze_vision, true);
  state(plan.freeze_language, true);
  CHECK(term(vram_of(plan), "optimizer state") == Bytes::of(4 * 34'087'936));
}

TEST_CASE("an image of unknown size is named and widens what a trained tower keeps") {
  TrainingPlan open = reader("qwen2.5-vl-3b");
  open.image_max_pixels.reset();
  CHECK(is_open(open, "image_max_pixels"));
  CHECK_FALSE(is_open(reader("qwen2.5-vl-3b"), "image_max_pixels"));
  state(open.sequence_length, std::int64_t{8192});
  TrainingPlan known = reader("qwen2.5-vl-3b");
  state(known.sequence_length, std::int64_t{8192});
  CHECK(vram_of(open).total.high > vram_of(known).total.high);
  CHECK(vram_of(open).total.central == vram_of(known).total.central);
}

TEST_CASE("a run on text alone pays for the tower's weights and nothing else of it") {
  for (const char* model : {"qwen2-vl-2b", "qwen3-vl-2b", "llava-1.5-7b", "internvl3-1b",
                            "paligemma-3b-224", "llama-3.2-11b-vision"}) {
    CAPTURE(model);
    TrainingPlan text = reader(model);
    state(text.images_per_sample, std::int64_t{0});
    const VramEstimate alone = vram_of(text);
    CHECK(term(alone, "optimizer state") < term(vram_of(reader(model)), "optimizer state"));
  }
}

TEST_CASE("Gemma 3 is taken to be tuned on text until images are stated") {
  TrainingPlan text = reader("gemma-3-4b");
  state(text.images_per_sample, std::int64_t{0});
  TrainingPlan open = reader("gemma-3-4b");
  open.images_per_sample.reset();
  CHECK(is_open(open, "images_per_sample"));
  CHECK(vram_of(open).total.central == vram_of(text).total.central);
  CHECK(vram_of(open).total.low == vram_of(text).total.low);
  CHECK(vram_of(open).total.high > vram_of(text).total.high);
}

TEST_CASE("more images than the sequence holds are those it holds") {
  TrainingPlan two = reader("qwen2-vl-2b");
  state(two.sequence_length, std::int64_t{2560});
  state(two.images_per_sample, std::int64_t{2});
  TrainingPlan many = two;
  state(many.images_per_sample, std::int64_t{1000});
  CHECK(term(vram_of(two), "activations") == term(vram_of(many), "activations"));
}

TEST_CASE("facts about images and parts change nothing for a model of text") {
  for (const char* model : {"qwen2.5-1.5b", "gemma-2-2b"}) {  // Gemma's family has readers too
    TrainingPlan plain = reader(model);
    plain.image_max_pixels.reset();
    plain.images_per_sample.reset();
    CHECK_FALSE(is_open(plain, "images_per_sample"));
    const Interval stated = vram_of(frozen(reader(model))).total;
    CHECK(vram_of(plain).total.low == stated.low);
    CHECK(vram_of(plain).total.high == stated.high);
  }
}

TEST_CASE("images of one size have no number of pixels to ask for") {
  TrainingPlan plan = reader("llava-1.5-7b");
  plan.image_max_pixels.reset();
  CHECK_FALSE(is_open(plan, "image_max_pixels"));
  plan.images_per_sample.reset();
  CHECK(is_open(plan, "images_per_sample"));
}
