// Runs that are made of several files.

#include "lint/lint.h"
#include "plan/fact_table.h"
#include "unit/lint/memory_reader.h"
#include "unit/lint/shared_session.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace runs_test {

using namespace gpulint;
using Files = MemoryReader::Files;

namespace {

LintRequest request_for(std::vector<std::string> paths) {
  LintRequest request;
  request.paths = std::move(paths);
  request.options.keep_plans = true;
  return request;
}

LintResult run(const MemoryReader& reader, std::vector<std::string> paths) {
  return lint(session_over(reader), request_for(std::move(paths)));
}

const FileReport& file(const LintResult& result, const std::string& path) {
  const auto found = std::find_if(result.files.begin(), result.files.end(),
                                  [&](const FileReport& each) { return each.path == path; });
  REQUIRE(found != result.files.end());
  return *found;
}

const Plan& plan(const LintResult& result, const std::string& path) {
  const FileReport& report = file(result, path);
  REQUIRE(report.plans.size() >= 1);
  REQUIRE(report.plans.front().plan != nullptr);
  return *report.plans.front().plan;
}

std::string fact(const LintResult& result, const std::string& path, const std::string& name) {
  return canonical_text(plan(result, path).facts, *find_fact(name));
}

/// "path:line" of the place that states a fact.
std::string place(const LintResult& result, const std::string& path, const std::string& name) {
  const Provenance* from = provenance_of(plan(result, path).facts, *find_fact(name));
  REQUIRE(from != nullptr);
  if (!from->span.known()) return "";
  const SourceText& source = result.sources[from->span.file];
  return source.path + ":" + std::to_string(source.lines.at(source.text, from->span.begin).line);
}

std::vector<std::string> unread(const LintResult& result, const std::string& path) {
  std::vector<std::string> reasons;
  for (const Observation& item : plan(result, path).observations) {
    if (item.list == "unread_references") reasons.push_back(item.value + ": " + item.detail);
  }
  return reasons;
}

using Words = std::vector<std::string>;

constexpr const char* kBroken =
    "batch_size: 32\nlr: 0.1\nepochs: 9\nnum_workers: 0\npersistent_workers: true\n";

}  // namespace

TEST_CASE("a config's own keys beat those of its base, and each fact points at its file") {
  const MemoryReader reader(
      Files{{"base.yaml", "training:\n  batch_size: 8\n  lr: 0.1\n  num_workers: 4\n"},
            {"exp/a.yaml", "_base_: ../base.yaml\ntraining:\n  batch_size: 16\n  epochs: 3\n"}});
  const LintResult result = run(reader, {"."});
  CHECK(fact(result, "exp/a.yaml", "per_device_batch_size") == "16");
  CHECK(place(result, "exp/a.yaml", "per_device_batch_size") == "exp/a.yaml:3");
  CHECK(fact(result, "exp/a.yaml", "num_workers") == "4");
  CHECK(place(result, "exp/a.yaml", "num_workers") == "base.yaml:4");
  CHECK(file(result, "exp/a.yaml").reads == Words{"base.yaml"});
  CHECK(file(result, "base.yaml").part_of == Words{"exp/a.yaml"});
}

TEST_CASE("a base outside the linted paths is read and pointed into all the same") {
  const MemoryReader reader(
      Files{{"base.yaml", "training:\n  batch_size: 8\n  lr: 0.1\n"},
            {"exp/a.yaml", "_base_: ../base.yaml\ntraining:\n  epochs: 3\n  num_workers: 2\n"}});
  const LintResult result = run(reader, {"exp/a.yaml"});
  CHECK(place(result, "exp/a.yaml", "learning_rate") == "base.yaml:3");
}

TEST_CASE("one mistake in a base of two runs is one finding that names both") {
  const MemoryReader reader(Files{{"base.yaml", kBroken},
                                  {"a.yaml", "_base_: base.yaml\nseed: 1\n"},
                                  {"b.yaml", "_base_: base.yaml\nseed: 2\n"}});
  const LintResult result = run(reader, {"."});
  std::vector<const Finding*> found;
  for (const Finding& finding : result.findings) {
    if (finding.rule == "persistent-workers-without-workers") found.push_back(&finding);
  }
  REQUIRE(found.size() == 1);
  CHECK(found.front()->runs == Words{"a.yaml", "b.yaml"});
  CHECK(result.sources[found.front()->span.file].path == "base.yaml");
}

TEST_CASE("a base is not blamed for what its run states otherwise") {
  const MemoryReader reader(
      Files{{"base.yaml", kBroken}, {"a.yaml", "_base_: base.yaml\nnum_workers: 4\n"}});
  const LintResult result = run(reader, {"."});
  CHECK(std::none_of(result.findings.begin(), result.findings.end(), [](const Finding& finding) {
    return finding.rule == "persistent-workers-without-workers";
  }));
}

TEST_CASE("references stay inside the project") {
  const MemoryReader reader(
      Files{{"p/.git/config", ""},
            {"secret.yaml", "batch_size: 4\nlr: 1\n"},
            {"p/up.yaml", "_base_: ../secret.yaml\nbatch_size: 1\nepochs: 2\n"},
            {"p/absolute.yaml", "_base_: /secret.yaml\nbatch_size: 1\nepochs: 2\n"},
            {"p/linked.yaml", "_base_: link/secret.yaml\nbatch_size: 1\nepochs: 2\n"},
            {"outside/secret.yaml", "lr: 1\n"}},
      Files{{"p/link", "outside"}});
  const LintResult result = run(reader, {"p/up.yaml", "p/absolute.yaml", "p/linked.yaml"});
  CHECK(unread(result, "p/up.yaml") == Words{"../secret.yaml: it lies outside the project"});
  CHECK(fact(result, "p/up.yaml", "learning_rate").empty());
  CHECK(unread(result, "p/absolute.yaml").size() == 1);
  CHECK(unread(result, "p/linked.yaml") == Words{"link/secret.yaml: it lies outside the project"});
}

TEST_CASE("files that include each other are not both left out as parts of the other") {
  const MemoryReader reader(Files{{"a.yaml", "_base_: b.yaml\nbatch_size: 1\nepochs: 2\n"},
                                  {"b.yaml", "_base_: a.yaml\nlr: 0.1\nepochs: 3\n"}});
  const LintResult result = run(reader, {"a.yaml", "b.yaml"});
  const auto says =
      std::count_if(result.findings.begin(), result.findings.end(),
                    [](const auto& each) { return each.rule == "base-cannot-be-read"; });
  CHECK(says >= 1);
}

TEST_CASE("files that include each other end in a named observation") {
  const MemoryReader reader(Files{{"a.yaml", "_base_: b.yaml\nbatch_size: 1\nepochs: 2\n"},
                                  {"b.yaml", "_base_: a.yaml\nlr: 0.1\n"}});
  const LintResult result = run(reader, {"a.yaml"});
  CHECK(fact(result, "a.yaml", "learning_rate") == "0.1");
  CHECK(unread(result, "a.yaml") ==
        Words{"a.yaml: it includes itself: a.yaml -> b.yaml -> a.yaml"});
}

TEST_CASE("a DeepSpeed file fills what the Trainer's config leaves to it") {
  const MemoryReader reader(
      Files{{"ds.json",
             R"({"train_micro_batch_size_per_gpu": "auto", "bf16": {"enabled": "auto"},
"zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu"}}})"},
            {"conf/sft.yaml",
             "model_name_or_path: x/y\nper_device_train_batch_size: 2\nlearning_rate: 1.0e-5\n"
             "num_train_epochs: 1\nbf16: true\ndeepspeed: ds.json\n"}});
  const LintResult result = run(reader, {"."});
  CHECK(fact(result, "conf/sft.yaml", "sharding_stage") == "3");
  CHECK(place(result, "conf/sft.yaml", "sharding_stage") == "ds.json:2");
  CHECK(fact(result, "conf/sft.yaml", "offload_optimizer") == "cpu");
  CHECK(fact(result, "conf/sft.yaml", "mixed_precision") == "bf16");
  CHECK(fact(result, "conf/sft.yaml", "per_device_batch_size") == "2");
  // "auto" leaves a fact to the Trainer: DeepSpeed's default does not hold either.
  CHECK(fact(result, "conf/sft.yaml", "fp16_enabled").empty());
  CHECK(file(result, "ds.json").part_of == Words{"conf/sft.yaml"});
}

TEST_CASE("two batch sizes that transformers would refuse are a contradiction") {
  const MemoryReader reader(Files{
      {"ds.json", R"({"train_micro_batch_size_per_gpu": 4, "zero_optimization": {"stage": 2}})"},
      {"sft.yaml",
       "model_name_or_path: x/y\nper_device_train_batch_size: 2\nlearning_rate: 1.0e-5\n"
       "num_train_epochs: 1\nbf16: true\ndeepspeed: ds.json\n"}});
  const LintResult result = run(reader, {"."});
  CHECK(fact(result, "sft.yaml", "per_device_batch_size").empty());
  CHECK(std::any_of(result.findings.begin(), result.findings.end(), [](const Finding& finding) {
    return finding.rule == "values-refused-together";
  }));
}

TEST_CASE(
    "a DeepSpeed file that a flag of the project's own names is not compared by transformers") {
  const auto refusals = [](const std::string& flag) {
    const MemoryReader reader(Files{
        {"ds.json", R"({"train_micro_batch_size_per_gpu": 4, "zero_optimization": {"stage": 2}})"},
        {"train.sh", "deepspeed train.py " + flag +
                         " ds.json --model_name_or_path x/y --per_device_train_batch_size 2 "
                         "--learning_rate 1e-5 --num_train_epochs 1 --output_dir out\n"}});
    const LintResult result = run(reader, {"."});
    return std::count_if(
        result.findings.begin(), result.findings.end(),
        [](const Finding& finding) { return finding.rule == "values-refused-together"; });
  };
  CHECK(refusals("--deepspeed") == 1);
  CHECK(refusals("--deepspeed_config") == 0);
}

TEST_CASE("an option that no config chooses is no run, whatever language its keys are of") {
  const MemoryReader reader(
      Files{{"conf/train.yaml",
             "defaults:\n  - trainer: short\n\nlr: 0.1\nbatch_size: 8\nnum_workers: 2\n"},
            {"conf/trainer/short.yaml",
             "_target_: pytorch_lightning.Trainer\nmax_epochs: 3\ndevices: 1\n"},
            {"conf/trainer/full.yaml",
             "_target_: pytorch_lightning.Trainer\nmax_epochs: 1\naccumulate_grad_batches: 1\n"
             "precision: 32\ndevices: 1\nnum_nodes: 1\n"}});
  const LintResult result = run(reader, {"."});
  CHECK(file(result, "conf/trainer/full.yaml").part_of == Words{"conf/train.yaml"});
}

TEST_CASE("an option of the config that a script starts is no run") {
  const MemoryReader reader(
      Files{{"conf/config.yaml", "defaults:\n  - experiment: ???\n\nseed: 1\n"},
            {"conf/experiment/long.yaml",
             "# @package _global_\ndefaults:\n  - /trainer: short\n\nlr: 0.1\nbatch_size: 8\n"},
            {"conf/trainer/short.yaml", "_target_: pytorch_lightning.Trainer\nmax_epochs: 3\n"},
            {"conf/trainer/full.yaml",
             "_target_: pytorch_lightning.Trainer\nmax_epochs: 1\naccumulate_grad_batches: 1\n"
             "precision: 32\ndevices: 1\nnum_nodes: 1\n"},
            {"train.py",
             "import hydra\n@hydra.main(config_path='conf', config_name='config')\ndef main(cfg):\n"
             "  pass\nif __name__ == '__main__':\n  main()\n"},
            {"run.sh", "python -m train experiment=long lr=0.2 trainer.max_epochs=10\n"}});
  CHECK_FALSE(file(run(reader, {"."}), "conf/trainer/full.yaml").part_of.empty());
}

TEST_CASE("a config that a test's script starts has the role of the test") {
  const std::string config = "lr: 0.1\nbatch_size: 8\nepochs: 3\nnum_workers: 0\n";
  const std::string command = "python train.py --config conf/train.yaml\n";
  const auto said = [&](const std::string& script) {
    const MemoryReader reader(Files{{"conf/train.yaml", config}, {script, command}});
    const LintResult result = run(reader, {"."});
    return std::any_of(result.findings.begin(), result.findings.end(),
                       [](const Finding& finding) { return finding.rule == "no-loader-workers"; });
  };
  CHECK(said("scripts/train.sh"));
  CHECK_FALSE(said("tests/functional/train.sh"));
}

TEST_CASE("Hydra's defaults list composes groups, packages and overrides in its order") {
  const MemoryReader reader(Files{
      {"conf/train.yaml",
       "defaults:\n  - _self_\n  - data: mnist\n  - model@net: small\n  - optional local: none\n"
       "  - trainer: ddp\n\nseed: 1\ndata:\n  batch_size: 1\n"},
      {"conf/data/mnist.yaml", "batch_size: 64\nnum_workers: 4\n"},
      {"conf/data/cifar.yaml", "batch_size: 96\nnum_workers: 4\n"},
      {"conf/model/small.yaml", "optimizer:\n  _target_: torch.optim.Adam\n  lr: 0.002\n"},
      {"conf/trainer/default.yaml",
       "_target_: lightning.pytorch.trainer.Trainer\nmax_epochs: 10\ndevices: 1\n"},
      {"conf/trainer/ddp.yaml", "defaults:\n  - default\n\ndevices: 4\nstrategy: ddp\n"},
      {"conf/experiment/big.yaml",
       "# @package _global_\n\ndefaults:\n  - override /data: cifar\n\ntrainer:\n  max_epochs: "
       "3\n"}});
  const LintResult result = run(reader, {"."});
  CHECK(place(result, "conf/train.yaml", "num_workers") == "conf/data/mnist.yaml:2");
  CHECK(fact(result, "conf/train.yaml", "gpus_per_node") == "4");
  CHECK(place(result, "conf/train.yaml", "gpus_per_node") == "conf/trainer/ddp.yaml:4");
  CHECK(fact(result, "conf/train.yaml", "epochs") == "10");
  CHECK(file(result, "conf/train.yaml").reads ==
        Words{"conf/data/mnist.yaml", "conf/model/small.yaml", "conf/trainer/ddp.yaml",
              "conf/trainer/default.yaml"});
  CHECK(file(result, "conf/trainer/ddp.yaml").part_of ==
        Words{"conf/experiment/big.yaml", "conf/train.yaml"});
  CHECK(unread(result, "conf/train.yaml").empty());
}

TEST_CASE("an option that a config's group does not choose is a part of its run all the same") {
  const MemoryReader reader(
      Files{{"conf/train.yaml",
             "defaults:\n  - _self_\n  - data: mnist\n  - training: null\n\nseed: 1\nlr: 0.1\n"},
            {"conf/data/mnist.yaml", "batch_size: 64\nnum_workers: 4\n"},
            {"conf/data/cifar.yaml", "batch_size: 96\nnum_workers: 4\n"},
            {"conf/training/long.yaml", "lr: 0.1\nepochs: 350\noptimizer: adam\n"},
            {"conf/other/whole.yaml", "lr: 0.1\nepochs: 350\noptimizer: adam\n"}});
  const LintResult result = run(reader, {"."});
  CHECK(file(result, "conf/data/cifar.yaml").part_of == Words{"conf/train.yaml"});
  CHECK(file(result, "conf/training/long.yaml").part_of == Words{"conf/train.yaml"});
  CHECK(file(result, "conf/other/whole.yaml").part_of.empty());
}

namespace {

const Files& experiment_project() {
  static const Files files{
      {"conf/train.yaml",
       "# @package _global_\ndefaults:\n  - _self_\n  - data: mnist\n  - model: small\n"
       "  - trainer: default\n  - experiment: null\n\nseed: 1\n"},
      {"conf/eval.yaml", "defaults:\n  - _self_\n  - data: mnist\n  - model: small\n\nckpt: x\n"},
      {"conf/data/mnist.yaml", "batch_size: 64\nnum_workers: 4\n"},
      {"conf/data/cifar.yaml", "batch_size: 96\nnum_workers: 6\n"},
      {"conf/model/small.yaml", "optimizer:\n  _target_: torch.optim.Adam\n  lr: 0.002\n"},
      {"conf/trainer/default.yaml",
       "_target_: lightning.pytorch.trainer.Trainer\nmax_epochs: 10\ndevices: 1\n"},
      {"conf/experiment/big.yaml",
       "# @package _global_\n\ndefaults:\n  - override /data: cifar\n\ntrainer:\n"
       "  max_epochs: 3\nmodel:\n  optimizer:\n    lr: 0.1\n"}};
  return files;
}

}  // namespace

TEST_CASE("the package that a file of Hydra's names itself counts from the root") {
  const auto rate = [](const std::string& item, const std::string& header) {
    const Project project(
        {{".git/HEAD", ""},
         {"conf/config.yaml", "defaults:\n  - task: a\nbatch_size: 8\nepochs: 9\n"},
         {"conf/task/a.yaml",
          "# @package task\ndefaults:\n  - " + item + "\n  - _self_\nname: a\n"},
         {"conf/optimizer/sgd.yaml", header + "lr: 0.1\n"},
         {"train.py",
          "import hydra, torch\n"
          "@hydra.main(config_path='conf', config_name='config')\n"
          "def main(cfg):\n"
          "    optimizer = torch.optim.SGD(model(), lr=cfg.optimizer.lr)\n"
          "    for x in torch.utils.data.DataLoader(data(), cfg.batch_size):\n"
          "        model(x).backward()\n        optimizer.step()\n"
          "if __name__ == '__main__':\n    main()\n"}},
        "conf/config.yaml");
    return project.fact("learning_rate");
  };
  CHECK(rate("/optimizer: sgd", "# @package optimizer\n") ==
        "0.1 stated conf/optimizer/sgd.yaml:2");
}

TEST_CASE("what follows _global_ in a package is left out as Hydra leaves it out") {
  Files files = experiment_project();
  std::string& text = files["conf/experiment/big.yaml"];
  text.replace(text.find("_global_"), 8, "__global__");
  const MemoryReader reader(files);
  const LintResult result = run(reader, {"."});
  CHECK(fact(result, "conf/experiment/big.yaml", "num_workers") == "6");
  CHECK(fact(result, "conf/experiment/big.yaml", "epochs") == "3");
}

TEST_CASE("an experiment is judged with the primary config whose groups it overrides") {
  const MemoryReader reader(experiment_project());
  const LintResult result = run(reader, {"."});
  const std::string path = "conf/experiment/big.yaml";
  CHECK(fact(result, path, "num_workers") == "6");
  CHECK(place(result, path, "num_workers") == "conf/data/cifar.yaml:2");
  CHECK(fact(result, path, "epochs") == "3");
  CHECK(place(result, path, "epochs") == path + ":7");
  CHECK(fact(result, path, "learning_rate") == "0.1");
  CHECK(place(result, path, "optimizer") == "conf/model/small.yaml:2");
  CHECK(place(result, path, "gpus_per_node") == "conf/trainer/default.yaml:3");
  CHECK(unread(result, path).empty());
}

TEST_CASE("of several primary configs an experiment belongs to the one that training names") {
  Files files = experiment_project();
  files["conf/sample.yaml"] = files["conf/train.yaml"];
  const std::string path = "conf/experiment/big.yaml";
  CHECK(fact(run(MemoryReader(files), {"."}), path, "optimizer").empty());
  files[".git/HEAD"] = "";
  files["src/train.py"] =
      "import hydra\n@hydra.main(config_path='../conf', config_name='train')\n"
      "def main(cfg):\n  fit(cfg.optim)\n";
  const MemoryReader reader(files);
  const LintResult result = run(reader, {"."});
  CHECK(fact(result, path, "optimizer") == "adam");
  CHECK(place(result, path, "optimizer") == "conf/model/small.yaml:2");
}

TEST_CASE("of the configs of several programs an experiment belongs to the one that it repeats") {
  Files files = experiment_project();
  files[".git/HEAD"] = "";
  files["conf/trace.yaml"] = files["conf/train.yaml"];
  std::string& other = files["conf/trace.yaml"];
  other.replace(other.find("mnist"), 5, "cifar");
  for (const std::string name : {"train", "trace"}) {
    files["src/" + name + ".py"] =
        "import hydra, torch\n@hydra.main(config_path='../conf', config_name='" + name +
        "')\ndef main(cfg):\n  fit(cfg.optim)\n";
  }
  files["src/trace.py"] += "# trains, too\n";
  const auto primary = [&](const std::string& option) {
    files["conf/experiment/big.yaml"] = "# @package _global_\ndefaults:\n" + option +
                                        "trainer:\n  max_epochs: 3\n";
    return file(run(MemoryReader(files), {"."}), "conf/experiment/big.yaml").variant_of;
  };
  CHECK(primary("  - override /data: cifar\n") == "conf/trace.yaml");
  CHECK(primary("  - override /data: mnist\n") == "conf/train.yaml");
  CHECK(primary("  - override /model: small\n").empty());
}

TEST_CASE("a primary config stays a run of its own beside its experiments") {
  const MemoryReader reader(experiment_project());
  const LintResult result = run(reader, {"."});
  CHECK(file(result, "conf/train.yaml").part_of.empty());
  CHECK(fact(result, "conf/train.yaml", "num_workers") == "4");
  CHECK(file(result, "conf/experiment/big.yaml").variant_of == "conf/train.yaml");
}

TEST_CASE("an experiment that two primary configs could be started with stays alone") {
  Files files = experiment_project();
  files["conf/train2.yaml"] = files["conf/train.yaml"];
  const MemoryReader reader(files);
  const LintResult result = run(reader, {"."});
  CHECK(file(result, "conf/experiment/big.yaml").reads == Words{"conf/data/cifar.yaml"});
}

TEST_CASE("an option of Hydra's own groups overrides those inside it") {
  Files files = experiment_project();
  files["conf/hydra/custom.yaml"] = "defaults:\n  - override launcher: basic\n  - _self_\n";
  files["conf/launcher/local.yaml"] = "where: here\n";
  std::string& config = files["conf/train.yaml"];
  config.insert(config.find("  - data"), "  - hydra: custom\n  - launcher: local\n");
  const LintResult result = run(MemoryReader(files), {"."});
  for (const Finding& each : result.findings) CHECK(each.rule != "option-not-in-group");
}

TEST_CASE("an experiment in a folder below its group finds what stands in the group") {
  Files files = experiment_project();
  files["conf/experiment/runs/today.yaml"] =
      "# @package _global_\ndefaults:\n  - big\n  - override /model: small\ntrainer:\n"
      "  max_epochs: 5\n";
  files.erase("conf/eval.yaml");
  const MemoryReader reader(files);
  const LintResult result = run(reader, {"."});
  const std::string path = "conf/experiment/runs/today.yaml";
  CHECK(unread(result, path).empty());
  CHECK(place(result, path, "num_workers") == "conf/data/cifar.yaml:2");
  CHECK(place(result, path, "epochs") == path + ":6");
  for (const Finding& each : result.findings) CHECK(each.rule != "option-not-in-group");
}

TEST_CASE("an experiment of a group the primary config does not list is appended to it") {
  Files files = experiment_project();
  files["conf/train.yaml"] =
      "defaults:\n  - _self_\n  - data: mnist\n  - model: small\n  - trainer: default\n";
  files.erase("conf/eval.yaml");
  const MemoryReader reader(files);
  const LintResult result = run(reader, {"."});
  CHECK(fact(result, "conf/experiment/big.yaml", "epochs") == "3");
  CHECK(fact(result, "conf/experiment/big.yaml", "num_workers") == "6");
}

TEST_CASE("an item of a list can be changed by its index") {
  const MemoryReader reader(Files{
      {"a.yaml",
       "batch_size: 8\nlr: 0.1\nepochs: 2\nworkers_of: [1, 2]\nnum_workers: ${workers_of.1}\n"}});
  LintRequest request = request_for({"a.yaml"});
  request.options.overrides = {"workers_of.1=6"};
  CHECK(fact(lint(session_over(reader), request), "a.yaml", "num_workers") == "6");
  request.options.overrides = {"workers_of.2=6"};
  const LintResult result = lint(session_over(reader), request);
  CHECK(fact(result, "a.yaml", "num_workers") == "2");
  const Plan& left = plan(result, "a.yaml");
  CHECK(
      std::any_of(left.observations.begin(), left.observations.end(), [](const Observation& item) {
        return item.detail ==
               "--set workers_of.2 names an item that the list does not have; it was left out";
      }));
}

TEST_CASE("a file that HyperPyYAML includes is read below its key, with what is written over it") {
  const MemoryReader reader(
      Files{{"hparams/train.yaml",
             "base: 4\nlr: 0.001\nnumber_of_epochs: 3\nparams: !include:../ASR.yaml\n"
             "    base: !ref <base>\nbatch_size: !ref <params[batch]>\n"
             "opt_class: !name:torch.optim.Adam\n    lr: !ref <lr>\n"},
            {"ASR.yaml", "base: 1\nbatch: !ref <base> * 2\n"}});
  const LintResult result = run(reader, {"hparams/train.yaml"});
  CHECK(fact(result, "hparams/train.yaml", "per_device_batch_size") == "8");
  CHECK(file(result, "hparams/train.yaml").reads == Words{"ASR.yaml"});
}

TEST_CASE("a file whose name has the tag of an include stands in the place of the name") {
  const MemoryReader reader(
      Files{{"conf/train.yaml",
             "lr: 0.001\ndata: !include data.yaml\ntraining:\n  model: !include ../net.yaml\n"
             "  epochs: 3\nother: !include lost.yaml\n"},
            {"conf/data.yaml", "batch_size: 8\n"},
            {"net.yaml", "num_workers: 2\ninner: !include conf/inner.yaml\n"},
            {"conf/inner.yaml", "weight_decay: 0.5\n"}});
  const LintResult result = run(reader, {"conf/train.yaml"});
  CHECK(fact(result, "conf/train.yaml", "per_device_batch_size") == "8");
  CHECK(fact(result, "conf/train.yaml", "num_workers") == "2");
  CHECK(fact(result, "conf/train.yaml", "weight_decay") == "0.5");
  const Words reads{"conf/data.yaml", "conf/inner.yaml", "net.yaml"};
  CHECK(file(result, "conf/train.yaml").reads == reads);
}

TEST_CASE("each set of arguments in a Megatron file is a run of its own") {
  const MemoryReader reader(
      Files{{"a.yaml",
             "BASE_MODEL_ARGS: &base\n  --num-layers: 4\n  --seq-length: 512\n  --bf16: true\n"
             "MODEL_ARGS:\n  <<: *base\n  --micro-batch-size: 2\n"
             "MODEL_ARGS_2:\n  <<: *base\n  --tensor-model-parallel-size: 2\n"}});
  const LintResult result = run(reader, {"a.yaml"});
  const FileReport& report = file(result, "a.yaml");
  REQUIRE(report.plans.size() == 2);
  CHECK(report.plans[0].plan->phase == "MODEL_ARGS");
  CHECK(report.plans[0].plan->facts.per_device_batch_size->value == 2);
  CHECK(report.plans[1].plan->phase == "MODEL_ARGS_2");
  CHECK(report.plans[1].plan->facts.sequence_length->value == 512);
  CHECK_FALSE(report.plans[1].plan->facts.per_device_batch_size);
  CHECK(report.plans[1].plan->facts.tensor_parallel_size->value == 2);
}

TEST_CASE("keys can be changed in Hydra's spelling") {
  const MemoryReader reader(
      Files{{"a.yaml", "training:\n  batch_size: 8\n  lr: 0.1\n  num_workers: 4\n"}});
  LintRequest request = request_for({"a.yaml"});
  request.options.overrides = {"training.batch_size=32", "+training.pin_memory=true",
                               "~training.num_workers"};
  const LintResult result = lint(session_over(reader), request);
  CHECK(fact(result, "a.yaml", "per_device_batch_size") == "32");
  CHECK(place(result, "a.yaml", "per_device_batch_size").empty());
  CHECK(fact(result, "a.yaml", "pin_memory") == "true");
  CHECK(fact(result, "a.yaml", "num_workers").empty());
}

TEST_CASE("a launch file joined by hand decides devices and a precision the config leaves open") {
  const MemoryReader reader(Files{
      {"launch.yaml",
       "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\nmixed_precision: bf16\n"
       "num_machines: 1\nnum_processes: 8\n"},
      {"sft.yaml",
       "model_name_or_path: x/y\nper_device_train_batch_size: 2\nlearning_rate: 1.0e-5\n"
       "num_train_epochs: 1\ngradient_accumulation_steps: 4\n"}});
  LintRequest request = request_for({});
  request.runs = {{"launch.yaml", "sft.yaml"}};
  const LintResult result = lint(session_over(reader), request);
  CHECK(fact(result, "sft.yaml", "mixed_precision") == "bf16");
  CHECK(fact(result, "sft.yaml", "world_size") == "8");
  CHECK(fact(result, "sft.yaml", "global_batch_size") == "64");
  CHECK(file(result, "launch.yaml").part_of == Words{"sft.yaml"});
}

TEST_CASE("the model's own config.json gives its dimensions") {
  const MemoryReader reader(
      Files{{"models/tiny/config.json",
             R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64,
"num_hidden_layers": 2, "num_attention_heads": 4, "transformers_version": "4.40.0"})"},
            {"sft.yaml",
             "model_name_or_path: models/tiny\nper_device_train_batch_size: 2\n"
             "learning_rate: 1.0e-5\nnum_train_epochs: 1\n"}});
  const LintResult result = run(reader, {"sft.yaml"});
  CHECK(fact(result, "sft.yaml", "hidden_size") == "64");
  CHECK(place(result, "sft.yaml", "num_hidden_layers") == "models/tiny/config.json:2");
}

TEST_CASE("a folder of diffusers states the dimensions of its network one level deeper") {
  const MemoryReader reader(
      Files{{"models/tiny/unet/config.json",
             R"({"_class_name": "UNet2DConditionModel", "block_out_channels": [32, 64],
"down_block_types": ["DownBlock2D", "CrossAttnDownBlock2D"], "attention_head_dim": 8})"},
            {"sft.yaml",
             "model_name_or_path: models/tiny\nper_device_train_batch_size: 2\n"
             "learning_rate: 1.0e-5\nnum_train_epochs: 1\n"}});
  const LintResult result = run(reader, {"sft.yaml"});
  CHECK(file(result, "sft.yaml").reads == Words{"models/tiny/unet/config.json"});
}

TEST_CASE("a launch file's DeepSpeed file belongs to the run") {
  const MemoryReader reader(
      Files{{"launch.yaml",
             "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nnum_processes: 8\n"
             "num_machines: 1\ndeepspeed_config:\n  deepspeed_config_file: conf/ds.json\n"},
            {"conf/ds.json", R"({"zero_optimization": {"stage": 3}})"},
            {"sft.yaml",
             "model_name_or_path: x/y\nper_device_train_batch_size: 2\nlearning_rate: 1.0e-5\n"
             "num_train_epochs: 1\nbf16: true\n"}});
  LintRequest request = request_for({});
  request.runs = {{"sft.yaml", "launch.yaml"}};
  const LintResult result = lint(session_over(reader), request);
  CHECK(place(result, "sft.yaml", "sharding_stage") == "conf/ds.json:1");
  CHECK(file(result, "sft.yaml").reads == Words{"conf/ds.json", "launch.yaml"});
}

TEST_CASE("files of one dialect joined by hand lie over each other in their order") {
  const MemoryReader reader(
      Files{{"model.yaml", "training:\n  batch_size: 8\n  lr: 0.1\n  epochs: 2\n"},
            {"small.yaml", "training:\n  batch_size: 2\n  num_workers: 1\n"}});
  LintRequest request = request_for({});
  request.runs = {{"model.yaml", "small.yaml"}};
  const LintResult result = lint(session_over(reader), request);
  CHECK(fact(result, "model.yaml", "per_device_batch_size") == "2");
  CHECK(place(result, "model.yaml", "per_device_batch_size") == "small.yaml:2");
  CHECK(fact(result, "model.yaml", "learning_rate") == "0.1");
}

TEST_CASE("a base that is null names nothing") {
  const MemoryReader reader(
      Files{{"b.yaml", "lr: 0.1\n"}, {"a.yaml", "_base_: [~, b.yaml, null]\nbatch_size: 1\n"}});
  const LintResult result = run(reader, {"a.yaml"});
  CHECK(unread(result, "a.yaml").empty());
  CHECK(fact(result, "a.yaml", "learning_rate") == "0.1");
}

TEST_CASE("a job file's config refers to its own root") {
  const MemoryReader reader(Files{
      {"job.yaml",
       "name: x\nparameters:\n  variables:\n    length: 4096\n  max_seq_len: ${variables.length}\n"
       "  global_train_batch_size: 64\n  device_train_microbatch_size: 4\n"
       "  train_loader:\n    num_workers: 8\n"}});
  const LintResult result = run(reader, {"job.yaml"});
  CHECK(fact(result, "job.yaml", "sequence_length") == "4096");
}

/// What is reported of one file that somebody names: "path:line rule", one a line.
std::string named(const Files& files, const std::string& path) {
  const MemoryReader reader(files);
  LintRequest request;
  request.paths = {path};
  const LintResult result = lint(session_over(reader), request);
  std::string lines;
  for (const Finding& finding : result.findings) {
    const SourceText& source = result.sources[finding.span.file];
    lines += source.path + ":" +
             std::to_string(source.lines.at(source.text, finding.span.begin).line) + " " +
             finding.rule + "\n";
  }
  return lines;
}

TEST_CASE("a named file is judged in the runs that read it") {
  const Files files = {
      {"conf/config.yaml",
       "defaults:\n  - data: broken\n  - _self_\ndata:\n  num_workers: 4\nepochs: 3\nlr: 0.1\n"},
      {"conf/other.yaml",
       "defaults:\n  - data: fine\n  - _self_\ndata:\n  num_workers: 0\nepochs: 3\nlr: 0.1\n"
       "warmup_ratio: 7\n"},
      {"conf/data/broken.yaml", "num_workers: 0\npersistent_workers: true\nbatch_size: 8\n"},
      {"conf/data/fine.yaml", "num_workers: 4\npersistent_workers: true\nbatch_size: 8\n"},
      {"conf/data/unused.yaml", "num_workers: 0\npersistent_workers: true\nbatch_size: 8\n"}};
  CHECK(named(files, "conf/data/broken.yaml").empty());
  CHECK(named(files, "conf/data/fine.yaml") ==
        "conf/other.yaml:5 persistent-workers-without-workers\n");
  CHECK(named(files, "conf/data/unused.yaml").find("persistent-workers") != std::string::npos);
}

TEST_CASE("a defaults key that names a file is a base, and so are includes from a folder around") {
  const MemoryReader reader(Files{{"recipes/base.yaml", "batch_size: 8\nlr: 0.1\nepochs: 2\n"},
                                  {"recipes/child.yaml", "defaults: base.yaml\nlr: 0.3\n"},
                                  {"projects/a/b.yaml", "includes: projects/base.yaml\nlr: 0.4\n"},
                                  {"projects/base.yaml", "batch_size: 16\nlr: 0.1\nepochs: 2\n"}});
  CHECK(fact(run(reader, {"recipes/child.yaml"}), "recipes/child.yaml", "per_device_batch_size") ==
        "8");
  CHECK(fact(run(reader, {"recipes/child.yaml"}), "recipes/child.yaml", "learning_rate") == "0.3");
  CHECK(fact(run(reader, {"projects/a/b.yaml"}), "projects/a/b.yaml", "per_device_batch_size") ==
        "16");
}

TEST_CASE("a config of a group's folder finds groups that lie beside the folder") {
  const MemoryReader reader(
      Files{{"conf/training/nerf/fast.yaml",
             "defaults:\n  - nerf/model: small\n  - _self_\ntrainer:\n  max_steps: 100\n"
             "  precision: 16\n  devices: 1\n"},
            {"conf/training/nerf/model/small.yaml", "optim:\n  lr: 0.25\n  name: adam\n"}});
  const LintResult result = run(reader, {"conf/training/nerf/fast.yaml"});
  CHECK(fact(result, "conf/training/nerf/fast.yaml", "max_steps") == "100");
  const std::vector<std::string> read = {"conf/training/nerf/model/small.yaml"};
  CHECK(file(result, "conf/training/nerf/fast.yaml").reads == read);
}

TEST_CASE("a DeepSpeed file that is named is judged with the config that names it") {
  const Files files = {{"sft.yaml",
                        "per_device_train_batch_size: 1\nlearning_rate: 1e-4\nbf16: true\n"
                        "output_dir: o\nnum_train_epochs: 1\ndeepspeed: ds.json\n"},
                       {"ds.json", "{\"fp16\": {\"enabled\": true}}"}};
  CHECK(named(files, "ds.json").find("fp16-and-bf16-both-on") != std::string::npos);
}

TEST_CASE("a project states which files are one run") {
  Files files = {{"sft.yaml",
                  "per_device_train_batch_size: 1\nlearning_rate: 1e-4\nbf16: true\n"
                  "output_dir: o\nnum_train_epochs: 1\n"},
                 {"launch.yaml",
                  "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\n"
                  "num_machines: 1\nnum_processes: 8\n"}};
  const auto ranks = [&] {
    const MemoryReader reader(files);
    const LintResult result = lint(session_over(reader), request_for({"sft.yaml"}));
    return fact(result, "sft.yaml", "world_size");
  };
  CHECK(ranks().empty());
  files[".gpulint.yaml"] = "runs:\n  - [sft.yaml, launch.yaml]\n";
  CHECK(ranks() == "8");
}

}  // namespace runs_test
