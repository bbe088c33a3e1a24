// What frameworks freeze of a vision-language model, stated or unasked, and what they say of its
// images.

#include "unit/plan/dialect_files.h"

#include <doctest/doctest.h>

#include <string>

namespace vision_language_plan_test {

using namespace gpulint;

namespace {

const std::string kTrainer =
    "model_name_or_path: org/model\nper_device_train_batch_size: 2\nlearning_rate: 1.0e-5\n"
    "num_train_epochs: 1\n";

}  // namespace

TEST_CASE("LLaMA-Factory and ms-swift freeze tower and projector unasked, the Trainer nothing") {
  for (const char* key : {"finetuning_type: full\n", "tuner_type: full\n", "train_type: lora\n"}) {
    CAPTURE(key);
    const Facts facts = facts_of(kTrainer + key);
    CHECK(facts["freeze_vision"] == "true");
    CHECK(facts["freeze_projector"] == "true");
    CHECK(facts["freeze_language"] == "false");
  }
  CHECK(facts_of(kTrainer)["freeze_vision"].empty());
}

TEST_CASE("a part that a framework freezes unasked is trained where its config says so") {
  const Facts factory = facts_of(kTrainer +
                                 "finetuning_type: full\nfreeze_vision_tower: false\n"
                                 "freeze_multi_modal_projector: false\nimage_max_pixels: 262144\n");
  CHECK(factory["freeze_vision"] == "false");
  CHECK(factory["freeze_projector"] == "false");
  CHECK(factory["image_max_pixels"] == "262144");
  CHECK(facts_of(kTrainer + "tuner_type: lora\nfreeze_vit: false\n")["freeze_vision"] == "false");
  const Facts projector = facts_of(kTrainer + "finetuning_type: full\ntrain_mm_proj_only: true\n");
  CHECK(projector["freeze_language"] == "true");
  CHECK(projector["freeze_projector"] == "false");
}

TEST_CASE("torchtune's Llama 3.2 Vision leaves the language model as it is unless told otherwise") {
  const std::string recipe =
      "model:\n  _component_: torchtune.models.llama3_2_vision.lora_llama3_2_vision_11b\n"
      "batch_size: 2\nepochs: 1\noptimizer:\n  _component_: torch.optim.AdamW\n  lr: 1.0e-4\n";
  CHECK(facts_of(recipe)["freeze_language"] == "true");
  const std::string told = "  decoder_trainable: lora\n";
  const std::size_t below = recipe.find("batch_size");
  CHECK(facts_of(recipe.substr(0, below) + told + recipe.substr(below))["freeze_language"] ==
        "false");
}

TEST_CASE("NeMo AutoModel freezes the tower wherever it is told to freeze anything") {
  const std::string recipe =
      "recipe: FinetuneRecipeForVLM\nstep_scheduler:\n  local_batch_size: 1\n  num_epochs: 1\n"
      "model:\n  _target_: nemo_automodel.NeMoAutoModelForImageTextToText.from_pretrained\n"
      "  pretrained_model_name_or_path: google/gemma-3-4b-it\n";
  CHECK(facts_of(recipe)["freeze_vision"].empty());
  CHECK(facts_of(recipe + "freeze_config:\n  freeze_language_model: false\n")["freeze_vision"] ==
        "true");
}

TEST_CASE("LLaMA-Factory loads the base of an adapter in the format it computes in, and no other") {
  const std::string adapted = kTrainer + "lora_target: all\nbf16: true\n";
  CHECK(facts_of(adapted + "finetuning_type: lora\n")["weights_dtype"] == "bf16");
  CHECK(facts_of(adapted + "finetuning_type: full\n")["weights_dtype"].empty());
  CHECK(facts_of(kTrainer +
                 "lora_target: all\nfp16: true\nfinetuning_type: lora\n")["weights_dtype"] ==
        "fp16");
}

TEST_CASE("LLaMA-Factory and ms-swift put adapters on all linear layers unasked") {
  for (const char* key : {"finetuning_type: lora\n", "tuner_type: lora\n", "train_type: lora\n"}) {
    CHECK(facts_of(kTrainer + key)["adapter_targets"] == "all-linear");
  }
  CHECK(facts_of(kTrainer + "tuner_type: lora\ntarget_modules: q_proj\n")["adapter_targets"] ==
        "q_proj");
  CHECK(facts_of(kTrainer + "use_peft: true\n")["adapter_targets"].empty());
  CHECK(facts_of(kTrainer +
                 "finetuning_type: lora\nlora_target: q_proj,v_proj\n")["adapter_targets"] !=
        "all-linear");
}

TEST_CASE("LLaMA-Factory scales images down unasked") {
  CHECK(facts_of(kTrainer + "finetuning_type: lora\n")["image_max_pixels"] == "589824");
}

TEST_CASE("torchtune's decoder, encoder and fusion are frozen, trained or adapted") {
  const Facts facts = facts_of(
      "model:\n  _component_: torchtune.models.llama3_2_vision.lora_llama3_2_vision_11b\n"
      "  decoder_trainable: frozen\n  encoder_trainable: lora\n  fusion_trainable: true\n"
      "batch_size: 2\noptimizer:\n  _component_: torch.optim.AdamW\n  lr: 2e-5\n");
  CHECK(facts["freeze_language"] == "true");
  CHECK(facts["freeze_vision"] == "false");
  CHECK(facts["freeze_projector"] == "false");
}

TEST_CASE("axolotl reads images where a processor is named") {
  const std::string config = "base_model: org/model\nmicro_batch_size: 1\nsequence_len: 2048\n";
  CHECK(facts_of(config)["images_per_sample"] == "0");
  CHECK(facts_of(config + "processor_type: AutoProcessor\n")["images_per_sample"].empty());
  const Facts frozen = facts_of(config + "freeze_mm_modules: true\n");
  CHECK(frozen["freeze_vision"] == "true");
  CHECK(frozen["freeze_projector"] == "true");
}

}  // namespace vision_language_plan_test
