// Peaks of known models against published measurements. The eight rows are torch-preflight's
// (highwaterlabs/torch-preflight at 774b839): T4, autocast, AdamW, max_memory_allocated in MiB.

#include "memory/operators.h"

#include "source/read.h"
#include "unit/estimate/embedded.h"
#include "unit/estimate/plans.h"
#include "unit/shipped_plan.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

using namespace gpulint;
using namespace gpulint::test;

namespace {

TrainingPlan model_plan(std::string model, std::int64_t batch) {
  TrainingPlan plan = test::shipped_plan();
  state(plan.model, std::move(model));
  state(plan.per_device_batch_size, batch);
  state(plan.gradient_accumulation_steps, 1);
  state(plan.zero_grad_set_to_none, true);
  state(plan.optimizer, "adamw");
  state(plan.weight_decay, 0.01);
  state(plan.mixed_precision, "fp16");
  state(plan.weights_dtype, "fp32");
  return plan;
}

TrainingPlan text_plan(std::string model, std::int64_t batch, std::int64_t tokens) {
  TrainingPlan plan = model_plan(std::move(model), batch);
  state(plan.sequence_length, tokens);
  state(plan.attention_backend, "math");
  return plan;
}

TrainingPlan image_plan(std::string model, std::int64_t batch) {
  TrainingPlan plan = model_plan(std::move(model), batch);
  state(plan.image_size, 224);
  return plan;
}

Estimate estimated(const TrainingPlan& plan, const Gpu& gpu) {
  return estimate(PlanOn{.plan = &plan, .gpu = &gpu, .models = &known_models()});
}

double allocated_mib(const TrainingPlan& plan) {
  const Gpu gpu = t4();
  const Estimate result = estimated(plan, gpu);
  REQUIRE(result.vram);
  CHECK(result.vram->basis == VramBasis::operators);
  return in_mib(result.vram->allocated_peak);
}

}  // namespace

TEST_CASE("only what denoises latents made during the run may have an autoencoder beside it") {
  const auto beside_batch = [](const TrainingPlan& plan) {
    UnknownFacts unknown;
    const auto footprint =
        operator_footprint(ResolvedRun::of(plan, &known_models(), {}), 2, unknown);
    REQUIRE(footprint);
    return footprint->input_batch.high - footprint->input_batch.central;
  };
  const Bytes autoencoder = Bytes::of(84'000'000LL * 4);
  TrainingPlan diffusion = image_plan("DiT-S/8", 2);
  state(diffusion.image_size, 256);
  CHECK(beside_batch(diffusion) == autoencoder);
  CHECK(beside_batch(image_plan("openai/clip-vit-base-patch32", 2)) == Bytes{});
  CHECK(beside_batch(image_plan("resnet50", 2)) == Bytes{});
  state(diffusion.precomputed_inputs, true);
  CHECK(beside_batch(diffusion) == Bytes{});
}

TEST_CASE("a checkpoint's own image size is used where the config states none") {
  const auto config = read_json("config.json",
                                R"({"architectures": ["ViTForImageClassification"],
                                    "image_size": 384, "hidden_size": 192, "num_hidden_layers": 2,
                                    "num_attention_heads": 3, "intermediate_size": 768})",
                                0);
  REQUIRE(config);
  const KnownModels models = known_models().with_config(*config);
  TrainingPlan plan = model_plan("anything", 2);
  const auto saved = [&] {
    UnknownFacts unknown;
    const auto footprint = operator_footprint(ResolvedRun::of(plan, &models, {}), 2, unknown);
    REQUIRE(footprint);
    REQUIRE(footprint->activations_known);
    CHECK(footprint->description.find(plan.image_size ? "224 pixels" : "384 pixels") !=
          std::string::npos);
    return footprint->saved_activations.central;
  };
  const Bytes own = saved();
  state(plan.image_size, 224);
  CHECK(own > saved());
}

TEST_CASE("without a batch, or at a size it refuses, a network's weights are still counted") {
  TrainingPlan plan = image_plan("swin_base_patch4_window7_224", 1);
  state(plan.image_size, 250);  // its windows do not divide that
  UnknownFacts unknown;
  const auto refused = operator_footprint(ResolvedRun::of(plan, &known_models(), {}), 1, unknown);
  REQUIRE(refused);
  CHECK(refused->parameters == 87768224);
  CHECK_FALSE(refused->refusal.empty());
  const auto open =
      operator_footprint(ResolvedRun::of(plan, &known_models(), {}), std::nullopt, unknown);
  REQUIRE(open);
  CHECK(open->parameters == 87768224);
}

TEST_CASE("the most crowded image decides what matching anchors with boxes takes") {
  TrainingPlan plan = image_plan("faster-rcnn-r50-fpn", 1);
  state(plan.image_size, 800);
  state(plan.image_width, 1344);
  const double usual = allocated_mib(plan);
  state(plan.objects_per_image, 93);  // of COCO, which is what a detector is taken to see
  CHECK(allocated_mib(plan) == usual);
  state(plan.objects_per_image, 500);
  const double crowded = allocated_mib(plan);
  state(plan.objects_per_image, 600);
  // 36 bytes for each of 268569 anchors and each of 100 boxes more, under mixed precision too
  CHECK(allocated_mib(plan) - crowded ==
        doctest::Approx(268569 * 100.0 * 36 / 1048576).epsilon(0.02));
}

TEST_CASE("a new gradient may lie beside a kept one while activations are alive") {
  TrainingPlan plan = image_plan("vgg16", 16);
  state(plan.gradient_accumulation_steps, 1);
  const Gpu gpu = t4();
  const auto above_centre = [&](bool freed) {
    state(plan.zero_grad_set_to_none, freed);
    const VramEstimate vram = *estimated(plan, gpu).vram;
    return (vram.allocated.high - vram.allocated.central).as_double();
  };
  const double first_linear = 25'088.0 * 4'096 * 4;
  CHECK(above_centre(false) - above_centre(true) >= 0.85 * first_linear);
}

TEST_CASE("how crowded the images of another data set are is named, and widens the high end") {
  TrainingPlan plan = image_plan("faster-rcnn-r50-fpn", 1);
  state(plan.image_size, 800);
  state(plan.image_width, 1344);
  const Gpu gpu = t4();
  const auto names_it = [](const Estimate& result) {
    return std::find(result.unknown.begin(), result.unknown.end(), "objects_per_image") !=
           result.unknown.end();
  };
  CHECK_FALSE(names_it(estimated(plan, gpu)));
  state(plan.num_classes, 8);
  const Estimate other = estimated(plan, gpu);
  CHECK(names_it(other));
  state(plan.objects_per_image, 93);
  const Estimate stated = estimated(plan, gpu);
  CHECK_FALSE(names_it(stated));
  CHECK(stated.vram->allocated.central == other.vram->allocated.central);
  CHECK(stated.vram->allocated.high < other.vram->allocated.high);
}

TEST_CASE("published peaks of ResNet-50 on a T4 are met within 2 %") {
  CHECK(allocated_mib(image_plan("resnet50", 16)) == doctest::Approx(1067).epsilon(0.02));
  CHECK(allocated_mib(image_plan("resnet50", 32)) == doctest::Approx(1755).epsilon(0.02));
}

TEST_CASE("a published peak in the optimizer step of BERT is met within 1 %") {
  CHECK(allocated_mib(text_plan("bert-base-uncased", 4, 128)) ==
        doctest::Approx(2107).epsilon(0.01));
}

TEST_CASE("weights sharded over an unknown number of ranks are not in the low end") {
  TrainingPlan plan = model_plan("llama-3-8b", 1);
  state(plan.sequence_length, 2048);
  state(plan.mixed_precision, "bf16");
  state(plan.activation_checkpointing, "full");
  state(plan.sharding_stage, 3);
  const Gpu gpu = t4();
  const Estimate result = estimated(plan, gpu);
  REQUIRE(result.vram);
  CHECK(in_mib(result.vram->total.low) < 8 * 1024);  // 15 GiB would be one 16-bit copy of all
}

TEST_CASE("a network over latents is as large as the run's images, not as many times larger") {
  TrainingPlan plan = image_plan("stabilityai/stable-diffusion-2-1", 1);
  state(plan.image_size, 768);
  const Estimate estimate = estimated(plan, t4());
  CHECK(estimate.vram->allocated.low < Bytes::gib(20));
}

TEST_CASE("a network recorded at one size of images keeps more where images have more pixels") {
  TrainingPlan plan = image_plan("vit_small_patch14_dinov2", 8);
  state(plan.image_size, 518);
  const Gpu gpu = t4();
  const Bytes recorded = estimated(plan, gpu).vram->allocated.central;
  state(plan.image_size, 1036);
  const Estimate larger = estimated(plan, gpu);
  CHECK(larger.vram->allocated.low > recorded * 3);
  CHECK(larger.vram->allocated.high < recorded * 6);
  state(plan.attention_backend, "eager");
  CHECK(estimated(plan, gpu).vram->allocated.high >
        recorded * 10);  // of scores that are written out
  plan.attention_backend.reset();
  state(plan.image_size, 224);
  const Estimate smaller = estimated(plan, gpu);
  CHECK(smaller.vram->allocated.high < recorded);
}

TEST_CASE("layers that pass on two tensors are recomputed like others") {
  const Gpu gpu = t4();
  for (const char* model : {"stable-diffusion-3-medium", "stable-diffusion-3.5-medium",
                            "stable-diffusion-3.5-large"}) {
    CAPTURE(model);
    TrainingPlan plan = image_plan(model, 8);
    state(plan.image_size, 512);
    state(plan.activation_checkpointing, "none");
    const Estimate kept = estimated(plan, gpu);
    state(plan.activation_checkpointing, "full");
    const Estimate recomputed = estimated(plan, gpu);
    CHECK(term(*recomputed.vram, "activations") * 6 < term(*kept.vram, "activations"));
  }
}

TEST_CASE("what checkpointing drops of a network without blocks is not known") {
  TrainingPlan plan = image_plan("dla34", 256);
  const Gpu gpu = t4();
  state(plan.activation_checkpointing, "none");
  const Estimate kept = estimated(plan, gpu);
  state(plan.activation_checkpointing, "full");
  const Estimate open = estimated(plan, gpu);
  CHECK(kept.vram->allocated.low > Bytes::gib(2));
  CHECK(open.vram->allocated.low < Bytes::gib(1));
  CHECK(open.vram->allocated.high == kept.vram->allocated.high);
}
