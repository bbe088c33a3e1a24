// What a library does where a program's call of it says nothing.

#include "unit/lint/code_project.h"

#include <doctest/doctest.h>

namespace library_defaults_test {

using namespace gpulint;

Project tuned_by(const std::string& arguments, const std::string& trainer) {
  return Project({{".git/HEAD", ""},
                  {"tune.py",
                   "from transformers import AutoModelForCausalLM, TrainingArguments\n"
                   "from trl import DPOTrainer, SFTTrainer\nfrom peft import LoraConfig\n"
                   "model = AutoModelForCausalLM.from_pretrained('gpt2')\n"
                   "args = TrainingArguments(output_dir='out', per_device_train_batch_size=2" +
                       arguments + ")\n" + trainer + ".train()\n"}},
                 "tune.py");
}

TEST_CASE("a Trainer's arguments that a call leaves out have the library's defaults") {
  const Project bare = tuned_by("", "SFTTrainer(model, args=args)");
  CHECK(bare.fact("eval_batch_size") == "8 code tune.py:5");
  CHECK(bare.fact("weight_decay") == "0 code tune.py:5");
  CHECK(bare.fact("max_grad_norm") == "1 code tune.py:5");
  CHECK(bare.fact("lr_schedule") == "linear code tune.py:5");
  CHECK(bare.fact("epochs") == "3 code tune.py:5");
  CHECK(bare.fact("persistent_workers") == "false code tune.py:5");
  const Project stated = tuned_by(", weight_decay=0.1, max_steps=50", "SFTTrainer(model, args=args)");
  CHECK(stated.fact("weight_decay").starts_with("0.1 "));
  CHECK(stated.fact("epochs") == "unknown");
}

TEST_CASE("a length that TRL's trainers take themselves is where samples are cut") {
  CHECK(tuned_by("", "DPOTrainer(model, args=args, max_length=640)").fact("sequence_length") ==
        "640 code tune.py:6");
  const Project tuned = tuned_by("", "SFTTrainer(model, args=args, max_seq_length=320)");
  CHECK(tuned.fact("sequence_length") == "320 code tune.py:6");
  CHECK(tuned.fact("sequence_length_is_limit").starts_with("true"));
}

TEST_CASE("an adapter without a rank has the library's") {
  const Project bare = tuned_by("", "SFTTrainer(model, args=args, peft_config=LoraConfig())");
  CHECK(bare.fact("adapter_rank") == "8 code tune.py:6");
  CHECK(tuned_by("", "SFTTrainer(model, args=args, peft_config=LoraConfig(r=32))")
            .fact("adapter_rank")
            .starts_with("32 "));
}

}  // namespace library_defaults_test
