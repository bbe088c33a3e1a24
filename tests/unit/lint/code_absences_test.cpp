// What a project's code does not do, and what it leaves out because the config says so.

#include "unit/lint/code_project.h"

#include <doctest/doctest.h>

#include <string>

namespace code_absences_test {

using namespace gpulint;
using Files = MemoryReader::Files;

namespace {

/// A loop of the project's own; `lines` stand before it.
Files loop_with(const std::string& config, const std::string& lines) {
  return {{".git/HEAD", ""},
          {"configs/a.yaml", config},
          {"train.py",
           "import sys, torch, yaml\nif __name__ == '__main__':\n"
           "  cfg = yaml.safe_load(open(sys.argv[1]))\n  model = make()\n" +
               lines +
               "  optimizer = torch.optim.SGD(model.parameters(), lr=cfg['lr'])\n"
               "  for x in data():\n    loss = model(x)\n    loss.backward()\n"
               "    optimizer.step()\n"}};
}

constexpr const char* kConfig = "lr: 0.1\nbatch_size: 32\nepochs: 3\nfrugal: false\n";
constexpr const char* kFrugal = "lr: 0.1\nbatch_size: 32\nepochs: 3\nfrugal: true\n";
constexpr const char* kIfFrugal =
    "  if cfg['frugal']:\n    model.gradient_checkpointing_enable()\n";

}  // namespace

TEST_CASE("a call that the config's value leads past is not made") {
  const Project off(loop_with(kConfig, kIfFrugal), "configs/a.yaml");
  CHECK(off.fact("activation_checkpointing") == "none stated configs/a.yaml:4");
  const Project on(loop_with(kFrugal, kIfFrugal), "configs/a.yaml");
  CHECK(on.fact("activation_checkpointing") == "full code train.py:6");
}

TEST_CASE("a call that is left out is known by an import that is left out with it") {
  const auto with = [](const std::string& name, const std::string& import) {
    return Project(loop_with(kConfig, "  few = None\n  if cfg['frugal']:\n    " + import +
                                          "\n    few = " + name + "(load_in_4bit=True)\n"),
                   "configs/a.yaml")
        .fact("quantization");
  };
  CHECK(with("BitsAndBytesConfig", "from transformers import BitsAndBytesConfig") ==
        "none stated configs/a.yaml:4");
  CHECK(with("Few", "from transformers import BitsAndBytesConfig as Few") ==
        "none stated configs/a.yaml:4");
}

TEST_CASE("a call that an option's default leads past is not made, by that default") {
  const Project project(
      loop_with(kConfig,
                "  import argparse\n  p = argparse.ArgumentParser()\n"
                "  p.add_argument('--fuse', default=False)\n  a = p.parse_args()\n"
                "  model = torch.compile(model) if a.fuse else model\n"),
      "configs/a.yaml");
  CHECK(project.fact("compile") == "false code train.py:7");
}

TEST_CASE("a call that is left out in one place and may be made in another says nothing") {
  const std::string twice =
      std::string(kIfFrugal) + "  if unknown():\n    model.gradient_checkpointing_enable()\n";
  const Project project(loop_with(kConfig, twice), "configs/a.yaml");
  CHECK(project.fact("activation_checkpointing") == "unknown");
}

TEST_CASE("saving checkpoints and choosing an accelerator is neither recomputing nor compiling") {
  const std::string trainer =
      "  trainer = make_trainer(accelerator='gpu', enable_checkpointing=cfg['frugal'], "
      "checkpointing_steps=500)\n";
  const Project project(loop_with(kConfig, trainer), "configs/a.yaml");
  CHECK(project.fact("activation_checkpointing") == "none code train.py:9");
  CHECK(project.fact("compile") == "false code train.py:9");
  const Project recomputes(
      loop_with(kConfig, trainer + "  model.block_checkpointing = cfg['frugal']\n"),
      "configs/a.yaml");
  CHECK(recomputes.fact("activation_checkpointing") == "unknown");
}

TEST_CASE("what a config leaves out says nothing where no loop was reached") {
  const Project project(
      {{".git/HEAD", ""},
       {"configs/a.yaml", kConfig},
       {"train.py",
        "import sys, torch, yaml, engine\nif __name__ == '__main__':\n"
        "  cfg = yaml.safe_load(open(sys.argv[1]))\n  model = make()\n"
        "  if cfg['frugal']:\n    model.gradient_checkpointing_enable()\n"
        "  engine.fit(model, torch.optim.SGD(model.parameters(), lr=cfg['lr']))\n"}},
      "configs/a.yaml");
  CHECK(project.fact("learning_rate") == "0.1 stated configs/a.yaml:1");
  CHECK(project.fact("activation_checkpointing") == "unknown");
}

TEST_CASE("classes in a branch that is left out are read as such") {
  const Project project(loop_with(kConfig,
                                  "  if cfg['frugal']:\n    class A():\n      pass\n"
                                  "    class B(A, torch.compile):\n      pass\n"),
                        "configs/a.yaml");
  CHECK(project.fact("learning_rate") == "0.1 stated configs/a.yaml:1");
  CHECK(project.fact("compile") == "false code train.py:13");
}

TEST_CASE("a loop that no word of a schedule stands around keeps its rate") {
  const Project plain(loop_with(kConfig, ""), "configs/a.yaml");
  CHECK(plain.fact("lr_schedule") == "constant code train.py:8");
  CHECK(plain.fact("warmup_steps") == "0 code train.py:8");
  const Project set(loop_with(kConfig, "  set_lr(1)\n"), "configs/a.yaml");
  CHECK(set.fact("lr_schedule") == "unknown");
  const Project warm(loop_with(kConfig, "  n = warm_epochs()\n"), "configs/a.yaml");
  CHECK(warm.fact("warmup_steps") == "unknown");
}

TEST_CASE("a function that nothing names does nothing, and neither does an import") {
  Files files = loop_with(kConfig, "");
  files["train.py"].insert(0,
                           "from torch.cuda.amp import autocast\ndef gather(x):\n"
                           "  torch.distributed.init_process_group()\n");
  const Project project(files, "configs/a.yaml");
  CHECK(project.fact("world_size") == "1 code train.py:11");
  CHECK(project.fact("mixed_precision") == "none code train.py:11");
  files["train.py"].insert(files["train.py"].find("  for x in data()"), "  gather(autocast)\n");
  const Project used(files, "configs/a.yaml");
  CHECK(used.fact("world_size") == "unknown");
  CHECK(used.fact("mixed_precision") == "unknown");
}

TEST_CASE("ranks that an option asks for are not there where a command does not") {
  const std::string lines =
      "  import argparse\n  p = argparse.ArgumentParser()\n  p.add_argument('config')\n"
      "  p.add_argument('--ranks', action='store_true')\n  a = p.parse_args()\n"
      "  if a.ranks:\n    torch.distributed.init_process_group()\n";
  Files files = loop_with(kConfig, lines);
  CHECK(Project(files, "configs/a.yaml").fact("world_size") == "unknown");
  files["run.sh"] = "python train.py configs/a.yaml\n";
  CHECK(Project(files, "run.sh").fact("world_size") == "1 code train.py:15");
  const std::string by_config = "  if cfg['frugal']:\n    torch.distributed.init_process_group()\n";
  CHECK(Project(loop_with(kConfig, by_config), "configs/a.yaml").fact("world_size") ==
        "1 code train.py:10");
}

TEST_CASE("a docstring that speaks of checkpointing recomputes nothing") {
  const Project project(loop_with(kConfig, "  'with checkpointing and validation'\n"),
                        "configs/a.yaml");
  CHECK(project.fact("activation_checkpointing") == "none code train.py:9");
}

TEST_CASE("the folder of a Hydra program may be worked out from its file") {
  const std::string body =
      "def main(cfg):\n  optimizer = torch.optim.SGD(p, lr=cfg.lr)\n"
      "  for x in DataLoader(make('train'), batch_size=cfg.rows, num_workers=3):\n"
      "    loss(x).backward()\n    optimizer.step()\nif __name__ == '__main__':\n  main()\n";
  const Project project({{".git/HEAD", ""},
                         {"lab/words_predictor.py",
                          "import os, hydra, torch\nfrom torch.utils.data import DataLoader\n"
                          "here = os.path.dirname(__file__)\n"
                          "@hydra.main(config_path=here, config_name='words.yaml')\n" +
                              body},
                         {"lab/words.yaml", "lr: 0.1\nrows: 4\nepochs: 3\nbatch_size: 4\n"}},
                        "lab/words.yaml");
  CHECK(project.fact("num_workers") == "3 code lab/words_predictor.py:7");
}

TEST_CASE("a group file is read as a part of the config that chooses it") {
  const Files files = {
      {".git/HEAD", ""},
      {"conf/train.yaml", "defaults:\n  - optim: fast\n  - data: small\n  - _self_\nepochs: 7\n"},
      {"conf/optim/fast.yaml", "optimizer: adamw\nlr: 3e-4\nweight_decay: 0.1\n"},
      {"conf/optim/slow.yaml", "optimizer: sgd\nlr: 1e-2\nweight_decay: 0.1\n"},
      {"conf/data/small.yaml", "batch_size: 16\nnum_workers: 2\n"}};
  const Project chosen(files, "conf/optim/fast.yaml");
  CHECK(chosen.fact("learning_rate") == "0.0003 stated conf/optim/fast.yaml:2");
  CHECK(chosen.fact("per_device_batch_size") == "16 stated conf/data/small.yaml:1");
  CHECK(chosen.fact("epochs") == "7 stated conf/train.yaml:5");
  const Project other(files, "conf/optim/slow.yaml");
  CHECK(other.fact("learning_rate") == "0.01 stated conf/optim/slow.yaml:2");
  CHECK(other.fact("epochs") == "unknown");
}

TEST_CASE("configs that choose one group file fill in what they agree on") {
  const Project project(
      {{".git/HEAD", ""},
       {"conf/one.yaml", "defaults:\n  - optim: fast\n  - _self_\nepochs: 7\nbatch_size: 8\n"},
       {"conf/two.yaml", "defaults:\n  - optim: fast\n  - _self_\nepochs: 9\nbatch_size: 8\n"},
       {"conf/optim/fast.yaml", "optimizer: adamw\nlr: 3e-4\nweight_decay: 0.1\n"}},
      "conf/optim/fast.yaml");
  CHECK(project.fact("per_device_batch_size") == "8 stated conf/one.yaml:5");
  CHECK(project.fact("epochs") == "unknown");
}

TEST_CASE("a warm-up of a program without a word of a schedule is none of its rate") {
  const std::string config = "lr: 0.1\nbatch_size: 32\nepochs: 3\nwarmup_steps: 60\n";
  const std::string margin = "  for step in range(cfg['warmup_steps']):\n    margin(step)\n";
  CHECK(Project(loop_with(config, margin), "configs/a.yaml").fact("warmup_steps") == "unknown");
  const std::string own =
      margin + "  def set_rate(step):\n    for group in optimizer.param_groups:\n"
               "      group['lr'] = cfg['lr'] * step / cfg['warmup_steps']\n"
               "  register(set_rate)\n";
  CHECK(Project(loop_with(config, own), "configs/a.yaml").fact("warmup_steps") ==
        "60 stated configs/a.yaml:4");
}

}  // namespace code_absences_test
