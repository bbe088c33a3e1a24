#include "unit/plan/dialect_files.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace gpulint {
namespace {

using Found = std::vector<std::string>;

Facts with_comment(const std::string& line) { return facts_of("batch_size: 8\nlr: 0.1\n" + line); }

}  // namespace

TEST_CASE("a comment at the very end of a file is read whole") {
  CHECK(with_comment("flag: true # TODO: set to false").observed("postponed_values") ==
        Found{"flag=true"});
  CHECK(with_comment("flag: true # TODO: set to false\n").observed("postponed_values") ==
        Found{"flag=true"});
}

TEST_CASE("an order that waits for something contradicts nothing") {
  CHECK(with_comment("flag: false # TODO: set to true once it works\n")
            .observed("postponed_values")
            .empty());
}

TEST_CASE("a comment that is the key with another number is observed") {
  CHECK(with_comment("epochs: 50  # 100 epochs\n").observed("restated_values") ==
        Found{"epochs=50"});
  CHECK(with_comment("epochs: 50  # epochs: 100\n").observed("restated_values").empty());
  CHECK(with_comment("epochs: 50  # 50 epochs\n").observed("restated_values").empty());
}

TEST_CASE("a checkpoint beside a name of one's own is the model, and two checkpoints contradict") {
  const auto facts = [](const std::string& name, const std::string& checkpoint) {
    return facts_of("batch_size: 8\nlr: 0.1\nmodel:\n  name: " + name +
                    "\n  model_name: " + checkpoint + "\n");
  };
  const Facts own = facts("our_asr", "facebook/wav2vec2-base");
  CHECK(own.observed("conflicting_keys").empty());
  CHECK(own["model"] == "facebook/wav2vec2-base");
  CHECK_FALSE(facts("a/one", "b/two").observed("conflicting_keys").empty());
}

TEST_CASE("a number format of the weights that stands by itself is read") {
  const Facts facts =
      facts_of("batch_size: 8\nlr: 0.1\nweights_dtype: float16\nmixed_precision: no\n");
  CHECK(facts["weights_dtype"] == "fp16");
}

TEST_CASE("a name that says another number of GPUs is observed") {
  const auto named = [](const std::string& name) {
    return facts_of(
               "trainer: {max_epochs: 10, devices: 4, num_nodes: 1}\nbatch_size: 8\nrun_name: " +
               name + "\n")
        .observed("contradicted_names");
  };
  CHECK(named("base_8gpu") == Found{"`run_name`=8 GPUs"});
  CHECK(named("base_4x_gpus_2").empty());
  CHECK(named("base_4gpu").empty());
}

TEST_CASE("a split is a test split where the word stands alone") {
  const auto splits = [](const std::string& split) {
    return facts_of(
               "per_device_train_batch_size: 4\nlearning_rate: 2.0e-5\nnum_train_epochs: 3\n"
               "val_set_size: 0.1\ndatasets:\n  - {path: a, split: train}\n  - {path: a, split: " +
               split + "}\n")
        .observed("leaked_splits")
        .size();
  };
  CHECK(splits("test_sft") == 1);
  CHECK(splits("latest") == 0);
  CHECK(splits("validation") == 0);
}

}  // namespace gpulint
