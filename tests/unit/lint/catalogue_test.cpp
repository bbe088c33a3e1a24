// Keys held against what released packages take (knowledge/catalogue/).

#include "lint/lint.h"
#include "unit/lint/memory_reader.h"
#include "unit/lint/shared_session.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace catalogue_test {

using namespace gpulint;
using Files = MemoryReader::Files;
using Said = std::vector<std::string>;

namespace {

/// "rule: message" of what is said of keys and values of one project.
Said said(Files files, std::string config) {
  const MemoryReader reader(std::move(files));
  LintRequest request;
  request.paths = {std::move(config)};
  const LintResult result = lint(session_over(reader), request);
  constexpr std::array<std::string_view, 8> kRules = {"key-of-another-release",
                                                      "default-changed-between-releases",
                                                      "key-gone-from-newer-releases",
                                                      "keys-of-different-releases",
                                                      "key-of-no-release",
                                                      "key-refused",
                                                      "misspelt-key",
                                                      "value-refused"};
  Said messages;
  for (const Finding& finding : result.findings) {
    if (std::find(kRules.begin(), kRules.end(), finding.rule) == kRules.end()) continue;
    messages.push_back(finding.rule + ": " + finding.message);
  }
  return messages;
}

const std::string kTrainer =
    "per_device_train_batch_size: 4\nlearning_rate: 2.0e-5\nnum_train_epochs: 3\n";
const std::string kOld = kTrainer + "evaluation_strategy: steps\n";

}  // namespace

TEST_CASE(
    "a key that the pinned release no longer takes is reported with the one that replaced it") {
  CHECK(
      said({{"a.yaml", kOld}, {"requirements.txt", "transformers==4.57.6\n"}}, "a.yaml") ==
      Said{"key-of-another-release: `evaluation_strategy` is accepted by transformers in 4.50.3 and earlier, "
           "but transformers==4.57.6 in requirements.txt requires others; write "
           "`eval_strategy`"});
}

TEST_CASE("a lower bound allows no release that needs a newer torch than the project pins") {
  const auto beside = [](const std::string& torch) {
    return said({{"a.yaml", kOld}, {"requirements.txt", "transformers>=4.40.0\n" + torch + "\n"}},
                "a.yaml");
  };
  CHECK(beside("torch==1.13.1").empty());
  CHECK(beside("torch<2").empty());
  CHECK(beside("torch~=1.13.0").empty());
  CHECK(beside("torch>=1.13").size() == 1);
  CHECK(beside("torch==2.9.0").size() == 1);
}

TEST_CASE("a lower bound allows releases that no longer take a key") {
  CHECK(
      said({{"a.yaml", kOld}, {"setup.py", "    \"transformers>=4.40.0\",\n"}}, "a.yaml") ==
      Said{
          "key-gone-from-newer-releases: `evaluation_strategy` is accepted by transformers in "
          "4.50.3 and earlier, and transformers>=4.40.0 in setup.py allows newer ones; write `eval_strategy`"});
}

TEST_CASE("a pinned release allows no newer one, whichever side of a change it is on") {
  CHECK(said({{"a.yaml", kOld}, {"requirements.txt", "transformers==4.50.9\n"}}, "a.yaml").empty());
}

TEST_CASE("without a word about the release nothing is said of keys that some release takes") {
  CHECK(said({{"a.yaml", kOld}}, "a.yaml").empty());
  CHECK(said({{"a.yaml", kOld}, {"requirements.txt", "torch==2.4.0\n"}}, "a.yaml").empty());
}

TEST_CASE("the lock file decides over the bounds beside it, the nearest folder over its parents") {
  const std::string lock = "[[package]]\nname = \"transformers\"\nversion = \"4.40.1\"\n";
  CHECK(said({{"a.yaml", kOld},
              {"pyproject.toml", "dependencies = [\"transformers>=4.40\"]\n"},
              {"uv.lock", lock}},
             "a.yaml")
            .empty());
  CHECK(said({{"requirements.txt", "transformers==4.57.6\n"},
              {"old/requirements.txt", "transformers==4.40.1\n"},
              {"old/a.yaml", kOld},
              {"README.md", ""}},
             "old/a.yaml")
            .empty());
}

TEST_CASE("a release that has no table for a section says nothing of the section's keys") {
  const std::string config =
      "{\"train_micro_batch_size_per_gpu\": 8, \"fp16\": {\"enabled\": true, \"loss_scale\": 0}}";
  CHECK(
      said({{"ds.json", config}, {"requirements.txt", "deepspeed==0.12.6\n"}}, "ds.json").empty());
}

TEST_CASE("a package from a repository may take any key") {
  CHECK(said({{"a.yaml", kOld},
              {"requirements.txt", "git+https://example.org/transformers.git@main\n"}},
             "a.yaml")
            .empty());
}

TEST_CASE("a key that the project's own code names is its own") {
  CHECK(said({{"a.yaml", kOld},
              {"requirements.txt", "transformers==4.57.6\n"},
              {"train.py", "def run(args):\n    return args[\"evaluation_strategy\"]\n"}},
             "a.yaml")
            .empty());
  CHECK(said({{"a.yaml", kOld},
              {"requirements.txt", "transformers==4.57.6\n"},
              {"train.py", "\"\"\"Run with evaluation_strategy as you like.\"\"\"\n"}},
             "a.yaml")
            .size() == 1);
}

TEST_CASE("a key beside a framework's is no slip of its keys where the project's code names it") {
  const Files files = {{"args.json",
                        "{\"per_device_train_batch_size\": 4, \"learning_rate\": 2e-5, "
                        "\"num_train_epochs\": 3, \"labelnames\": [\"a\", \"b\"], "
                        "\"save_totel_limit\": 3}"},
                       {"data.py",
                        "from dataclasses import dataclass, field\n\n@dataclass\nclass Arguments:\n"
                        "    labelnames: list = field(default_factory=list)\n"}};
  CHECK(said(files, "args.json") ==
        Said{"misspelt-key: this framework has no key `save_totel_limit`; did you mean "
             "`save_total_limit`?"});
}

TEST_CASE("a value that is no member of the enumeration it is turned into is refused") {
  CHECK(
      said({{"a.yaml", kTrainer + "lr_scheduler_type: cosin\n"}}, "a.yaml") ==
      Said{
          "value-refused: `lr_scheduler_type: cosin` is refused when training starts: transformers "
          "takes no such word; did you mean cosine?"});
  CHECK(said({{"a.yaml", kTrainer + "lr_scheduler_type: cosine_with_restarts\n"
                                    "save_strategy: no\nsave_steps: 0.05\nmax_grad_norm: -1.\n"}},
             "a.yaml")
            .empty());
}

TEST_CASE("a model that forbids other keys refuses them, named or nested") {
  const auto config = [](const std::string& key) {
    return "{\"train_micro_batch_size_per_gpu\": 8, \"zero_optimization\": {\"stage\": 2, " + key +
           "}}";
  };
  CHECK(said({{"ds.json", config("\"offload_optimizer\": {\"device\": \"cpu\", \"pin\": true}")}},
             "ds.json") == Said{"key-of-no-release: offload_optimizer does not accept `pin` in any "
                                "release up to deepspeed "
                                "0.19.8, and refuses keys it does not know (deepspeed, "
                                "deepspeed/runtime/config_utils.py, DeepSpeedConfigModel)"});
  CHECK(said({{"ds.json", config("\"pin\": true")}, {"requirements.txt", "deepspeed==0.16.9\n"}},
             "ds.json") ==
        Said{"key-refused: zero_optimization does not accept `pin`, so training does not start: "
             "deepspeed, deepspeed/runtime/config_utils.py, DeepSpeedConfigModel"});
  CHECK(
      said({{"ds.json", config("\"stage3_max_live_parameters\": 1e9, \"overlap_comm\": \"auto\"")}},
           "ds.json")
          .empty());
}

TEST_CASE("a default that changed within the range of releases a project allows is reported") {
  const std::string config = kTrainer + "stage: sft\nfinetuning_type: lora\ntemplate: llama3\n";
  const auto with = [&](const std::string& requirement, const std::string& more = {}) {
    return said({{"a.yaml", config + more}, {"requirements.txt", requirement + "\n"}}, "a.yaml");
  };
  CHECK(with("llamafactory>=0.8,<=0.9.3") ==
        Said{"default-changed-between-releases: `cutoff_len` is not set, and its default changed: "
             "llamafactory takes 1024 in 0.9.0 and earlier and 2048 in 0.9.1 and later; "
             "llamafactory>=0.8,<=0.9.3 in requirements.txt allows either"});
  CHECK(with("llamafactory>=0.8,<=0.9.3", "cutoff_len: 2048\n").empty());
  CHECK(with("llamafactory==0.9.0").empty());
  CHECK(with("llamafactory>=0.9.1,<0.10").empty());
  // Whoever gives no upper bound asks for the newest.
  CHECK(with("llamafactory>=0.8").empty());
  // A release between two that were read may have either default.
  CHECK(with("llamafactory==0.9.0.post1").empty());
}

TEST_CASE("a default that several classes may give is not spoken of") {
  // TRL's configs have rates of their own beside that of transformers.
  CHECK(said({{"a.yaml", "per_device_train_batch_size: 4\nnum_train_epochs: 3\nbeta: 0.1\n"},
              {"requirements.txt", "trl>=0.11,<1.0\ntransformers>=4.40,<5\n"}},
             "a.yaml")
            .empty());
}

TEST_CASE("a mapping that names its class is not read into the class it derives from") {
  const std::string launcher =
      "executor:\n  _target_: nemo_run.core.execution.slurm.SlurmExecutor\n  account: a\n"
      "  launcher:\n    _target_: nemo_run.core.execution.launcher.FaultTolerance\n"
      "    max_restarts: 3\ntrainer:\n  max_epochs: 3\n  devices: 8\n  accelerator: gpu\n";
  CHECK(said({{"a.yaml", launcher}}, "a.yaml").empty());
}

TEST_CASE("a class that a config names refuses arguments it does not have") {
  const auto config = [](const std::string& key) {
    return "trainer:\n  max_epochs: 3\n  devices: 8\n  accelerator: gpu\noptimizer:\n"
           "  class_path: torch.optim.AdamW\n  init_args:\n    lr: 0.001\n    " +
           key + "\n";
  };
  CHECK(said({{"a.yaml", config("weight_decy: 0.1")}}, "a.yaml") ==
        Said{"key-refused: torch.optim.AdamW does not accept `weight_decy`, so training does not "
             "start: "
             "torch, torch/optim/adamw.py, AdamW"});
  CHECK(said({{"a.yaml", config("betas: [0.9, 0.95]")}}, "a.yaml").empty());
}

TEST_CASE("programs take keys out before they call a target, so only a slip is suspected there") {
  const std::string config =
      "trainer:\n  max_epochs: 3\n  devices: 8\n  accelerator: gpu\noptimizer:\n"
      "  _target_: torch.optim.AdamW\n  _partial_: true\n  sched: cosine\n  weight_decy: 0.1\n";
  CHECK(
      said({{"a.yaml", config}}, "a.yaml") ==
      Said{"misspelt-key: this framework has no key `weight_decy`; did you mean `weight_decay`?"});
}

TEST_CASE("a program that refuses what it does not take refuses it on its command line") {
  const auto swift = [](const std::string& more) {
    return said({{"a.sh", "swift sft --model m --per_device_train_batch_size 1 " + more + "\n"}},
                "a.sh");
  };
  CHECK(swift("--dataloader_num_workerz 4") ==
        Said{"key-refused: ms-swift does not accept `dataloader_num_workerz`, so training does not "
             "start: "
             "ms-swift, swift/pipelines/base.py, SwiftPipeline._parse_args: remaining_argv"});
  CHECK(swift("--gradient_accumulation_step 4").empty());  // argparse takes the beginning
  CHECK(swift("--our_own_flag 4").empty());                // a fork may be installed
  CHECK(said({{"a.sh", "swift sft --model m --learning_rate 1e-4 --our_own_flag 4\n"},
              {"requirements.txt", "ms-swift==4.6.0\ntransformers==4.57.6\n"}},
             "a.sh")
            .size() == 1);
  CHECK(swift("--no_packing --no-save_only_model").empty());
  CHECK(swift("--optim_args \"weight_decy=0\"").empty());  // the value of a flag
  CHECK(
      said({{"a.sh", "python train.py --learning_rate 1e-4 --dataloader_num_workerz 4\n"}}, "a.sh")
          .empty());
}

TEST_CASE("a program takes keys that its framework gave up") {
  const std::string flags =
      "--model m --per_device_train_batch_size 1 --learning_rate 1e-4 --group_by_length true\n";
  const auto of_release = [&](const std::string& command, const std::string& swift) {
    return said({{"a.sh", command + flags},
                 {"train.py", ""},
                 {"requirements.txt", "transformers==5.2.0\nms-swift==" + swift + "\n"}},
                "a.sh");
  };
  CHECK(of_release("swift sft ", "4.1.3").empty());
  CHECK(of_release("python train.py ", "4.1.3").size() == 1);
}

TEST_CASE("a class that hands on what it does not name takes any key in every release") {
  const auto logger = [](const std::string& name, const std::string& keys) {
    return said({{"a.yaml", "wandb:\n  _target_: lightning.pytorch.loggers." + name +
                                "\n  project: p\n" + keys},
                 {"requirements.txt", "lightning>=2.0.0\n"}},
                "a.yaml");
  };
  CHECK(logger("wandb.WandbLogger", "  group: g\n  tags: [a]\n").empty());
}

TEST_CASE("a class that moved within its package takes what it took before") {
  const std::string loss =
      "loss:\n  _component_: torchtune.modules.loss.DPOLoss\n  beta: 0.1\n  loss_type: hinge\n"
      "batch_size: 4\nepochs: 1\nmodel:\n  _component_: torchtune.models.llama2.lora_llama2_7b\n"
      "tokenizer:\n  _component_: torchtune.models.llama2.llama2_tokenizer\n  path: a\n";
  CHECK(said({{"a.yaml", loss}}, "a.yaml").empty());
  CHECK(said({{"a.yaml", loss}, {"requirements.txt", "torchtune==0.6.1\n"}}, "a.yaml").size() == 1);
}

TEST_CASE("a word that some releases take beside a switch is not refused") {
  const std::string trainer =
      "model: {class_path: our.Model}\ntrainer:\n  max_epochs: 10\n  devices: 8\n";
  CHECK(said({{"a.yaml", trainer + "  deterministic: warn\n"}}, "a.yaml").empty());
  CHECK(said({{"a.yaml", trainer + "  fast_dev_run: sometimes\n"}}, "a.yaml").size() == 1);
}

TEST_CASE("a launcher refuses flags in front of the script, not behind it") {
  const std::string flags = "--per_device_train_batch_size 2 --learning_rate 1e-5";
  const auto launch = [&](const std::string& own, const std::string& more) {
    return said({{"a.sh", "accelerate launch " + own + " train.py " + flags + more + "\n"},
                 {"train.py", ""}},
                "a.sh");
  };
  CHECK(launch("--num_procesess 8", "") ==
        Said{"key-refused: accelerate does not accept `num_procesess`, so training does not start: "
             "accelerate, accelerate/commands/launch.py: argparse's parse_args"});
  CHECK(launch("--num_processes 8", " --num_procesess 8").empty());
}

TEST_CASE("variables that a script sets are no flags of the launcher that sees them") {
  CHECK(said({{"a.sh", "export WORKERS=2\naccelerate launch --num_processes 8 train.py "
                       "--per_device_train_batch_size 2 --learning_rate 1e-5\n"},
              {"train.py", ""},
              {"requirements.txt", "accelerate==0.16.0\n"}},
             "a.sh")
            .empty());
}

TEST_CASE("Hydra refuses a key that a config lacks, unless it is added") {
  const auto verl = [](const std::string& more) {
    return said({{"a.sh",
                  "python3 -m verl.trainer.main_ppo data.train_batch_size=1024 "
                  "actor_rollout_ref.actor.optim.lr=1e-6 " +
                      more + "\n"}},
                "a.sh");
  };
  const Said refused = verl("data.max_response_lenght=1024");
  REQUIRE(refused.size() == 1);
  CHECK(refused.front().starts_with("key-refused: data does not accept `max_response_lenght`"));
  CHECK(verl("data.max_response_length=1024").empty());
  CHECK(verl("+data.max_response_lenght=1024").empty());
  CHECK(verl("--config-path=conf data.max_response_lenght=1024").empty());
}

TEST_CASE("a class behind a tag of HyperPyYAML refuses arguments it does not have") {
  const std::string config =
      "batch_size: 8\nnumber_of_epochs: 10\nlr: 0.001\nopt_class: !name:torch.optim.AdamW\n"
      "  lr: !ref <lr>\n";
  CHECK(said({{"a.yaml", config + "  weight_decy: 0.01\n"}}, "a.yaml") ==
        Said{"key-refused: torch.optim.AdamW does not accept `weight_decy`, so training does not "
             "start: "
             "torch, torch/optim/adamw.py, AdamW"});
  CHECK(said({{"a.yaml", config + "  weight_decay: 0.01\n"}}, "a.yaml").empty());
}

TEST_CASE("an experiment manager that is merged with its structure refuses other keys") {
  const std::string config =
      "trainer: {devices: 8, max_epochs: 10}\nmodel: {train_ds: {batch_size: 8}}\n"
      "exp_manager:\n  checkpoint_callback_params: {";
  CHECK(said({{"a.yaml", config + "save_top_k: 3}\n"}}, "a.yaml").empty());
  CHECK(said({{"a.yaml", config + "save_best_modell: true}\n"}}, "a.yaml").size() == 1);
}

}  // namespace catalogue_test
