#include "catalog/catalog.h"
#include "unit/plan/dialect_files.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <utility>

using namespace gpulint;

namespace {

std::string dialect_of(std::string_view text, std::string path = "config.yaml") {
  const Recognition recognition = recognised(document_of(text, std::move(path)));
  return recognition.dialect == nullptr ? "" : recognition.dialect->id;
}

std::string reason_of(std::string_view text) { return recognised(document_of(text)).reason; }

}  // namespace

TEST_CASE("the shipped dialect files name only facts, transforms and values that exist") {
  const Result<Catalog> catalog = Catalog::open(embedded_data());
  REQUIRE(catalog);
  for (const Dialect& dialect : shipped_dialects()) {
    const Result<void> checked = check_dialect(dialect, shipped_dialects(), &*catalog);
    CHECK_MESSAGE(checked.has_value(), (checked ? "" : checked.error().to_string()));
  }
}

TEST_CASE("a dialect with a wrong name is refused with what was probably meant") {
  Dialect dialect;
  dialect.id = "mine";
  DialectMapping mapping;
  mapping.keys = {{"bs", "per_device_batchsize"}};
  dialect.mapping = std::move(mapping);
  const Result<void> checked = check_dialect(dialect, {});
  REQUIRE_FALSE(checked.has_value());
  CHECK(checked.error().message.find("did you mean \"per_device_batch_size\"") !=
        std::string::npos);
}

TEST_CASE("each dialect is recognised by its keys") {
  CHECK(dialect_of("batch_size: 64\namp: false\n") == "generic");
  CHECK(dialect_of("data:\n  num_workers: 4\ntraining:\n  lr: 0.1\n") == "generic");
  CHECK(dialect_of("batch_size: 16\noptimizer_params:\n  lr: 0.0001\n") == "generic");
  CHECK(dialect_of("per_device_train_batch_size: 4\nnum_train_epochs: 3\n") == "hf-trainer");
  CHECK(dialect_of("training:\n  per_device_train_batch_size: 4\n  bf16: true\n") == "hf-trainer");
  CHECK(dialect_of("trainer:\n  max_epochs: 3\n  devices: 1\n") == "lightning");
  CHECK(dialect_of("{\"train_batch_size\": 8, \"fp16\": {\"enabled\": true}}", "ds.json") ==
        "deepspeed");
}

TEST_CASE("upper-case environment keys are in-house keys") {
  CHECK(dialect_of("export BATCH_SIZE=32\nexport NUM_WORKERS=16\n", "run.env") == "generic");
}

TEST_CASE("one training word is not evidence") {
  CHECK(dialect_of("batch_size: 64\nname: x\n").empty());
  CHECK(reason_of("batch_size: 64\nname: x\n") == "no training keys");
}

TEST_CASE("bare keys in evaluation and deployment sections are not evidence") {
  CHECK(dialect_of("inference:\n  batch_size: 8\n  num_workers: 2\n").empty());
  CHECK(dialect_of("deployment:\n  api:\n    workers: 4\n    batch_size: 2\n").empty());
}

TEST_CASE("files of other tools are named, not read") {
  CHECK(reason_of("services:\n  train:\n    image: x\n    batch_size: 1\n") ==
        "a docker-compose file");
  CHECK(reason_of("apiVersion: v1\nkind: Pod\n") == "a Kubernetes manifest");
  CHECK(reason_of("repos:\n- repo: x\n  hooks: []\n") == "a pre-commit configuration");
  CHECK(reason_of("on: push\njobs: {}\n") == "a GitHub workflow");
  CHECK(reason_of("name: x\nchannels: [a]\ndependencies: [b]\n") == "a conda environment");
  CHECK(reason_of("site_name: docs\n") == "an mkdocs configuration");
  CHECK(reason_of("").find("empty") == 0);
  CHECK(reason_of("- 1\n- 2\n") == "not a mapping of keys");
}

TEST_CASE("files of frameworks without a dialect are left alone") {
  CHECK(reason_of("_target_: data.Loader\nconfig:\n  encoder_length: 8\n") == "a TSPP config");
}

TEST_CASE("files that stand beside training configs are none") {
  const std::filesystem::path folder = std::string(GPULINT_SOURCE_DIR) + "/tests/corpus/other";
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    CHECK_MESSAGE(dialect_of(read_text(entry.path().string()), name).empty(), name);
    ++files;
  }
  CHECK(files >= 70);
}

TEST_CASE("descriptions of YOLO models, data and hyperparameters only add to a run") {
  const std::string model =
      "nc: 80\nbackbone: [[-1, 1, Conv, [64]]]\nhead: [[-1, 1, Detect, []]]\n";
  const std::string data = "path: ../coco\ntrain: a.txt\nval: b.txt\nnames: {0: person}\n";
  const std::string hyper = "lr0: 0.01\nlrf: 0.1\nmosaic: 1.0\nwarmup_epochs: 3.0\n";
  for (const std::string& text : {model, data, hyper}) {
    const Document document = document_of(text);
    const Recognition recognition = recognise(document, shipped_dialects());
    REQUIRE(recognition.dialect != nullptr);
    CHECK(recognition.dialect->id == "yolo");
    CHECK(recognition.dialect->supplement);
  }
}

TEST_CASE("recipes that do not train have a dialect that reads no batch from them") {
  const Document document =
      document_of("model:\n  _component_: torchtune.models.x\nbatch_size: 2\nmax_new_tokens: 1\n");
  const Recognition recognition = recognise(document, shipped_dialects());
  REQUIRE(recognition.dialect != nullptr);
  CHECK(recognition.dialect->id == "torchtune-tools");
}

TEST_CASE("keys the project names are evidence beside ours") {
  const std::vector<KeyMapping> keys = {{.path = "my_batch", .fact = "per_device_batch_size"}};
  const Document document = document_of("my_batch: 8\nlr: 0.1\n");
  CHECK(recognise(document, shipped_dialects()).dialect == nullptr);
  const Recognition recognition = recognise(document, shipped_dialects(), keys);
  REQUIRE(recognition.dialect != nullptr);
  CHECK(recognition.dialect->id == "generic");
}

TEST_CASE("broken text is a training config when two recognition keys stand in it") {
  CHECK(looks_like_training_config("batch_size: [1\nlr: 0.1\n", shipped_dialects()));
  CHECK(looks_like_training_config("{\"train_batch_size\": BS, \"zero_optimization\": {}}",
                                   shipped_dialects()));
  CHECK_FALSE(looks_like_training_config("batch_size: [1\nname: x\n", shipped_dialects()));
  CHECK_FALSE(looks_like_training_config("{{- if .Values }}\nkind: Pod\n", shipped_dialects()));
}
