// What starts runs of frameworks: their scripts, launchers and parts of configs.

#include "unit/lint/code_project.h"

#include <doctest/doctest.h>

namespace gpulint {
namespace {

using Files = MemoryReader::Files;

const std::string kTrainer = "SOLVER:\n  IMS_PER_BATCH: 6\n  BASE_LR: 0.01\n  MAX_ITER: 900\n";

TEST_CASE("a key at the top of a config of capitals follows the config that a command names") {
  const Project project(
      {{".git/HEAD", ""},
       {"conf/a.yaml", kTrainer},
       {"run.sh", "python train_net.py --num-gpus 2 --config-file conf/a.yaml OUTPUT_DIR out "
                  "SOLVER.BASE_LR 0.5\n"},
       {"train_net.py", ""}},
      "run.sh");
  CHECK(project.fact("global_batch_size") == "6 stated conf/a.yaml:2");
  CHECK(project.fact("learning_rate") == "0.5 stated run.sh:1");
  CHECK(project.fact("world_size") == "2 assumed");
}

TEST_CASE("words in capitals that a flag lists are its values") {
  const Project project({{".git/HEAD", ""},
                         {"run.sh", "python train.py --classes CAR BUS --lr 0.1 --batch-size 4\n"},
                         {"train.py", ""}},
                        "run.sh");
  CHECK(project.fact("per_device_batch_size") == "4 stated run.sh:1");
}

TEST_CASE("the folder of a config that a command names without its ending is the command's") {
  const auto rate = [](const std::string& folder) {
    return Project({{".git/HEAD", ""},
                    {"conf/own.yaml",
                     "actor_rollout_ref:\n  actor:\n    optim:\n      lr: 5.0e-7\n"
                     "data:\n  train_batch_size: 64\n"},
                    {"run.sh", "cd \"$SOMEWHERE\"\npython -m verl.trainer.main_ppo " + folder +
                                   " --config-name=own trainer.total_epochs=2\n"}},
                   "run.sh")
        .fact("learning_rate");
  };
  CHECK(rate("--config-path=conf") == "5e-07 stated conf/own.yaml:4");
  CHECK(rate("--config-dir \"$PWD/conf\"") == "5e-07 stated conf/own.yaml:4");
  CHECK(rate("--config-path elsewhere") == "unknown");
}

TEST_CASE("a trainer that counts GPUs of a node has one node unless it says more") {
  const auto world = [](const std::string& more) {
    return Project({{".git/HEAD", ""},
                    {"conf/own.yaml",
                     "actor_rollout_ref:\n  actor:\n    optim:\n      lr: 5.0e-7\n"
                     "trainer:\n  n_gpus_per_node: 4\n" +
                         more}},
                   "conf/own.yaml")
        .fact("world_size");
  };
  CHECK(world("") == "4 derived");
  CHECK(world("  nnodes: 2\n") == "8 derived");
}

TEST_CASE("a config whose list names whole configs from the top is composed of them") {
  Files files = {
      {".git/HEAD", ""},
      {"conf/optimizer/sgd.yaml", "name: sgd\nlr: 0.25\n"},
      {"conf/data/big.yaml", "batch_size: 8\n"},
      {"conf/exp/deep/a.yaml",
       "# @package _global_\ndefaults:\n  - /optimizer/sgd\n  - /data/big\n  - _self_\n"
       "epochs: 3\n"}};
  const Project alone(files, "conf/exp/deep/a.yaml");
  CHECK(alone.fact("learning_rate") == "0.25 stated conf/optimizer/sgd.yaml:2");
  CHECK(alone.fact("per_device_batch_size") == "8 stated conf/data/big.yaml:1");
  files["conf/other.yaml"] = "defaults:\n  - optimizer: sgd\n  - data: big\nwarmup_steps: 7\n";
  const Project beside(files, "conf/exp/deep/a.yaml");
  CHECK(beside.fact("epochs") == "3 stated conf/exp/deep/a.yaml:6");
  CHECK(beside.fact("warmup_steps") == "unknown");
}

std::string devices(const std::string& directives, const std::string& command) {
  const Project project({{".git/HEAD", ""},
                         {"run.sh", "#!/bin/bash\n" + directives + command},
                         {"train.py", ""}},
                        "run.sh");
  return project.fact("gpus_per_node") + ", " + project.fact("world_size");
}

TEST_CASE("GPUs that Slurm is asked for the whole job are those of its one node") {
  const std::string program = "train.py --batch-size 8 --lr 0.1\n";
  CHECK(devices("#SBATCH --gpus=1\n", "python " + program) == "1 stated run.sh:2, 1 assumed");
  CHECK(devices("#SBATCH --nodes=1\n#SBATCH -G 4\n#SBATCH --gpus 4\n", "python " + program) ==
        "4 dialect default, 4 derived");
  CHECK(devices("#SBATCH --nodes=1\n#SBATCH --gpus=4\n",
                "torchrun --nproc_per_node 2 " + program) == "2 stated run.sh:4, 2 derived");
  CHECK(devices("#SBATCH --nodes=2\n#SBATCH --gpus=4\n", "python " + program) ==
        "unknown, unknown");
  CHECK(devices("#SBATCH --nodes=1\n#SBATCH --gpus 4\n",
                "torchrun --nproc_per_node=$SLURM_GPUS " + program) ==
        "4 stated run.sh:3, 4 derived");
}

TEST_CASE("a script of a batch system may be called a job") {
  const Project project({{".git/HEAD", ""},
                         {"run.job", "#!/bin/bash\n#SBATCH --gres=gpu:1\n"
                                     "python train.py --batch-size 8 --lr 0.1\n"},
                         {"train.py", ""}},
                        "run.job");
  CHECK(project.fact("per_device_batch_size") == "8 stated run.job:3");
}

TEST_CASE("a recipe for one device has one rank, however many GPUs there are") {
  const auto ranks = [](const std::string& recipe) {
    return Project({{".git/HEAD", ""},
                    {"conf/a.yaml",
                     "model:\n  _component_: torchtune.models.llama3_2.lora_llama3_2_1b\n"
                     "optimizer:\n  _component_: torch.optim.AdamW\n  lr: 3e-4\nbatch_size: 2\n"
                     "epochs: 1\n"},
                    {"run.sh", "tune run " + recipe + " --config conf/a.yaml\n"}},
                   "run.sh")
        .fact("world_size");
  };
  CHECK(ranks("lora_finetune_single_device") == "1 dialect default");
  CHECK(ranks("--nproc_per_node 2 --nnodes 1 lora_finetune_distributed") == "2 derived");
  CHECK(ranks("lora_finetune_distributed") == "unknown");
  CHECK(ranks("own/lora_finetune_single.py") == "unknown");
}

TEST_CASE("a command line of a library leaves out what its defaults say") {
  const Project project({{".git/HEAD", ""},
                         {"run.sh", "yolo detect train data=a.yaml model=yolov8n.pt batch=4\n"}},
                        "run.sh");
  CHECK(project.fact("global_batch_size") == "4 stated run.sh:1");
  CHECK(project.fact("epochs") == "100 dialect default");
  CHECK(project.fact("num_workers") == "8 dialect default");
}

TEST_CASE("options of a loader without workers have none") {
  const std::string recipe = "seed: !apply:torch.manual_seed [1]\nnumber_of_epochs: 3\n"
                             "opt_class: !name:torch.optim.Adam\n  lr: 0.1\n"
                             "train_dataloader_opts:\n  batch_size: 4\n";
  const auto workers = [](const std::string& text) {
    return Project({{".git/HEAD", ""}, {"hparams/a.yaml", text}}, "hparams/a.yaml")
        .fact("num_workers");
  };
  CHECK(workers(recipe) == "0 dialect default");
  CHECK(workers(recipe + "  num_workers: 2\n") == "2 stated hparams/a.yaml:7");
}

TEST_CASE("a program that reports trains nothing") {
  const Project project({{".git/HEAD", ""},
                         {"run.sh", "python tools/report_steps.py --per_device_train_batch_size 2 "
                                    "--warmup 5\n"},
                         {"tools/report_steps.py", ""}},
                        "run.sh");
  CHECK(project.fact("per_device_batch_size") == "no run");
}

/// Why nothing is told of the one file.
std::string reason(const std::string& path, const std::string& text) {
  const MemoryReader reader(Files{{".git/HEAD", ""}, {path, text}});
  LintRequest request;
  request.paths = {"."};
  const LintResult result = lint(session_over(reader), request);
  return result.files.size() == 1 && result.files.front().dialect.empty()
             ? result.files.front().reason
             : "a run";
}

TEST_CASE("a base that no config of the project names is no run") {
  const std::string text = "train_cfg = dict(type='EpochBasedTrainLoop', max_epochs=24)\n"
                           "optim_wrapper = dict(type='OptimWrapper',\n"
                           "    optimizer=dict(type='SGD', lr=0.02))\n";
  CHECK(reason("configs/_base_/schedules/long.py", text) == "a base of other configs");
  CHECK(reason("configs/schedules/long.py", text) == "a run");
}

TEST_CASE("a config that composes its groups to evaluate is no run") {
  const std::string text = "defaults:\n  - _self_\nckpt_path: ???\nbatch_size: 8\n"
                           "trainer:\n  _target_: lightning.pytorch.trainer.Trainer\n"
                           "  devices: 1\n  precision: 32\n";
  CHECK(reason("configs/eval.yaml", text) == "an evaluation");
  CHECK(reason("configs/eval.yaml", text + "optimizer:\n  lr: 0.1\n") == "a run");
}

TEST_CASE("what a run came to makes a file its record") {
  const std::string text = "{\"lr\": 0.1, \"batch_size\": 8, \"epochs\": 3";
  CHECK(reason("archive/outputs/a.json", text + ", \"final_train_loss\": 0.5}") ==
        "a record of a finished run");
  CHECK(reason("conf/a.json", text + "}") == "a run");
}

TEST_CASE("a network of a library is trained by the arguments of its method") {
  const auto trained = [](const std::string& more) {
    return Project({{".git/HEAD", ""},
                    {"train.py",
                     "import argparse\nfrom ultralytics import YOLO\n"
                     "p = argparse.ArgumentParser()\n"
                     "p.add_argument('--epochs', type=int, default=9)\n"
                     "args = p.parse_args()\nmodel = YOLO('yolov8n.pt')\n"
                     "model.train(data='a.yaml', epochs=args.epochs, batch=24, lr0=0.02" +
                         more + ")\n"},
                    {"run.sh", "python train.py --epochs 7\n"}},
                   "run.sh");
  };
  const Project chosen = trained(", optimizer='SGD'");
  CHECK(chosen.fact("epochs") == "7 stated run.sh:1");
  CHECK(chosen.fact("global_batch_size") == "24 code train.py:7");
  CHECK(chosen.fact("optimizer") == "sgd code train.py:7");
  CHECK(chosen.fact("num_workers") == "8 code train.py:7");
  CHECK(trained("").fact("learning_rate") == "unknown");  // the optimizer brings its own
}

}  // namespace
TEST_CASE("a data module that divides its batch by the trainer's ranks states the global batch") {
  const auto project = [](const std::string& guard) {
    return Project(
        {{".git/HEAD", ""},
         {"conf/a.yaml", "bs: 16\nspeed: 0.01\n"},
         {"train.py",
          "import argparse, torch, yaml\nimport lightning as L\n"
          "from torch.utils.data import DataLoader\n"
          "class Data(L.LightningDataModule):\n"
          "  def __init__(self, bs):\n    super().__init__()\n"
          "    self.save_hyperparameters(logger=False)\n    self.part = bs\n"
          "  def setup(self, stage=None):\n    " +
              guard +
              "\n      if self.hparams.bs % self.trainer.world_size != 0:\n"
              "        raise RuntimeError('not divisible')\n"
              "      self.part = self.hparams.bs // self.trainer.world_size\n"
              "  def train_dataloader(self):\n    return DataLoader(rows(), batch_size=self.part)\n"
              "class Net(L.LightningModule):\n"
              "  def __init__(self, cfg):\n    super().__init__()\n    self.cfg = cfg\n"
              "    self.net = torch.nn.Linear(3, 4)\n"
              "  def configure_optimizers(self):\n"
              "    return torch.optim.AdamW(self.parameters(), lr=self.cfg['speed'])\n"
              "if __name__ == '__main__':\n  p = argparse.ArgumentParser()\n"
              "  p.add_argument('--config')\n"
              "  cfg = yaml.safe_load(open(p.parse_args().config))\n"
              "  L.Trainer(devices=2).fit(Net(cfg), datamodule=Data(cfg['bs']))\n"}},
        "conf/a.yaml");
  };
  for (const char* guard : {"if self.trainer is not None:", "if self.trainer:", "if True:"}) {
    CAPTURE(guard);
    const Project each = project(guard);
    CHECK(each.fact("global_batch_size") == "16 stated conf/a.yaml:1");
    CHECK(each.fact("per_device_batch_size") == "8 derived");
  }
}

const std::string kModule =
    "import argparse, torch\nimport pytorch_lightning as pl\n"
    "from torch.utils.data import DataLoader\n"
    "class Net(pl.LightningModule):\n"
    "  def __init__(self, rate):\n    super().__init__()\n    self.rate = rate\n"
    "    self.net = torch.nn.Linear(3, 4)\n"
    "  def configure_optimizers(self):\n"
    "    return torch.optim.Adam(self.parameters(), lr=self.rate)\n"
    "  def train_dataloader(self):\n    return DataLoader(rows(), batch_size=16)\n"
    "parser = argparse.ArgumentParser()\n";

TEST_CASE("a Lightning trainer made of parsed options fits its module") {
  const std::string code = kModule +
                           "parser = pl.Trainer.add_argparse_args(parser)\n"
                           "parser.add_argument('--rate', type=float, default=0.5)\n"
                           "parser.set_defaults(max_epochs=7, precision=16)\n"
                           "args = parser.parse_args()\n"
                           "trainer = pl.Trainer.from_argparse_args(args, gpus=1)\n"
                           "trainer.fit(Net(args.rate))\n";
  const Project project({{".git/HEAD", ""}, {"train.py", code}}, "train.py");
  CHECK(project.fact("optimizer").starts_with("adam code"));
  CHECK(project.fact("per_device_batch_size").starts_with("16"));
  CHECK(project.fact("learning_rate").starts_with("0.5"));
  CHECK(project.fact("epochs").starts_with("7"));
  CHECK(project.fact("mixed_precision").starts_with("fp16"));
  CHECK(project.fact("gpus_per_node").starts_with("1"));
}

TEST_CASE("a list of one device is one GPU, whichever it is") {
  const std::string code =
      kModule +
      "parser.add_argument('--device', type=int, default=3)\n"
      "args = parser.parse_args()\n"
      "trainer = pl.Trainer(accelerator='gpu', devices=[args.device], max_epochs=3)\n"
      "trainer.fit(Net(0.5))\n";
  const Project project({{".git/HEAD", ""}, {"train.py", code}}, "train.py");
  CHECK(project.fact("gpus_per_node").starts_with("1"));
}

}  // namespace gpulint
