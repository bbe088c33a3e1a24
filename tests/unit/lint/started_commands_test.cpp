// Programs in Python that start others, and how a run that a program starts by itself is joined.

#include "unit/lint/code_project.h"

#include <doctest/doctest.h>

namespace started_commands_test {

using namespace gpulint;
using Files = MemoryReader::Files;

const std::string kTrain =
    "import argparse, torch\n"
    "if __name__ == '__main__':\n"
    "    parser = argparse.ArgumentParser()\n"
    "    parser.add_argument('--batch-size', type=int, default=4)\n"
    "    parser.add_argument('--rate', type=float)\n"
    "    parser.add_argument('--epochs', type=int)\n"
    "    args = parser.parse_args()\n"
    "    torch.utils.data.DataLoader(make('train'), args.batch_size, num_workers=3)\n"
    "    torch.optim.AdamW(model(), lr=args.rate)\n"
    "    for epoch in range(args.epochs):\n        pass\n";

Project started_by(const std::string& program, const std::string& asked = "tools/run.py",
                   Files others = {}) {
  Files files = {{".git/HEAD", ""}, {"train.py", kTrain}, {"tools/run.py", program}};
  files.insert(others.begin(), others.end());
  return Project(std::move(files), asked);
}

TEST_CASE("a program in Python that starts a training states what it hands over") {
  const Project project = started_by(
      "import subprocess, sys\n"
      "def main():\n"
      "    rate = 3e-4\n"
      "    cmd = [sys.executable, 'train.py', '--batch-size', '16',\n"
      "           '--rate', str(rate)]\n"
      "    cmd += ['--epochs', '7']\n"
      "    subprocess.run(cmd, check=True, env={'CUDA_VISIBLE_DEVICES': '0,1'})\n"
      "if __name__ == '__main__':\n    main()\n");
  CHECK(project.fact("per_device_batch_size") == "16 stated tools/run.py:4");
  CHECK(project.fact("learning_rate") == "0.0003 stated tools/run.py:3");
  CHECK(project.fact("epochs") == "7 stated tools/run.py:6");
  CHECK(project.fact("num_workers") == "3 code train.py:8");
}

TEST_CASE("a text that a program hands to the shell is read as one") {
  const Project project = started_by(
      "import os\nif __name__ == '__main__':\n"
      "    os.system('CUDA_VISIBLE_DEVICES=0 torchrun --nproc_per_node 2 train.py --rate 0.1')\n");
  CHECK(project.fact("learning_rate") == "0.1 stated tools/run.py:3");
  CHECK(project.fact("gpus_per_node") == "2 stated tools/run.py:3");
}

TEST_CASE("words that nobody knows leave what a program starts open") {
  const Project project = started_by(
      "import subprocess, sys\nif __name__ == '__main__':\n"
      "    subprocess.run(['python', 'train.py', '--batch-size', sys.argv[1], '--rate', '0.1'])\n");
  CHECK(project.fact("per_device_batch_size") == "unknown");
  CHECK(project.fact("learning_rate") == "0.1 stated tools/run.py:3");
}

TEST_CASE("a script that starts a program which starts the training adds what its launcher says") {
  const Project project = started_by(
      "import argparse, subprocess, sys\nif __name__ == '__main__':\n"
      "    parser = argparse.ArgumentParser()\n    parser.add_argument('--rate', default='0.5')\n"
      "    args = parser.parse_args()\n"
      "    subprocess.run([sys.executable, 'train.py', '--rate', args.rate])\n",
      "jobs/run.sbatch",
      {{"jobs/run.sbatch",
        "#!/bin/bash\n#SBATCH --nodes=1\n#SBATCH --gres=gpu:1\n"
        "python tools/run.py --rate 0.25\n"}});
  CHECK(project.fact("learning_rate") == "0.25 stated tools/run.py:6");
  CHECK(project.fact("gpus_per_node") == "1 stated jobs/run.sbatch:3");
  CHECK(project.fact("optimizer") == "adamw code train.py:9");
}

TEST_CASE("a program that trains by itself is no launcher, whatever else it starts") {
  const Project project = started_by(
      "import subprocess, torch\nif __name__ == '__main__':\n"
      "    torch.utils.data.DataLoader(make('train'), 5)\n"
      "    torch.optim.SGD(model(), lr=0.5)\n"
      "    subprocess.run(['python', 'train.py', '--rate', '0.1'])\n");
  CHECK(project.fact("learning_rate") == "0.5 code tools/run.py:4");
}

TEST_CASE("a program that is asked about gets what the scripts that start it say") {
  const Project project({{".git/HEAD", ""},
                         {"a/train.py", kTrain},
                         {"a/run.sh", "torchrun --nproc_per_node 4 train.py --rate 0.25\n"}},
                        "a/train.py");
  CHECK(project.fact("learning_rate") == "0.25 stated a/run.sh:1");
  CHECK(project.fact("per_device_batch_size") == "4 code a/train.py:4");
  CHECK(project.fact("gpus_per_node") == "4 stated a/run.sh:1");
}

const std::string kLoadsOwn =
    "import yaml, torch\n"
    "if __name__ == '__main__':\n"
    "    h = yaml.safe_load(open('own.yaml'))\n"
    "    torch.utils.data.DataLoader(make('train'), h['batch_size'])\n"
    "    torch.optim.SGD(model(), lr=h['lr'])\n";

TEST_CASE("a config that a program loads by its name is of the run that a script starts") {
  const Files files = {{".git/HEAD", ""},
                       {"job/main.py", kLoadsOwn},
                       {"job/own.yaml", "batch_size: 8\nlr: 0.1\nepochs: 3\n"},
                       {"job/launch.sh", "cd /data/job\ntorchrun --nproc_per_node=4 main.py\n"}};
  const Project script(files, "job/launch.sh");
  CHECK(script.fact("per_device_batch_size") == "8 stated job/own.yaml:1");
  CHECK(script.fact("gpus_per_node") == "4 stated job/launch.sh:2");
  const Project config(files, "job/own.yaml");
  CHECK(config.fact("per_device_batch_size") == "8 stated job/own.yaml:1");
  CHECK(config.fact("epochs") == "3 stated job/own.yaml:3");
  CHECK(config.fact("world_size").starts_with("4 "));
}

TEST_CASE("a program that adds a folder or an ending to the name of its config takes the config") {
  for (const std::string path : {"FOLDER / args.config", "f'conf/{args.config}.yaml'",
                                 "args.config if Path(args.config).is_absolute() else "
                                 "FOLDER / (Path(args.config).stem + '.yaml')"}) {
    const Project project({{".git/HEAD", ""},
                           {"train.py",
                            "import argparse, yaml, torch\nfrom pathlib import Path\n"
                            "FOLDER = Path(__file__).parent / 'conf'\n"
                            "if __name__ == '__main__':\n"
                            "    parser = argparse.ArgumentParser()\n"
                            "    parser.add_argument('--config', default='a')\n"
                            "    args = parser.parse_args()\n    h = yaml.safe_load(open(" +
                                path +
                                "))\n    torch.utils.data.DataLoader(make('train'), h['rows'])\n"
                                "    torch.optim.SGD(model(), lr=h['speed'])\n"},
                           {"conf/a.yaml", "rows: 8\nspeed: 0.1\nepochs: 3\n"}},
                          "conf/a.yaml");
    CAPTURE(path);
    CHECK(project.fact("per_device_batch_size") == "8 stated conf/a.yaml:1");
  }
}

TEST_CASE("what a function of a class of a library makes may be empty") {
  const Project project({{".git/HEAD", ""},
                         {"train.py",
                          "import torch\nfrom omegaconf import OmegaConf\n"
                          "if __name__ == '__main__':\n    c = OmegaConf.load('c.yaml')\n"
                          "    if OmegaConf.missing_keys(c):\n        raise ValueError('missing')\n"
                          "    torch.utils.data.DataLoader(make('train'), c.rows)\n"
                          "    torch.optim.AdamW(model(), lr=c.speed)\n"},
                         {"c.yaml", "rows: 8\nspeed: 0.1\nepochs: 2\n"}},
                        "c.yaml");
  CHECK(project.fact("per_device_batch_size") == "8 stated c.yaml:1");
}

TEST_CASE("a module of settings is judged by the run of the program that imports it") {
  Files files = {{".git/HEAD", ""},
                 {"job/config.py", "class Config:\n    rows = 16\n    speed = 2e-5\n"},
                 {"job/train.py",
                  "import torch\nfrom config import Config\n"
                  "if __name__ == '__main__':\n    c = Config()\n"
                  "    torch.utils.data.DataLoader(make('train'), c.rows)\n"
                  "    torch.optim.AdamW(model(), lr=c.speed)\n"},
                 {"other/train.py",
                  "import torch\nfrom config import Other\n"
                  "if __name__ == '__main__':\n    torch.optim.SGD(model(), lr=1)\n"}};
  const Project alone(files, "job/config.py");
  CHECK(alone.fact("per_device_batch_size") == "16 code job/config.py:2");
  CHECK(alone.fact("optimizer") == "adamw code job/train.py:6");
  files.emplace("job/run.sh", "torchrun --nproc_per_node 2 train.py\n");
  CHECK(Project(files, "job/config.py").fact("gpus_per_node") == "2 stated job/run.sh:1");
}

TEST_CASE("an evaluation that may come has the batches of its loader") {
  const Project project(
      {{".git/HEAD", ""},
       {"args.py",
        "import argparse\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('--rows', type=int, default=8)\nargs = parser.parse_args()\n"},
       {"train.py",
        "import torch\nfrom torch.utils.data import DataLoader\nfrom args import args\n"
        "def validate():\n"
        "    loader = DataLoader[list](make('val'), batch_size=2, shuffle=False)\n"
        "if __name__ == '__main__':\n"
        "    train_loader = DataLoader[list](make('train'), batch_size=args.rows)\n"
        "    torch.optim.AdamW(model(), lr=0.1)\n"
        "    for epoch in range(3):\n        if better(epoch):\n            validate()\n"}},
      "args.py");
  CHECK(project.fact("per_device_batch_size") == "8 code args.py:3");
  CHECK(project.fact("eval_batch_size") == "2 code train.py:5");
}

TEST_CASE("networks that are loaded once the training is over are not what was trained") {
  const auto model = [](const std::string& later) {
    return Project({{".git/HEAD", ""},
                    {"train.py",
                     "from transformers import AutoModelForCausalLM, Trainer, TrainingArguments\n"
                     "if __name__ == '__main__':\n"
                     "    net = AutoModelForCausalLM.from_pretrained('org/first-1B')\n"
                     "    args = TrainingArguments('out', learning_rate=1e-4)\n" +
                         later}},
                   "train.py")
        .fact("model");
  };
  const std::string other = "    net = AutoModelForCausalLM.from_pretrained('org/other-2B')\n";
  const std::string trains = "    Trainer(net, args).train()\n";
  CHECK(model(trains + other) == "org/first-1B code train.py:3");
  CHECK(model(other + trains) == "unknown");
  CHECK(model(trains + other + trains) == "unknown");
}

TEST_CASE("a class of fields that the command line fills gets its options, nested ones too") {
  for (const std::string parse : {"jsonargparse.CLI(Settings)", "tyro.cli(Settings)"}) {
    const Project project({{".git/HEAD", ""},
                           {"train.py",
                            "import jsonargparse, tyro, torch\n"
                            "from dataclasses import dataclass, field\n"
                            "@dataclass\nclass Optim:\n"
                            "    lr: float = 0.5\n    decay: float = 0.25\n"
                            "@dataclass\nclass Settings:\n"
                            "    rows: int = 4\n    slow: bool = True\n"
                            "    optim: Optim = field(default_factory=Optim)\n"
                            "    def __post_init__(self):\n"
                            "        self.batch = 1 if self.slow else self.rows\n"
                            "if __name__ == '__main__':\n    cfg = " +
                                parse +
                                "\n    torch.utils.data.DataLoader(make('train'), cfg.batch)\n"
                                "    torch.optim.AdamW(model(), lr=cfg.optim.lr,\n"
                                "                      weight_decay=cfg.optim.decay)\n"},
                           {"run.sh",
                            "python train.py --rows 8 --optim.lr 0.1 --slow false --epochs 3\n"}},
                          "run.sh");
    CAPTURE(parse);
    CHECK(project.fact("per_device_batch_size") == "8 stated run.sh:1");
    CHECK(project.fact("learning_rate") == "0.1 stated run.sh:1");
    CHECK(project.fact("weight_decay") == "0.25 code train.py:6");
  }
}

TEST_CASE("a file that a program executes sets the program's names by the options of the command") {
  const Project project(
      {{".git/HEAD", ""},
       {"train.py",
        "import torch\nbatch_size = 12\nlearning_rate = 6e-4\nslow = True\n"
        "exec(open('configurator.py').read())\n"
        "if slow:\n    batch_size = 1\n"
        "loader = torch.utils.data.DataLoader(make('train'), batch_size)\n"
        "optimizer = torch.optim.AdamW(model(), lr=learning_rate)\n"
        "while True:\n    model(x).backward()\n    optimizer.step()\n"},
       {"configurator.py",
        "import sys\nfor arg in sys.argv[1:]:\n    key, val = arg.split('=')\n"
        "    globals()[key[2:]] = eval(val)\n"},
       {"run.sh", "python train.py --batch_size=4 --learning_rate=5e-4 --slow=False\n"}},
      "run.sh");
  CHECK(project.fact("per_device_batch_size") == "4 stated run.sh:1");
  CHECK(project.fact("learning_rate") == "0.0005 stated run.sh:1");
}

TEST_CASE("what happens on the first of several processes alone is certain") {
  const Project project({{".git/HEAD", ""},
                         {"train.py",
                          "import torch, yaml\nfrom accelerate import Accelerator\n"
                          "from accelerate.utils import broadcast_object_list\n"
                          "if __name__ == '__main__':\n    accelerator = Accelerator()\n"
                          "    c = yaml.safe_load(open('c.yaml'))\n"
                          "    if accelerator.is_main_process:\n        held = [c]\n"
                          "    else:\n        held = [None]\n"
                          "    broadcast_object_list(held, from_process=0)\n    c = held[0]\n"
                          "    torch.utils.data.DataLoader(make('train'), c['rows'])\n"
                          "    torch.optim.AdamW(model(), lr=c['speed'])\n"},
                         {"c.yaml", "rows: 8\nspeed: 0.1\nepochs: 2\n"}},
                        "c.yaml");
  CHECK(project.fact("per_device_batch_size") == "8 stated c.yaml:1");
  CHECK(project.fact("learning_rate") == "0.1 stated c.yaml:2");
}

TEST_CASE("what a class of the project makes of a bare key its code says") {
  const auto workers = [](const std::string& told) {
    return Project(
               {{".git/HEAD", ""},
                {"main.py",
                 "from pytorch_lightning.cli import LightningCLI\n"
                 "if __name__ == '__main__':\n    LightningCLI()\n"},
                {"parts.py",
                 "import torch, pytorch_lightning as pl\n"
                 "class Net(pl.LightningModule):\n"
                 "    def __init__(self):\n        super().__init__()\n"
                 "        self.a = torch.nn.Linear(3, 3)\n"
                 "    def configure_optimizers(self):\n"
                 "        return torch.optim.AdamW(self.parameters(), lr=0.1)\n"
                 "class Data(pl.LightningDataModule):\n"
                 "    def __init__(self, batch_size, num_workers):\n        super().__init__()\n"
                 "        self.batch_size, self.num_workers = batch_size, num_workers\n"
                 "    def train_dataloader(self):\n"
                 "        return torch.utils.data.DataLoader([1], batch_size=self.batch_size,\n"
                 "                                           num_workers=" +
                     told + ")\n"},
                {"c.yaml",
                 "trainer: {max_epochs: 2}\nmodel: {class_path: parts.Net}\n"
                 "data:\n  class_path: parts.Data\n"
                 "  init_args:\n    batch_size: 8\n    num_workers: 4\n"}},
               "c.yaml")
        .fact("num_workers");
  };
  CHECK(workers("16") == "16 code parts.py:14");
  CHECK(workers("self.num_workers") == "4 stated c.yaml:7");
}

TEST_CASE("an option that leads into a section of the config reaches the code that reads it") {
  const Project project(
      {{".git/HEAD", ""},
       {"main.py",
        "from pytorch_lightning.cli import LightningCLI\nfrom parts import Net, Data\n"
        "if __name__ == '__main__':\n    LightningCLI(Net, Data)\n"},
       {"parts.py",
        "import torch, pytorch_lightning as pl\n"
        "class Net(pl.LightningModule):\n"
        "    def __init__(self):\n        super().__init__()\n"
        "        self.a = torch.nn.Linear(3, 3)\n"
        "    def configure_optimizers(self):\n"
        "        return torch.optim.AdamW(self.parameters(), lr=0.1)\n"
        "class Data(pl.LightningDataModule):\n"
        "    def __init__(self, batch_size):\n        super().__init__()\n"
        "        self.batch_size = batch_size\n"
        "    def train_dataloader(self):\n"
        "        return torch.utils.data.DataLoader([1], batch_size=self.batch_size)\n"
        "    def val_dataloader(self):\n"
        "        return torch.utils.data.DataLoader([1], batch_size=self.batch_size)\n"},
       {"c.yaml", "trainer: {max_epochs: 2}\ndata: {batch_size: 128}\n"},
       {"run.sh", "python main.py fit --config c.yaml --data.batch_size=8\n"}},
      "run.sh");
  CHECK(project.fact("per_device_batch_size") == "8 stated run.sh:1");
  CHECK(project.fact("eval_batch_size") == "8 stated run.sh:1");
}

}  // namespace started_commands_test
