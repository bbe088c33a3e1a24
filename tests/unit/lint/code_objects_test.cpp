// What becomes of a config's values in dicts, classes and optimizers of a project's own.

#include "unit/lint/code_project.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace code_objects_test {

using namespace gpulint;

TEST_CASE("a dict of a project's own holds what it is given by name, however deep its sections") {
  const Project project(
      {{"train.py",
        "import argparse, json, torch\nfrom torch.utils.data import DataLoader\n"
        "class LenientDict(dict):\n  def __missing__(self, key):\n    return None\n"
        "def lenient(opt):\n  if isinstance(opt, dict):\n    made = dict()\n"
        "    for key, value in opt.items():\n      made[key] = lenient(value)\n"
        "    return LenientDict(**made)\n"
        "  if isinstance(opt, list):\n    return [lenient(each) for each in opt]\n  return opt\n"
        "p = argparse.ArgumentParser()\np.add_argument('--config')\n"
        "text = ''\nwith open(p.parse_args().config) as f:\n  for line in f:\n"
        "    text += line.split('//')[0]\n"
        "h = lenient(json.loads(text))\n"
        "DataLoader(make('train'), batch_size=h['a']['b']['c']['d']['e']['f'][0]['rows'])\n"
        "torch.optim.SGD(model(), **h['solver'])\n"},
       {"conf/c.json",
        "{\"a\": {\"b\": {\"c\": {\"d\": {\"e\": {\"f\": [{\"rows\": 6}]}}}}},\n"
        "\"solver\": {\"lr\": 0.25}}\n"}},
      "conf/c.json");
  CHECK(project.fact("per_device_batch_size") == "6 stated conf/c.json:1");
  CHECK(project.fact("learning_rate") == "0.25 stated conf/c.json:2");
}

TEST_CASE("a rate that an optimizer is made without overrules no key: its groups are given one") {
  const Project project({{"train.py",
                          "import argparse, torch, yaml\nfrom torch.utils.data import DataLoader\n"
                          "p = argparse.ArgumentParser()\np.add_argument('--config')\n"
                          "h = yaml.safe_load(open(p.parse_args().config))\n"
                          "optimizer = torch.optim.AdamW(model.parameters())\n"
                          "for group in optimizer.param_groups:\n  group['lr'] = h['train']['lr']\n"
                          "DataLoader(make('train'), batch_size=h['train']['batch_size'])\n"},
                         {"conf/c.yaml", "train: {lr: 0.25, batch_size: 6}\n"}},
                        "conf/c.yaml");
  CHECK(project.fact("learning_rate") == "0.25 stated conf/c.yaml:1");
}

TEST_CASE("a factory that asks whether it found a class builds the class that a config names") {
  const Project project(
      {{"nets.py",
        "import torch\nclass Trainer:\n  def __init__(self, speed):\n"
        "    torch.optim.SGD(model(), lr=speed)\n"},
       {"train.py",
        "import argparse, importlib, json\nfrom torch.utils.data import DataLoader\n"
        "from types import FunctionType\n"
        "def make_object(opt):\n  found = getattr(importlib.import_module(opt['file']), "
        "opt['name'])\n"
        "  if isinstance(found, type):\n    return found(**opt['args'])\n"
        "  elif isinstance(found, FunctionType):\n    return found\n"
        "p = argparse.ArgumentParser()\np.add_argument('--config')\n"
        "h = json.load(open(p.parse_args().config))\nmake_object(h['trainer'])\n"
        "DataLoader(make('train'), batch_size=h['rows'])\n"},
       {"conf/c.json",
        "{\"rows\": 6,\n\"trainer\": {\"file\": \"nets\", \"name\": \"Trainer\",\n"
        "\"args\": {\"speed\": 0.25}}}\n"}},
      "conf/c.json");
  CHECK(project.fact("learning_rate") == "0.25 stated conf/c.json:3");
}

TEST_CASE("a module is asked for a name by its attribute method too") {
  const Project project({{"optimizer/adam.py",
                          "import torch\ndef Optimizer(parameters, lr):\n"
                          "  return torch.optim.Adam(parameters, lr=lr)\n"},
                         {"train.py",
                          "import importlib, sys, yaml\nif __name__ == '__main__':\n"
                          "  cfg = yaml.safe_load(open(sys.argv[1]))\n"
                          "  found = importlib.import_module('optimizer.' + cfg['optim'])\n"
                          "  made = found.__getattribute__('Optimizer')(model(), cfg['lr'])\n"},
                         {"configs/a.yaml", "optim: adam\nlr: 0.5\nbatch_size: 3\n"}},
                        "configs/a.yaml");
  CHECK(project.fact("optimizer_epsilon") == "1e-08 code optimizer/adam.py:3");
}

TEST_CASE("a module that is named from its package is found") {
  const Project project({{"parts/optim_full.py",
                          "import torch\ndef make(parameters, lr):\n"
                          "  return torch.optim.Adam(parameters, lr=lr)\n"},
                         {"parts/inner/__init__.py", ""},
                         {"train.py",
                          "import importlib, sys, yaml\nif __name__ == '__main__':\n"
                          "  cfg = yaml.safe_load(open(sys.argv[1]))\n"
                          "  found = importlib.import_module('.optim_' + cfg['kind'], "
                          "package='parts')\n  found.make(model(), cfg['lr'])\n"
                          "  importlib.import_module('..optim_full', 'parts.inner')"
                          ".make(model(), cfg['other'])\n"},
                         {"configs/a.yaml", "kind: full\nlr: 0.5\nother: 0.5\nbatch_size: 3\n"}},
                        "configs/a.yaml");
  CHECK(project.fact("optimizer_epsilon") == "1e-08 code parts/optim_full.py:3");
}

TEST_CASE("arguments of a trainer that a project extends have the project's defaults") {
  const Project project(
      {{"tune.py",
        "from dataclasses import dataclass, field\nimport transformers\n"
        "@dataclass\nclass Training(transformers.TrainingArguments):\n"
        "  optim: str = field(default='paged_adamw_8bit')\n"
        "  lr_scheduler_type: str = field(default='constant')\n"
        "  bits: int = 4\n"
        "def train():\n  parser = transformers.HfArgumentParser((Training,))\n"
        "  args, = parser.parse_args_into_dataclasses()\n"
        "  transformers.Trainer(args=args).train()\n"
        "if __name__ == '__main__':\n  train()\n"},
       {".git/HEAD", ""},
       {"run.sh",
        "python tune.py --per_device_train_batch_size 2 --learning_rate 1e-4 --output_dir out "
        "--num_train_epochs 1\n"}},
      "run.sh");
  CHECK(project.fact("optimizer") == "paged_adamw_8bit code tune.py:5");
  CHECK(project.fact("lr_schedule") == "constant code tune.py:6");
  CHECK(project.fact("learning_rate") == "0.0001 stated run.sh:1");
}

TEST_CASE("a factory that is handed all options takes those it is known to take") {
  const Project project(
      {{"main.py",
        "import argparse\nfrom timm.optim import create_optimizer\n"
        "from timm.scheduler import create_scheduler\nfrom torch.utils.data import DataLoader\n"
        "def main(args):\n  loader = DataLoader(data, batch_size=args.batch_size)\n"
        "  optimizer = create_optimizer(args, model)\n"
        "  schedule, _ = create_scheduler(args, optimizer)\n"
        "  for epoch in range(args.epochs):\n    optimizer.step()\n"
        "if __name__ == '__main__':\n  p = argparse.ArgumentParser()\n"
        "  p.add_argument('--batch-size', default=64, type=int)\n"
        "  p.add_argument('--opt', default='adamw')\n"
        "  p.add_argument('--lr', default=5e-4, type=float)\n"
        "  p.add_argument('--sched', default='cosine')\n"
        "  p.add_argument('--epochs', default=300, type=int)\n  main(p.parse_args())\n"}},
      "main.py");
  CHECK(project.fact("optimizer") == "adamw code main.py:14");
  CHECK(project.fact("learning_rate") == "0.0005 code main.py:15");
  CHECK(project.fact("lr_schedule") == "cosine code main.py:16");
  CHECK(project.fact("weight_decay") == "unknown");  // no option of that name
}

TEST_CASE("of several files that a module loads by paths nobody knows, none refuses the config") {
  const Project project(
      {{".git/HEAD", ""},
       {"config/__init__.py",
        "import json, os\ndef load(name):\n  path = os.path.join(find_folder(), name)\n"
        "  return json.load(open(path))\n"
        "place = load('places.json')['places']['here']\nrun = load('run.json')\n"},
       {"config/places.json", "{\"places\": {\"here\": 1}}\n"},
       {"config/run.json", "{\"lr\": 0.1, \"batch_size\": 4, \"epochs\": 2}\n"},
       {"train.py",
        "import config, torch\ndef main():\n"
        "  torch.utils.data.DataLoader(data, batch_size=config.run['batch_size'])\n"
        "  torch.optim.SGD(model.parameters(), lr=config.run['lr'])\nmain()\n"}},
      "config/run.json");
  CHECK(project.result.findings.empty());
}

bool is_stopped(const Project& project) {
  return std::any_of(project.result.findings.begin(), project.result.findings.end(),
                     [](const Finding& each) { return each.rule == "stopped-by-own-code"; });
}

TEST_CASE("a config that an evaluation of its name takes is not refused for training") {
  const std::string load =
      "import argparse, yaml, torch\np = argparse.ArgumentParser()\n"
      "p.add_argument('--config')\n"
      "c = yaml.safe_load(open(p.parse_args().config))\n";
  const auto refused = [&](const std::string& config) {
    const Project project(
        {{".git/HEAD", ""},
         {config, "lr: 0.1\nbatch_size: 4\nepochs: 2\n"},
         {"eval.py", load + "if __name__ == '__main__':\n  run(c['batch_size'])\n"},
         {"train.py", load + "if __name__ == '__main__':\n  attack(c['attack'])\n"
                             "  torch.utils.data.DataLoader(data, c['batch_size'])\n"
                             "  torch.optim.SGD(model.parameters(), lr=c['lr'])\n"}},
        config);
    return is_stopped(project);
  };
  CHECK(refused("configs/base.yaml"));
  CHECK(!refused("configs/eval/base.yaml"));
}

TEST_CASE("a config that has the name of a program, or is named by one, is not refused by others") {
  const std::string load =
      "import argparse, yaml, torch\np = argparse.ArgumentParser()\n"
      "p.add_argument('--config')\n"
      "c = yaml.safe_load(open(p.parse_args().config))\n";
  const auto refused = [&](const std::string& config, const std::string& other) {
    const Project project(
        {{".git/HEAD", ""},
         {config, "lr: 0.1\nbatch_size: 4\nepochs: 2\n"},
         {"tools/filter.py", other},
         {"train.py", load + "if __name__ == '__main__':\n  attack(c['attack'])\n"
                             "  torch.utils.data.DataLoader(data, c['batch_size'])\n"
                             "  torch.optim.SGD(model.parameters(), lr=c['lr'])\n"}},
        config);
    return is_stopped(project);
  };
  const std::string unseen =
      "import unseen\nif __name__ == '__main__':\n  unseen.train(config='configs/base.yaml')\n";
  const std::string program = "if __name__ == '__main__':\n  filter(options('--config'))\n";
  CHECK(refused("configs/base.yaml", program));
  CHECK(refused("configs/filter.yaml", "if __name__ == '__main__':\n  try_out()\n"));
  CHECK(!refused("configs/filter.yaml", program));
  CHECK(!refused("configs/base.yaml", unseen));
}

TEST_CASE(
    "a config of DeepSpeed that a call is given states what its keys state, as a dict and as a "
    "file") {
  const auto project = [](const std::string& config, const std::string& file) {
    return Project(
        {{"train.py",
          "import deepspeed\nengine, _, _, _ = deepspeed.initialize(model=net, config=" + config +
              ")\nfor x in loader:\n  engine.backward(engine(x))\n  engine.step()\n"
              "if __name__ == '__main__':\n  pass\n"},
         {"ds.json", file}},
        "train.py");
  };
  const std::string text =
      "{'train_micro_batch_size_per_gpu': 2, 'zero_optimization': {'stage': 3},\n"
      "'optimizer': {'type': 'AdamW', 'params': {'lr': 1e-5}}}";
  const Project dict = project(text, "{}");
  CHECK(dict.fact("sharding_stage") == "3 code train.py:2");
  CHECK(dict.fact("learning_rate") == "1e-05 code train.py:3");
  std::string json = text;
  std::replace(json.begin(), json.end(), '\'', '"');
  const Project file = project("'ds.json'", json);
  CHECK(file.fact("sharding_stage") == "3 stated ds.json:1");
  CHECK(file.fact("optimizer") == "adamw stated ds.json:2");
  CHECK(project("'none.json'", "{}").fact("sharding_stage") == "no run");
}

TEST_CASE("unsloth's loader and adapter state what they do where nothing is said") {
  const Project project(
      {{"tune.py",
        "from unsloth import FastLanguageModel\nfrom trl import SFTTrainer, SFTConfig\n"
        "model, tok = FastLanguageModel.from_pretrained('unsloth/Llama-3.2-1B-Instruct')\n"
        "model = FastLanguageModel.get_peft_model(model, r=32)\n"
        "SFTTrainer(model=model, args=SFTConfig(per_device_train_batch_size=2)).train()\n"
        "if __name__ == '__main__':\n  pass\n"}},
      "tune.py");
  CHECK(project.fact("quantization") == "4bit code tune.py:3");
  CHECK(project.fact("sequence_length") == "2048 code tune.py:3");
  CHECK(project.fact("adapter_rank") == "32 code tune.py:4");
  CHECK(project.fact("activation_checkpointing") == "offload code tune.py:4");
}

TEST_CASE(
    "a config that an option of ml_collections names is divided among accelerate's processes") {
  const Project project(
      {{".git/HEAD", ""},
       {"configs/a.py",
        "import ml_collections\ndef get_config():\n  c = ml_collections.ConfigDict()\n"
        "  c.batch_size = 1024\n  c.lr = 0.25\n  return c\n"},
       {"train.py",
        "from absl import app, flags\nfrom ml_collections import config_flags\n"
        "import accelerate, torch\nFLAGS = flags.FLAGS\n"
        "config_flags.DEFINE_config_file('config', None, 'its path')\n"
        "def main(argv):\n  config = FLAGS.config\n  accelerator = accelerate.Accelerator()\n"
        "  part = config.batch_size // accelerator.num_processes\n"
        "  torch.utils.data.DataLoader(make('train'), batch_size=part, num_workers=3)\n"
        "  torch.optim.SGD(model.parameters(), lr=config.lr)\n"
        "if __name__ == '__main__':\n  app.run(main)\n"}},
      "configs/a.py");
  CHECK(project.fact("global_batch_size") == "1024 stated configs/a.py:4");
  CHECK(project.fact("per_device_batch_size") == "unknown");
  CHECK(project.fact("num_workers") == "3 code train.py:10");
}

TEST_CASE("an option that takes a list of names is no path of the config") {
  const Project project(
      {{".git/HEAD", ""},
       {"configs.yaml", "defaults: {lr: 0.1, batch_size: 4}\nsmall: {batch_size: 2}\n"},
       {"train.py",
        "import argparse, yaml, torch\np = argparse.ArgumentParser()\n"
        "p.add_argument('--configs', nargs='+')\na = p.parse_args()\n"
        "all = yaml.safe_load(open('configs.yaml'))\nused = {}\n"
        "for name in ['defaults', *a.configs] if a.configs else ['defaults']:\n"
        "  used.update(all[name])\n"
        "torch.utils.data.DataLoader(data, batch_size=used['batch_size'])\n"
        "torch.optim.SGD(model.parameters(), lr=used['lr'])\n"
        "if __name__ == '__main__':\n  pass\n"}},
      "configs.yaml");
  for (const Finding& each : project.result.findings) CHECK(each.rule != "stopped-by-own-code");
}

TEST_CASE(
    "a script that names a config of another folder is not asked about one of the same name") {
  const auto workers = [](const std::string& config) {
    const std::string text = "batch_size: 8\nlr: 0.1\nepochs: 2\n";
    return Project({{".git/HEAD", ""},
                    {"Configs/config.yml", text},
                    {config, text},
                    {"train.py",
                     "import argparse, yaml, torch\np = argparse.ArgumentParser()\n"
                     "p.add_argument('--config', default='./Configs/config.yml')\n"
                     "h = yaml.safe_load(open(p.parse_args().config))\n"
                     "torch.utils.data.DataLoader(data, h.get('batch_size'), num_workers=5)\n"
                     "torch.optim.SGD(model.parameters(), lr=h.get('lr'))\n"
                     "if __name__ == '__main__':\n  pass\n"}},
                   config)
        .fact("num_workers");
  };
  CHECK(workers("Configs/config.yml") == "5 code train.py:5");
  CHECK(workers("Configs/b/config.yml") == "5 code train.py:5");
  CHECK(workers("Utils/ASR/config.yml") == "unknown");
}

TEST_CASE("a script that loads another config of the folder by name refuses nothing of this one") {
  const auto rules_of = [](const std::string& loaded) {
    const Project project(
        {{".git/HEAD", ""},
         {"a.yaml", "lr: 0.1\nbatch_size: 4\nreport: none\n"},
         {"b.yaml", "lr: 0.1\nbatch_size: 4\nextra_words: 3\n"},
         {"train_a.py", "import yaml, torch\nwith open('" + loaded +
                            "') as f:\n  c = yaml.safe_load(f)\n"
                            "torch.utils.data.DataLoader(data, c['batch_size'])\n"
                            "torch.optim.SGD(model.parameters(), lr=c['lr'])\nlog(c['report'])\n"
                            "if __name__ == '__main__':\n  pass\n"}},
        "b.yaml");
    std::vector<std::string> rules;
    for (const Finding& each : project.result.findings) rules.push_back(each.rule);
    return rules;
  };
  CHECK(rules_of("a.yaml").empty());
  const auto own = rules_of("b.yaml");
  CHECK(std::find(own.begin(), own.end(), "stopped-by-own-code") != own.end());
}

TEST_CASE("a part of a config that a call to instantiate it replaces is not built") {
  const auto refusals = [](const std::string& given) {
    const Project project(
        {{".git/HEAD", ""},
         {"c.yaml",
          "lr: 0.1\nbatch_size: 4\nnet:\n  _target_: train.Net\n"
          "  part: {_target_: train.Part, file: old.pt}\n"},
         {"train.py",
          "import hydra, torch, yaml\n"
          "class Part:\n  def __init__(self, width=3):\n    self.width = width\n"
          "class Net(torch.nn.Module):\n  def __init__(self, part):\n"
          "    super().__init__()\n    self.first = torch.nn.Linear(part.width, 2)\n"
          "if __name__ == '__main__':\n"
          "  c = yaml.safe_load(open('c.yaml'))\n"
          "  net = hydra.utils.instantiate(c['net']" + given + ")\n"
          "  torch.utils.data.DataLoader(data, c['batch_size'])\n"
          "  torch.optim.SGD(net.parameters(), lr=c['lr'])\n"}},
        "c.yaml");
    const std::vector<Finding>& all = project.result.findings;
    return std::count_if(all.begin(), all.end(),
                         [](const Finding& each) { return each.rule == "stopped-by-own-code"; });
  };
  CHECK(refusals("") == 1);
  CHECK(refusals(", part=Part(5)") == 0);
}

TEST_CASE("an Accelerator in fp16 scales its loss, whatever a switch of one's own says") {
  const Project project(
      {{".git/HEAD", ""},
       {"c.json",
        "{\"batch_size\": 4, \"lr\": 0.1, \"mixed_precision\": \"fp16\", "
        "\"use_grad_scaler\": false}"},
       {"train.py",
        "import json, torch\nfrom accelerate import Accelerator\nc = json.load(open('c.json'))\n"
        "accelerator = Accelerator(mixed_precision=c['mixed_precision'])\n"
        "torch.utils.data.DataLoader(data, c['batch_size'])\n"
        "torch.optim.SGD(model.parameters(), lr=c['lr'])\naccelerator.backward(loss)\n"
        "if __name__ == '__main__':\n  pass\n"}},
      "c.json");
  CHECK(project.fact("loss_scaling") == "dynamic stated c.json:1");
}

TEST_CASE("what a class does with the attributes that are set is read back from where it kept it") {
  const Project project(
      {{"train.py",
        "import argparse, torch\nfrom torch.utils.data import DataLoader\n"
        "class Settings:\n"
        "  def __init__(self):\n    self._data = {}\n"
        "  def __getitem__(self, key):\n    return self._data[key]\n"
        "  def __getattr__(self, key):\n    return self._data[key]\n"
        "  def __setattr__(self, key, value):\n"
        "    if key == '_data':\n      super().__setattr__(key, value)\n"
        "    else:\n      self._data[key] = value\n"
        "p = argparse.ArgumentParser()\np.add_argument('--rows', type=int, default=6)\n"
        "args = p.parse_args()\n"
        "s = Settings()\ns.rows = args.rows\ns.rate = 0.25\n"
        "DataLoader(data(), batch_size=s['rows'])\n"
        "torch.optim.SGD(model(), lr=s.rate)\n"},
       {"run.sh", "python train.py --rows 12\n"}},
      "run.sh");
  CHECK(project.fact("per_device_batch_size") == "12 stated run.sh:1");
  CHECK(project.fact("learning_rate") == "0.25 code train.py:20");
}

}  // namespace code_objects_test
