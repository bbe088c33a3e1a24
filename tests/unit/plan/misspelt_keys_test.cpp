#include "unit/plan/dialect_files.h"

#include <doctest/doctest.h>

using namespace gpulint;

namespace {

using Names = std::vector<std::string>;

Names suspected(std::string_view text, std::string path = "config.yaml") {
  Names names;
  for (const Plan& plan : plans_of(text, std::move(path))) {
    for (const Observation& item : plan.observations) {
      if (item.list == "misspelt_keys") names.push_back(item.name + " -> " + item.detail);
    }
  }
  return names;
}

const std::string kTrainer =
    "per_device_train_batch_size: 4\nlearning_rate: 2.0e-5\nnum_train_epochs: 3\n";

}  // namespace

TEST_CASE("a key one slip away from a known one is suspected") {
  CHECK(suspected(kTrainer + "gradient_acumulation_steps: 8\n") ==
        Names{"gradient_acumulation_steps -> gradient_accumulation_steps"});
  CHECK(suspected(kTrainer + "gradeint_checkpointing: true\n") ==
        Names{"gradeint_checkpointing -> gradient_checkpointing"});
}

TEST_CASE("a key beside the one it resembles, a plural and a key of its own are not suspected") {
  CHECK(
      suspected(kTrainer + "gradient_checkpointing: true\ngradeint_checkpointing: true\n").empty());
  CHECK(suspected(kTrainer + "lr_scheduler_types: cosine\n").empty());
  CHECK(suspected(kTrainer + "my_own_setting: 8\n").empty());
}

TEST_CASE("keys of nested sections are compared with those of the same section") {
  CHECK(suspected("{\"train_micro_batch_size_per_gpu\": 8, \"zero_optimization\": {\"stage\": 2, "
                  "\"offload_optimzer\": {\"device\": \"cpu\"}}}",
                  "ds_config.json") == Names{"offload_optimzer -> offload_optimizer"});
}

TEST_CASE("a section called after a class is no slip of the framework's word for it") {
  const std::string trainer = "trainer: {max_epochs: 3, precision: 16}\ncallbacks:\n";
  CHECK(suspected(trainer + "  ModelCheckpoint: {monitor: loss}\n").empty());
  CHECK(suspected(trainer + "  model_checkpont: {monitor: loss}\n") ==
        Names{"model_checkpont -> model_checkpoint"});
}

TEST_CASE("in-house configs have no list of keys to be compared with") {
  CHECK(suspected("batch_size: 32\nlearning_rat: 0.1\nlr: 0.1\nepochs: 3\n").empty());
}
