#include "unit/plan/dialect_files.h"

#include <doctest/doctest.h>

#include <string>

using namespace gpulint;

namespace {

constexpr std::string_view kFlatTrainer = "batch_size: 8\nlr: 0.1\nepochs: 3\n";

std::string role_of(std::string_view text, std::string path) {
  return recognised(document_of(text, std::move(path))).role;
}

bool is_judged(std::string_view text, std::string path) {
  const Recognition found = recognised(document_of(text, std::move(path)));
  return found.dialect != nullptr && (found.role.empty() || !found.judged_by.empty());
}

}  // namespace

TEST_CASE("a config that trains has no role to tell of") {
  CHECK(role_of(kFlatTrainer, "configs/train.yaml").empty());
  CHECK(is_judged(kFlatTrainer, "configs/train.yaml"));
}

TEST_CASE("a test fixture is judged only for what is wrong") {
  const Recognition found = recognised(document_of(kFlatTrainer, "tests/inputs/tacotron.yaml"));
  CHECK(found.role == "a test fixture");
  REQUIRE(found.judged_by.size() == 3);
  CHECK(found.judged_by.front() == "consistency");
}

TEST_CASE("a config in a folder of tests is judged only for what is wrong") {
  CHECK(role_of(kFlatTrainer, "testing/configs/gan.yaml") == "a test fixture");
  CHECK(is_judged(kFlatTrainer, "testing/configs/gan.yaml"));
  CHECK(role_of(kFlatTrainer, "configs/contesting/unet.yaml").empty());
}

TEST_CASE("an inference config is read and not judged") {
  const std::string text = "batch_size: 8\nnum_workers: 2\n";
  CHECK(role_of(text, "configs/inference/base.yaml") == "a job that serves, samples or decodes");
  CHECK_FALSE(is_judged(text, "configs/inference/base.yaml"));
  CHECK(facts_of(text, "configs/inference/base.yaml")["num_workers"] == "2");
}

TEST_CASE("a learning rate in any section makes a training config of an evaluation's path") {
  CHECK(is_judged(kFlatTrainer, "configs/eval/probe.yaml"));
  CHECK(is_judged("batch_size: 8\nnum_workers: 2\nexperiment:\n  probe:\n    lr: 0.1\n",
                  "configs/eval/probe.yaml"));
}

TEST_CASE("a config named as a test's that states no training is an evaluation") {
  const std::string loaders = "model_path: best.pt\nloaders:\n  batch_size: 1\n  num_workers: 8\n";
  CHECK_FALSE(is_judged(loaders, "resources/unet/test_config.yml"));
  CHECK_FALSE(is_judged(loaders, "resources/unet_test.yaml"));
  CHECK(is_judged(kFlatTrainer, "resources/unet/test_config.yml"));
}

TEST_CASE("a run that only validates is an evaluation whatever its path says") {
  CHECK_FALSE(is_judged("val_only: true\nbatch_size: 8\nlr: 0.1\nepochs: 3\n", "train.yaml"));
}

TEST_CASE("what a finished run wrote is not a config to improve") {
  CHECK(role_of(kFlatTrainer, "outputs/run_7/config.yaml") == "a record of a finished run");
  CHECK_FALSE(is_judged(kFlatTrainer, "outputs/model/eval_7/config.yaml"));
}

TEST_CASE("a folder called after the second in which a run started holds its record") {
  for (const std::string folder : {"runs/2026-03-26_18-24-57_stage3", "exp/2024-01-31/08-15-00",
                                   "logs/20240131-081500", "runs/2024-01-31T08-15-00_a",
                                   "results/report_32x32_20251025_142903/runs/a"}) {
    CHECK(role_of(kFlatTrainer, folder + "/train.yaml") == "a record of a finished run");
  }
  CHECK_FALSE(is_judged(kFlatTrainer, "runs/2024-01-31T08-15-00_a/train.yaml"));
  CHECK(role_of(kFlatTrainer, "configs/2024-01-31/train.yaml").empty());
  CHECK(role_of(kFlatTrainer, "configs/2026-03-14_19-27-26_local.yaml").empty());
  CHECK(role_of(kFlatTrainer, "train_old/local.yaml") == "what nobody starts any more");
}

TEST_CASE("an adaptation at test time is judged only for what is wrong") {
  const Recognition found = recognised(document_of(kFlatTrainer, "config/tta/wmh.yaml"));
  CHECK(found.role == "an adaptation at test time");
  CHECK(found.judged_by.size() == 3);
}

TEST_CASE("a copy of another project is read and not judged") {
  CHECK_FALSE(is_judged(kFlatTrainer, "src/third_party/attention/configs/debug.yaml"));
  CHECK(is_judged(kFlatTrainer, "src/party/debug.yaml"));
}

TEST_CASE("what a benchmark measured is not a config") {
  const auto judged = [](const std::string& seconds) {
    const std::string text = R"({"batch_size": 4, "num_workers": 0, "lr": 0.1, "epochs": 3, "load_s": )" +
                             seconds + R"(, "step_s": )" + seconds + R"(, "p95_s": )" + seconds + "}";
    return is_judged(text, "benchmarks/base.json");
  };
  CHECK_FALSE(judged("0.0774909841677174"));
  CHECK(judged("0.5"));
}

TEST_CASE("keys of a loader that tells upper from lower case are evidence only as it writes them") {
  const std::string loud = "MODEL:\n  DROP_PATH_RATE: 0.1\nDATA:\n  BATCH_SIZE: 128\n";
  const std::string quiet = "model:\n  drop_path_rate: 0.1\ndata:\n  batch_size: 128\n  lr: 0.1\n";
  CHECK(recognised(document_of(loud)).dialect->id == "swin");
  CHECK(recognised(document_of(quiet)).dialect->id == "generic");
}

TEST_CASE("training words count in a project's own sections when three of them stand together") {
  const Facts facts = facts_of("coco:\n  batch_size: 4\n  init_lr: 0.1\n  max_epoch: 3\n");
  CHECK(facts["per_device_batch_size"] == "4");
  CHECK(facts["learning_rate"] == "0.1");
  CHECK(facts["epochs"] == "3");
  CHECK(recognised(document_of("coco:\n  batch_size: 4\n  max_epoch: 3\n")).dialect == nullptr);
}

TEST_CASE("a batch size and a rate in a project's own section are enough") {
  const Facts facts = facts_of("coco:\n  batch_size: 4\n  lr: 0.1\n");
  CHECK(facts["per_device_batch_size"] == "4");
  CHECK(facts["learning_rate"] == "0.1");
}

TEST_CASE(
    "the shallower section decides, and where two of the same depth disagree nothing is said") {
  CHECK(facts_of(
            "batch_size: 4\nepochs: 3\nopt:\n  lr: 0.1\n  head:\n    lr: 0.5\n")["learning_rate"] ==
        "0.1");
  const Facts two = facts_of("batch_size: 4\nepochs: 3\na:\n  lr: 0.1\nb:\n  lr: 0.5\n");
  CHECK(two["learning_rate"].empty());
  CHECK(two.observed("conflicting_keys").empty());
}

TEST_CASE("sections of other jobs state nothing of the training run") {
  const Facts facts = facts_of("lr: 0.1\nepochs: 3\ninference:\n  batch_size: 64\n");
  CHECK(facts["per_device_batch_size"].empty());
}

TEST_CASE("a number that the framework refuses is observed with the code that refuses it") {
  const Facts refused =
      facts_of("per_device_train_batch_size: 0\nnum_train_epochs: 3\nlearning_rate: 2.0e-5\n");
  REQUIRE(refused.observed("refused_values").size() == 1);
  CHECK(refused.plan.observations.front().detail.find("BatchSampler") != std::string::npos);
}

TEST_CASE("sentinels of unknown code are compared as numbers and never observed") {
  for (const char* value : {"-1", "-1.", "0", "0.5", ".inf", "-1.0"}) {
    const Facts facts = facts_of("batch_size: 8\nlr: 0.1\nepochs: " + std::string(value) +
                                 "\nmax_grad_norm: " + value + "\nsave_steps: " + value + "\n");
    CHECK_MESSAGE(facts.observed("bad_values").empty(), value);
    CHECK_MESSAGE(facts.observed("refused_values").empty(), value);
  }
  CHECK(facts_of("batch_size: -8\nlr: 0.1\n").observed("bad_values").size() == 1);
}

TEST_CASE("a share of the run is not a number of steps") {
  const Facts facts = facts_of(
      "per_device_train_batch_size: 4\nnum_train_epochs: 3\nsave_steps: 0.05\noutput_dir: x\n");
  CHECK(facts["save_steps"].empty());
  CHECK(facts.observed("refused_values").empty());
}

TEST_CASE("whether 0 is no GPU or the first of them is open where no framework says so") {
  CHECK(facts_of("batch_size: 8\nlr: 0.1\nepochs: 3\ngpus: 0\n")["accelerator"].empty());
}
