// Calls that a config, a search or a runner of a library chooses, and what is left to them.

#include "unit/lint/code_project.h"

#include <doctest/doctest.h>

#include <string>

namespace chosen_calls_test {

using namespace gpulint;
using Files = MemoryReader::Files;

namespace {

constexpr const char* kTrial =
    "import argparse, torch\nfrom functools import partial\nfrom ray import tune\n"
    "def work(config, folder):\n"
    "    loader = torch.utils.data.DataLoader(read(folder), batch_size=config['size'])\n"
    "    net = torch.nn.Linear(3, 4)\n"
    "    optimizer = torch.optim.SGD(net.parameters(), lr=config['rate'])\n"
    "    for epoch in range(config['epochs']):\n"
    "        for batch in loader:\n            net(batch).sum().backward()\n"
    "            optimizer.step()\n"
    "def main():\n"
    "    parser = argparse.ArgumentParser()\n"
    "    parser.add_argument('--epochs', type=int, default=9)\n"
    "    args = parser.parse_args()\n"
    "    space = {'size': 16, 'rate': tune.choice([0.5]),\n"
    "             'epochs': args.epochs, 'depth': tune.choice([1, 2])}\n";

Project searched(const std::string& start) {
  return Project({{".git/HEAD", ""},
                  {"search.py", kTrial + start + "if __name__ == '__main__':\n    main()\n"},
                  {"search.sh", "python search.py --epochs 30\n"}},
                 "search.sh");
}

}  // namespace

TEST_CASE("a tuner of Ray calls the function that it is given with its search space") {
  const Project project = searched(
      "    trial = tune.with_resources(partial(work, folder='d'), {'gpu': 1})\n"
      "    tune.Tuner(trial, param_space=space).fit()\n");
  CHECK(project.fact("per_device_batch_size") == "16 code search.py:16");
  CHECK(project.fact("learning_rate") == "0.5 code search.py:16");
  CHECK(project.fact("epochs") == "30 stated search.sh:1");
}

TEST_CASE("a search of Ray calls a function with its config, and sets up a class with it") {
  const Project project =
      searched("    tune.run(tune.with_parameters(work, folder='d'), config=space)\n");
  CHECK(project.fact("per_device_batch_size") == "16 code search.py:16");
  const Project stepped(
      {{".git/HEAD", ""},
       {"search.py",
        "import torch\nfrom ray import tune\n"
        "class Trial(tune.Trainable):\n"
        "    def setup(self, config):\n"
        "        self.net = torch.nn.Linear(3, 4)\n"
        "        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=config['rate'])\n"
        "        self.loader = torch.utils.data.DataLoader(data(), batch_size=config['size'])\n"
        "    def step(self):\n"
        "        for batch in self.loader:\n"
        "            self.net(batch).sum().backward()\n"
        "            self.optimizer.step()\n"
        "if __name__ == '__main__':\n"
        "    space = {'rate': tune.loguniform(1e-4, 1e-1), 'size': 8}\n"
        "    tune.Tuner(Trial, param_space=space).fit()\n"}},
      "search.py");
  CHECK(stepped.fact("per_device_batch_size") == "8 code search.py:13");
  CHECK(stepped.fact("optimizer") == "adam code search.py:6");
  CHECK(stepped.fact("learning_rate") == "unknown");
}

TEST_CASE("a search over a trainer of workers lays what it draws over the trainer's config") {
  const Project project(
      {{".git/HEAD", ""},
       {"search.py",
        "import torch\nfrom ray import tune\n"
        "from ray.train.torch import TorchTrainer, prepare_data_loader, prepare_model\n"
        "class Net(torch.nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.a = torch.nn.Linear(3, 4)\n"
        "    def forward(self, x): return self.a(x)\n"
        "def work(config):\n"
        "    net = prepare_model(Net())\n"
        "    optimizer = torch.optim.Adam(net.parameters(), lr=config['rate'])\n"
        "    loader = torch.utils.data.DataLoader(data(), batch_size=config['size'])\n"
        "    for batch in prepare_data_loader(loader):\n"
        "        net(batch).sum().backward()\n"
        "        optimizer.step()\n"
        "if __name__ == '__main__':\n"
        "    trainer = TorchTrainer(work, train_loop_config={'rate': 0.25, 'size': 4})\n"
        "    tune.Tuner(trainer, param_space={'train_loop_config': {'size': 8}}).fit()\n"}},
      "search.py");
  CHECK(project.fact("per_device_batch_size") == "8 code search.py:18");
  CHECK(project.fact("learning_rate") == "0.25 code search.py:17");
  CHECK(project.fact("parameters").starts_with("16 "));
}

TEST_CASE("a speech model with training settings of a project's own is read by its program") {
  const Project project(
      {{".git/HEAD", ""},
       {"main.py",
        "import argparse, torch, yaml\nif __name__ == '__main__':\n"
        "  parser = argparse.ArgumentParser()\n"
        "  parser.add_argument('--config-file', required=True)\n"
        "  args = parser.parse_args()\n"
        "  config = argparse.Namespace(**yaml.safe_load(open(args.config_file)))\n"
        "  net = torch.nn.Linear(3, config.encoder_conf['size'])\n"
        "  how = config.training\n"
        "  optimizer = torch.optim.AdamW(net.parameters(), how['learning_rate'])\n"
        "  for epoch in range(how['epochs']):\n"
        "    for x in torch.utils.data.DataLoader(data(), batch_size=how['batch_size']):\n"
        "      net(x).sum().backward()\n      optimizer.step()\n"},
       {"configs/speech.yaml",
        "encoder: branches\nencoder_conf:\n  size: 8\ndecoder_conf:\n  size: 8\n"
        "training:\n  learning_rate: 0.25\n  epochs: 6\n  batch_size: 4\n"}},
      "configs/speech.yaml");
  CHECK(project.fact("learning_rate") == "0.25 stated configs/speech.yaml:7");
  CHECK(project.fact("optimizer") == "adamw code main.py:9");
}

TEST_CASE("MMEngine's runner takes a config that a program puts together") {
  const Project project(
      {{".git/HEAD", ""},
       {"configs/base.py", "env_cfg = dict(cudnn_benchmark=True)\nsides = dict(wide=8)\n"},
       {"run.py",
        "import argparse\nfrom mmengine.config import Config\nfrom mmengine.runner import Runner\n"
        "def build(args):\n"
        "    config = Config.fromfile('configs/base.py').to_dict()\n"
        "    config['train_dataloader'] = dict(batch_size=args.size, num_workers=3)\n"
        "    config['optim_wrapper'] = dict(type='OptimWrapper', optimizer=dict(\n"
        "        type='SGD', lr=0.125))\n"
        "    config['train_cfg'] = dict(by_epoch=True, max_epochs=args.epochs)\n"
        "    config['param_scheduler'] = [dict(type='StepLR', step_size=2)]\n"
        "    return Config(config)\n"
        "if __name__ == '__main__':\n"
        "    parser = argparse.ArgumentParser()\n"
        "    parser.add_argument('--size', type=int, default=10)\n"
        "    parser.add_argument('--epochs', type=int, default=60)\n"
        "    runner = Runner.from_cfg(build(parser.parse_args()))\n"
        "    runner.train()\n"}},
      "run.py");
  CHECK(project.fact("per_device_batch_size") == "10 code run.py:14");
  CHECK(project.fact("lr_schedule") == "step code run.py:10");
  CHECK(project.fact("num_workers") == "3 code run.py:6");
  CHECK(project.fact("learning_rate") == "0.125 code run.py:8");
  CHECK(project.fact("optimizer") == "sgd code run.py:8");
  CHECK(project.fact("epochs") == "60 code run.py:15");
  CHECK(project.fact("cudnn_benchmark") == "true stated configs/base.py:1");
}

TEST_CASE("MMEngine's runner is given the parts of its config by name") {
  const Project project(
      {{".git/HEAD", ""},
       {"run.py",
        "from mmengine.runner import Runner\n"
        "if __name__ == '__main__':\n"
        "    runner = Runner(model=net(), train_dataloader=dict(batch_size=6, num_workers=3),\n"
        "        optim_wrapper=dict(optimizer=dict(type='AdamW', lr=0.5)),\n"
        "        train_cfg=dict(by_epoch=True, max_epochs=12))\n"
        "    runner.train()\n"}},
      "run.py");
  CHECK(project.fact("per_device_batch_size") == "6 code run.py:3");
  CHECK(project.fact("optimizer") == "adamw code run.py:4");
  CHECK(project.fact("epochs") == "12 code run.py:5");
}

TEST_CASE("what a config calls by its name is stated where the name stands") {
  const std::string program =
      "import sys, torch, yaml\n"
      "kinds = {'Adam': torch.optim.Adam, 'SGD': torch.optim.SGD}\n"
      "if __name__ == '__main__':\n"
      "  cfg = yaml.safe_load(open(sys.argv[1]))\n  net = torch.nn.Linear(3, 4)\n"
      "  how = cfg['updates']\n  made = ";
  const std::string rest =
      "(net.parameters(), **how['args'])\n"
      "  for x in torch.utils.data.DataLoader(data(), batch_size=3):\n"
      "    net(x).sum().backward()\n    made.step()\n";
  for (const char* chosen : {"getattr(torch.optim, how['name'])", "kinds[how['name']]",
                             "kinds.get(how['name'])"}) {
    const Project project({{".git/HEAD", ""},
                           {"train.py", program + chosen + rest},
                           {"conf/wide.yaml", "updates:\n  name: Adam\n  args: {lr: 0.25}\n"}},
                          "conf/wide.yaml");
    CHECK(project.fact("optimizer") == "adam stated conf/wide.yaml:2");
    CHECK(project.fact("learning_rate") == "0.25 stated conf/wide.yaml:3");
  }
}

TEST_CASE("a module of Lightning keeps the object with its options that it is given") {
  const Project project(
      {{".git/HEAD", ""},
       {"train.py",
        "import argparse, torch\nimport pytorch_lightning as pl\n"
        "class Net(pl.LightningModule):\n"
        "    def __init__(self, options, scale=1):\n"
        "        super().__init__()\n"
        "        self.save_hyperparameters(options)\n"
        "        self.layer = torch.nn.Linear(self.hparams.width, 2)\n"
        "    def training_step(self, batch, index):\n"
        "        return self.layer(batch).sum()\n"
        "    def configure_optimizers(self):\n"
        "        return torch.optim.AdamW(self.parameters(), lr=self.hparams.rate)\n"
        "if __name__ == '__main__':\n"
        "    parser = argparse.ArgumentParser()\n"
        "    parser.add_argument('--width', type=int, default=4)\n"
        "    parser.add_argument('--rate', type=float, default=0.25)\n"
        "    args = parser.parse_args()\n"
        "    loader = torch.utils.data.DataLoader(data(), batch_size=5)\n"
        "    pl.Trainer(max_epochs=3).fit(Net(args), loader)\n"}},
      "train.py");
  CHECK(project.fact("learning_rate") == "0.25 code train.py:15");
  CHECK(project.fact("parameters") == "10 code train.py:3");
}

namespace {

/// The batch of a program with `more` beside the loader that feeds its training.
std::string batch_beside(const std::string& more) {
  const Project project(
      {{".git/HEAD", ""},
       {"train.py",
        "import torch\nfrom torch.utils.data import DataLoader\n"
        "if __name__ == '__main__':\n"
        "  train_loader = DataLoader(pictures(), batch_size=24, shuffle=True)\n" +
            more +
            "  net = torch.nn.Linear(3, 4)\n"
            "  optimizer = torch.optim.SGD(net.parameters(), lr=0.5)\n"
            "  for x in train_loader:\n    net(x).sum().backward()\n    optimizer.step()\n"}},
      "train.py");
  return project.fact("per_device_batch_size");
}

}  // namespace

TEST_CASE("a loader that only shuffles says nothing beside one that is called after the training") {
  CHECK(batch_beside("  shown = DataLoader(pictures(), batch_size=1, shuffle=True)\n") ==
        "24 code train.py:4");
  CHECK(batch_beside("  train_more = DataLoader(pictures(), batch_size=1, shuffle=True)\n") ==
        "unknown");
}

TEST_CASE("a loader that a function makes for a validation gives its batches to that") {
  const Project project(
      {{".git/HEAD", ""},
       {"train.py",
        "import torch\nfrom torch.utils.data import DataLoader\n"
        "def make(size, validation=False):\n"
        "  shown = pictures(validation)\n"
        "  return DataLoader(shown, batch_size=size)\n"
        "if __name__ == '__main__':\n"
        "  batches = make(24)\n"
        "  others = make(6, validation=True)\n"
        "  net = torch.nn.Linear(3, 4)\n"
        "  optimizer = torch.optim.SGD(net.parameters(), lr=0.5)\n"
        "  for x in batches:\n    net(x).sum().backward()\n    optimizer.step()\n"}},
      "train.py");
  CHECK(project.fact("per_device_batch_size") == "24 code train.py:7");
  CHECK(project.fact("eval_batch_size") == "6 code train.py:8");
}

TEST_CASE("a loader whose batches a comprehension goes through once feeds no training") {
  CHECK(batch_beside("  sums = [x.mean() for x in show(DataLoader(train_set, batch_size=9))]\n") ==
        "24 code train.py:4");
}

namespace {

/// The weight decay of a program that makes one of two optimizers.
std::string decay_of(const std::string& first, const std::string& name) {
  const Project project(
      {{".git/HEAD", ""},
       {"main.py",
        "import argparse, torch\nif __name__ == '__main__':\n"
        "  parser = argparse.ArgumentParser()\n"
        "  parser.add_argument('--optimizer', default='Adam')\n"
        "  parser.add_argument('--weight_decay', type=float, default=0.5)\n"
        "  args = parser.parse_args()\n"
        "  net = torch.nn.Linear(3, 4)\n"
        "  if args.optimizer == 'Adam':\n    made = torch.optim.Adam(" +
            first +
            ")\n  else:\n"
            "    made = torch.optim.AdamW(net.parameters(), 0.1, weight_decay=args.weight_decay)\n"
            "  for x in torch.utils.data.DataLoader(data(), batch_size=3):\n"
            "    net(x).sum().backward()\n    made.step()\n"},
       {"train.sh", "python main.py --optimizer " + name + " --weight_decay 0.25\n"}},
      "train.sh");
  return project.fact("weight_decay");
}

}  // namespace

TEST_CASE("an option that only another optimizer is given states nothing of the one that is made") {
  CHECK(decay_of("net.parameters(), lr=0.1", "Adam") == "0 code main.py:9");
  CHECK(decay_of("net.parameters(), lr=0.1", "AdamW") == "0.25 stated train.sh:1");
  CHECK(decay_of("groups_of(net, args), lr=0.1", "Adam") == "0.25 stated train.sh:1");
}

TEST_CASE("a program that goes through the groups of its options passes those of one on") {
  const std::string program =
      "import argparse, torch\n"
      "class Updates:\n"
      "  def __init__(self, net, rate=1.0, momentum=0.0):\n"
      "    self.made = torch.optim.SGD(net.parameters(), lr=rate, momentum=momentum)\n"
      "def by_group(parser, args):\n"
      "  groups = {}\n"
      "  for group in parser._action_groups:\n"
      "    named = {a.dest: getattr(args, a.dest, None) for a in group._group_actions}\n"
      "    groups[group.title] = argparse.Namespace(**named)\n"
      "  return groups\n"
      "if __name__ == '__main__':\n"
      "  parser = argparse.ArgumentParser()\n"
      "  parser.add_argument('--size', type=int, default=4)\n"
      "  rates = parser.add_argument_group('rates')\n"
      "  rates.add_argument('--rate', type=float, default=0.5)\n"
      "  data = parser.add_argument_group('data', description='what is read')\n"
      "  data.add_argument('--momentum', type=float, default=0.25)\n"
      "  args = parser.parse_args()\n"
      "  groups = by_group(parser, args)\n"
      "  net = torch.nn.Linear(3, 4)\n"
      "  made = Updates(net, **vars(groups['rates'])).made\n"
      "  for x in torch.utils.data.DataLoader(pictures(), batch_size=args.size):\n"
      "    net(x).sum().backward()\n    made.step()\n";
  const Project project({{".git/HEAD", ""},
                         {"train.py", program},
                         {"train.sh", "python train.py --rate 0.125 --momentum 0.75\n"}},
                        "train.sh");
  CHECK(project.fact("learning_rate") == "0.125 stated train.sh:1");
  CHECK(project.fact("per_device_batch_size") == "4 code train.py:13");
}

TEST_CASE("an adapter that a network makes for its own layers trains them") {
  const Project project(
      {{".git/HEAD", ""},
       {"train.py",
        "import torch\nfrom peft import LoraConfig, get_peft_model\n"
        "class Net(torch.nn.Module):\n"
        "  def __init__(self):\n"
        "    super().__init__()\n"
        "    self.inner = get_peft_model(encoder(), LoraConfig(r=32, lora_alpha=64))\n"
        "  def forward(self, x):\n    return self.inner(x)\n"
        "if __name__ == '__main__':\n"
        "  net = Net()\n"
        "  made = torch.optim.AdamW(net.parameters(), lr=0.5)\n"
        "  for x in torch.utils.data.DataLoader(pictures(), batch_size=3):\n"
        "    net(x).sum().backward()\n    made.step()\n"}},
      "train.py");
  CHECK(project.fact("adapter") == "lora code train.py:6");
  CHECK(project.fact("adapter_rank") == "32 code train.py:6");
}

TEST_CASE("a file of Guild's operations starts modules with its flags") {
  const Project project(
      {{".git/HEAD", ""},
       {"src/__init__.py", ""},
       {"src/main.py",
        "import argparse, torch\n"
        "if __name__ == '__main__':\n"
        "  parser = argparse.ArgumentParser()\n"
        "  parser.add_argument('--batch-size', type=int, default=16)\n"
        "  parser.add_argument('--rate', type=float, default=0.5)\n"
        "  parser.add_argument('--kind', default='a')\n"
        "  args = parser.parse_args()\n"
        "  net = torch.nn.Linear(3, 4)\n"
        "  made = torch.optim.SGD(net.parameters(), lr=args.rate)\n"
        "  for x in torch.utils.data.DataLoader(pictures(), batch_size=args.batch_size):\n"
        "    net(x).sum().backward()\n    made.step()\n"},
       {"guild.yml",
        "- model: shapes\n  operations:\n    train:\n      main: src.main\n"
        "      flags:\n        batch-size: 4\n"
        "        kind:\n          default: b\n          choices: [a, b]\n"
        "        rate:\n          default:\n          type: float\n"}},
      "guild.yml");
  CHECK(project.fact("per_device_batch_size") == "4 stated guild.yml:6");
  CHECK(project.fact("learning_rate") == "0.5 code src/main.py:5");
}

TEST_CASE("schedules in a list behind a warm-up are one, or nobody knows which") {
  const auto fact_of = [](const std::string& list, const std::string& fact) {
    return Project({{".git/HEAD", ""},
                    {"a.py",
                     "optim_wrapper = dict(optimizer=dict(type='SGD', lr=0.5))\n"
                     "train_dataloader = dict(batch_size=2, num_workers=1)\n"
                     "param_scheduler = [" +
                         list + "]\n"}},
                   "a.py")
        .fact(fact);
  };
  const std::string cosine = "\n  dict(type='CosineAnnealingLR', begin=5)";
  const std::string warm = "dict(type='LinearLR', start_factor=0.1, by_epoch=False, end=500),";
  CHECK(fact_of(warm + cosine, "lr_schedule") == "cosine stated a.py:4");
  CHECK(fact_of(warm + cosine, "warmup_steps") == "500 stated a.py:3");
  CHECK(fact_of(warm + cosine, "warmup_epochs") == "unknown");
  CHECK(fact_of(cosine + ", dict(type='StepLR', begin=9)", "lr_schedule") == "unknown");
  CHECK(fact_of(cosine + ", dict(type='OwnLR', begin=9)", "lr_schedule") == "unknown");
  CHECK(fact_of("dict(type='LinearLR', begin=0, end=3)," + cosine, "warmup_epochs") ==
        "3 stated a.py:3");
  CHECK(fact_of("dict(type='LinearLR', begin=4, end=8)," + cosine, "warmup_epochs") == "unknown");
  CHECK(fact_of("dict(type='LinearLR', end_factor=0, end=8)," + cosine, "warmup_epochs") ==
        "unknown");
}

TEST_CASE("a schedule of MMEngine or SpeechBrain is named by its class") {
  const auto schedule = [](const std::string& list) {
    const Project project(
        {{".git/HEAD", ""},
         {"configs/a.py",
          "optim_wrapper = dict(type='OptimWrapper', optimizer=dict(type='SGD', lr=0.5))\n"
          "train_dataloader = dict(batch_size=2, num_workers=1)\n"
          "param_scheduler = " +
              list + "\n"}},
        "configs/a.py");
    return project.fact("lr_schedule");
  };
  CHECK(schedule("[dict(type='PolyLR', power=0.9)]") == "polynomial stated configs/a.py:3");
  CHECK(schedule("dict(type='MultiStepLR', milestones=[1])") == "multistep stated configs/a.py:3");
  CHECK(schedule("[dict(type='LinearLR', end=9), dict(type='StepLR')]") ==
        "step stated configs/a.py:3");
  const Project speech(
      {{".git/HEAD", ""},
       {"hparams/a.yaml",
        "number_of_epochs: 3\nbatch_size: 8\ndynamic_batching: True\n"
        "valid_dataloader_opts:\n    batch_size: !ref <batch_size>\n"
        "opt_class: !name:torch.optim.AdamW\n    lr: 0.5\n"
        "lr_annealing: !new:speechbrain.nnet.schedulers.NewBobScheduler\n"
        "    initial_value: 0.5\n"}},
      "hparams/a.yaml");
  CHECK(speech.fact("lr_schedule") == "newbob stated hparams/a.yaml:9");
}

}  // namespace chosen_calls_test
