// Ways in which code of a project gets at its config, and builds what the config names.

#include "unit/lint/code_project.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace config_idioms_test {

using namespace gpulint;
using Files = MemoryReader::Files;

namespace {

constexpr const char* kConfig = "rows: 48\nspeed: 0.25\nrounds: 17\nmethod: Adagrad\n";

/// `lines` load the config as `cfg`; the loop behind them takes `attribute` of it: `cfg.rows`.
std::string script(const std::string& lines, bool by_attribute,
                   const std::string& optimizer = "torch.optim.SGD") {
  const auto key = [&](const std::string& name) {
    return by_attribute ? "cfg." + name : "cfg['" + name + "']";
  };
  return "import sys, torch, yaml\nfrom torch.utils.data import DataLoader\n" + lines +
         "loader = DataLoader(train_set(), batch_size=" + key("rows") + ")\nopt = " + optimizer +
         "(model.parameters(), lr=" + key("speed") + ")\nfor turn in range(" + key("rounds") +
         "):\n  for x in loader:\n    loss = model(x)\n    loss.backward()\n    opt.step()\n";
}

Files files_of(const std::string& train) {
  return {{".git/HEAD", ""}, {"configs/a.yaml", kConfig}, {"train.py", train}};
}

constexpr const char* kOpened = "cfg = yaml.safe_load(open(sys.argv[1]))\n";

void check_all(const Project& project) {
  CHECK(project.fact("per_device_batch_size") == "48 stated configs/a.yaml:1");
  CHECK(project.fact("learning_rate") == "0.25 stated configs/a.yaml:2");
  CHECK(project.fact("epochs") == "17 stated configs/a.yaml:3");
}

}  // namespace

TEST_CASE("a script that trains at its top needs no main") {
  check_all(Project(files_of(script(kOpened, false)), "configs/a.yaml"));
}

TEST_CASE("a loop around one over a loader counts epochs, whatever its counter is called") {
  check_all(Project(files_of(script(kOpened, false)), "configs/a.yaml"));
  // Micro-batches of a list are no epoch.
  std::string other = script(kOpened, false);
  other.replace(other.find("in loader:"), 10, "in parts(batch):");
  CHECK(Project(files_of(other), "configs/a.yaml").fact("epochs") == "unknown");
}

TEST_CASE("mappings with attributes are made of a config by their own functions") {
  check_all(Project(
      files_of(script(
          "from munch import Munch\ncfg = Munch.fromDict(yaml.safe_load(open(sys.argv[1])))\n",
          true)),
      "configs/a.yaml"));
  check_all(Project(
      files_of(script("from box import Box\ncfg = Box.from_yaml(filename=sys.argv[1])\n", true)),
      "configs/a.yaml"));
}

TEST_CASE("a loader of YAML is an object whose method loads") {
  check_all(Project(files_of(script("from ruamel.yaml import YAML\nreader = YAML(typ='safe')\n"
                                    "cfg = reader.load(open(sys.argv[1]))\n",
                                    false)),
                    "configs/a.yaml"));
}

TEST_CASE("a tracker keeps the config that it is given") {
  const std::string begins = "import wandb\nraw = yaml.safe_load(open(sys.argv[1]))\n";
  check_all(Project(
      files_of(script(begins + "wandb.init(project='p', config=raw)\ncfg = wandb.config\n", true)),
      "configs/a.yaml"));
  check_all(
      Project(files_of(script(begins + "run = wandb.init(config=raw)\ncfg = run.config\n", false)),
              "configs/a.yaml"));
}

TEST_CASE("Hydra composes a config without a decorator") {
  Files files =
      files_of(script("from hydra import compose, initialize\n"
                      "with initialize(config_path='configs', version_base=None):\n"
                      "  cfg = compose(config_name='a')\n",
                      true));
  check_all(Project(files, "configs/a.yaml"));
}

TEST_CASE("names of a module outside are looked up like those of a dict") {
  for (const char* optimizer :
       {"vars(torch.optim)[cfg['method']]", "torch.optim.__dict__[cfg['method']]",
        "torch.optim.__dict__.get(cfg['method'])",
        "eval('torch.optim.' + cfg['method'])", "eval(f\"torch.optim.{cfg['method']}\")"}) {
    CAPTURE(optimizer);
    const Project project(files_of(script(kOpened, false, optimizer)), "configs/a.yaml");
    CHECK(project.fact("optimizer") == "adagrad stated configs/a.yaml:4");
    check_all(project);
  }
}

TEST_CASE("a case that the config's value decides is the only one") {
  const std::string lines = std::string(kOpened) +
                            "match cfg['method'].lower():\n"
                            "  case 'sgd':\n    Made = torch.optim.SGD\n"
                            "  case \"adagrad\" | \"ada\":\n    Made = torch.optim.Adagrad\n"
                            "  case _:\n    raise ValueError()\n";
  const Project project(files_of(script(lines, false, "Made")), "configs/a.yaml");
  CHECK(project.fact("optimizer").starts_with("adagrad"));
}

TEST_CASE("only the fields of a dataclass are taken from a config") {
  const std::string lines = std::string(kOpened) +
                            "from dataclasses import dataclass\n@dataclass\nclass C:\n"
                            "  rows: int = 1\n  speed: float = 1.0\n  rounds: int = 1\n"
                            "cfg = C(**{k: v for k, v in cfg.items() if k in "
                            "C.__dataclass_fields__})\n";
  check_all(Project(files_of(script(lines, true)), "configs/a.yaml"));
}

TEST_CASE("a config that is Python is imported from its file") {
  const std::string lines =
      "import argparse, importlib.util\np = argparse.ArgumentParser()\n"
      "p.add_argument('--conf')\na = p.parse_args()\n"
      "spec = importlib.util.spec_from_file_location('conf', a.conf)\n"
      "module = importlib.util.module_from_spec(spec)\nspec.loader.exec_module(module)\n"
      "cfg = module.conf\n";
  const Project project({{".git/HEAD", ""},
                         {"configs/a.py", "conf = {'rows': 48, 'speed': 0.25, 'rounds': 17}\n"},
                         {"train.py", script(lines, false)},
                         {"run.sh", "python train.py --conf configs/a.py\n"}},
                        "run.sh");
  CHECK(project.fact("per_device_batch_size") == "48 code configs/a.py:1");
  CHECK(project.fact("epochs") == "17 code configs/a.py:1");
}

TEST_CASE("a path of another machine ends like one of the project") {
  Files files =
      files_of(script("import argparse\np = argparse.ArgumentParser()\n"
                      "p.add_argument('--config')\n"
                      "cfg = yaml.safe_load(open(p.parse_args().config))\n",
                      false));
  files["run.sh"] = "python train.py --config /mnt/nas/configs/a.yaml\n";
  const Project project(files, "run.sh");
  CHECK(project.fact("per_device_batch_size") == "48 stated configs/a.yaml:1");
}

TEST_CASE("a class of the project makes the batches") {
  const std::string lines = std::string(kOpened) +
                            "class Groups(torch.utils.data.Sampler):\n"
                            "  def __init__(self, data, batch_size):\n    self.size = batch_size\n";
  std::string train = script(lines, false);
  const std::string before = "batch_size=cfg['rows'])";
  train.replace(train.find(before), before.size(),
                "batch_sampler=Groups(data=1, batch_size=cfg['rows']))");
  check_all(Project(files_of(train), "configs/a.yaml"));
}

TEST_CASE("a key that no code reads states nothing, also beside many that are left empty") {
  std::string config = "lr: 0.1\nbatch_size: 4\nweight_decay: 0.01\n";
  std::string code =
      "import sys, torch, yaml\ncfg = yaml.safe_load(open(sys.argv[1]))\n"
      "optimizer = torch.optim.AdamW(net.parameters(), lr=cfg['lr'])\n"
      "loader = torch.utils.data.DataLoader(data, batch_size=cfg['batch_size'])\n";
  for (int i = 0; i < 40; ++i) {
    config += "setting_" + std::to_string(i) + ": 1\n";
    code += "use(cfg['setting_" + std::to_string(i) + "'])\n";
  }
  for (const char* name : {"one", "two", "three", "four", "five", "six", "seven"})
    config += "resume_" + std::string(name) + ":\n";
  code += "if __name__ == '__main__':\n  loss().backward()\n  optimizer.step()\n";
  const Project project({{".git/HEAD", ""}, {"configs/a.yaml", config}, {"train.py", code}},
                        "configs/a.yaml");
  CHECK(project.fact("weight_decay").starts_with("0.01 code train.py:3"));
}

TEST_CASE("a program that loads JSON reads no YAML config that its option may name") {
  const std::string program =
      "import argparse, json, torch\nfrom pathlib import Path\n"
      "if __name__ == '__main__':\n  p = argparse.ArgumentParser()\n"
      "  p.add_argument('--config', type=Path)\n  a = p.parse_args()\n"
      "  cfg = json.loads(a.config.read_text())\n"
      "  opt = torch.optim.SGD(net.parameters(), lr=cfg['sft']['rate'])\n"
      "  while True:\n    loss().backward()\n    opt.step()\n";
  const Project project({{".git/HEAD", ""},
                         {"configs/a.yaml", "batch_size: 4\nlr: 0.1\nepochs: 3\n"},
                         {"train.py", program}},
                        "configs/a.yaml");
  CHECK(project.fact("optimizer") == "unknown");
  CHECK(project.fact("learning_rate") == "0.1 stated configs/a.yaml:2");
  for (const Finding& each : project.result.findings) CHECK(each.rule != "stopped-by-own-code");
}

TEST_CASE("a program that misses several keys of a config that it does not name is another one's") {
  const std::string program =
      "import argparse, torch, yaml\nif __name__ == '__main__':\n"
      "  p = argparse.ArgumentParser()\n  p.add_argument('--config')\n"
      "  cfg = yaml.safe_load(open(p.parse_args().config))\n"
      "  torch.manual_seed(cfg['project']['seed'])\n"
      "  opt = torch.optim.SGD(net.parameters(), lr=cfg['rate'])\n"
      "  folder = cfg['output']\n"
      "  for epoch in range(cfg['rounds']):\n    loss().backward()\n    opt.step()\n";
  const auto stops = [&](const std::string& config) {
    const Project project({{".git/HEAD", ""}, {"configs/a.yaml", config}, {"train.py", program}},
                          "configs/a.yaml");
    return std::any_of(project.result.findings.begin(), project.result.findings.end(),
                       [](const Finding& each) { return each.rule == "stopped-by-own-code"; });
  };
  const std::string own = "batch_size: 4\nrate: 0.1\nrounds: 3\nepochs: 3\n";
  CHECK_FALSE(stops(own));
  CHECK(stops(own + "output: out\n"));  // one may be forgotten
  CHECK_FALSE(stops("program: train.py\n" + own));  // a record of what was run
}

TEST_CASE("an option with a default takes no config of the folder that is unlike it") {
  const std::string program =
      "import argparse, torch, yaml\nif __name__ == '__main__':\n"
      "  p = argparse.ArgumentParser()\n"
      "  p.add_argument('--config', default='configs/classifier.yaml')\n"
      "  cfg = yaml.safe_load(open(p.parse_args().config))\n"
      "  opt = torch.optim.SGD(net.parameters(), lr=cfg['rate'], momentum=cfg['taxonomy'])\n"
      "  while True:\n    loss().backward()\n    opt.step()\n";
  const auto rate = [&](const std::string& config) {
    const Project project({{".git/HEAD", ""},
                           {"configs/a.yaml", config},
                           {"configs/classifier.yaml", "rate: 0.1\ntaxonomy: 1\nseed: 3\n"},
                           {"train.py", program}},
                          "configs/a.yaml");
    for (const Finding& each : project.result.findings) CHECK(each.rule != "stopped-by-own-code");
    return project.fact("learning_rate");
  };
  CHECK(rate("batch_size: 4\nlr: 0.3\nepochs: 3\nwarmup_steps: 9\nseed: 1\n") ==
        "0.3 stated configs/a.yaml:2");
  CHECK(rate("rate: 0.2\ntaxonomy: 1\nbatch_size: 8\nseed: 3\n") ==
        "0.2 stated configs/a.yaml:1");
}

TEST_CASE("a config that nothing names and that lacks several keys is another program's") {
  const auto is_refused = [](const std::string& config) {
    const Project project(
        {{".git/HEAD", ""},
         {"configs/a.yaml", config},
         {"train.py",
          "import argparse, torch, yaml\nif __name__ == '__main__':\n"
          "  p = argparse.ArgumentParser()\n  p.add_argument('--config', required=True)\n"
          "  cfg = yaml.safe_load(open(p.parse_args().config))\n"
          "  rows = cfg['data']['rows']\n  width = cfg['net']['width']\n"
          "  opt = torch.optim.SGD(net.parameters(), lr=cfg['lr'])\n"
          "  while True:\n    loss().backward()\n    opt.step()\n"}},
        "configs/a.yaml");
    return std::any_of(project.result.findings.begin(), project.result.findings.end(),
                       [](const Finding& each) { return each.rule == "stopped-by-own-code"; });
  };
  CHECK(is_refused("lr: 0.1\nepochs: 3\nbatch_size: 2\nnet: {width: 2}\n"));
  CHECK_FALSE(is_refused("lr: 0.1\nepochs: 3\nbatch_size: 2\n"));
}

TEST_CASE("settings of yacs refuse new keys and values of another type") {
  const auto refused = [](const std::string& config, const std::string& made = "CN()",
                          const std::string& before = "") {
    const Project project(
        {{".git/HEAD", ""},
         {"configs/a.yaml", "LR: 0.1\nBATCH_SIZE: 4\n" + config},
         {"settings.py",
          "from yacs.config import CfgNode as CN\n_C = CN()\n_C.LR = 0.5\n_C.BATCH_SIZE = 8\n"
          "_C.GPUS = (0,)\n_C.LOSS = " +
              made + "\n_C.LOSS.NAME = ['a']\n_C.LOSS.SCALE = 1.0\n_C.OUT = ''\n_C.SEED = None\n"},
         {"train.py",
          "import argparse, torch\nfrom settings import _C as cfg\n"
          "if __name__ == '__main__':\n  p = argparse.ArgumentParser()\n"
          "  p.add_argument('--cfg', default='configs/a.yaml')\n  args = p.parse_args()\n"
          "  cfg.defrost()\n" +
              before +
              "  cfg.merge_from_file(args.cfg)\n"
              "  loader = torch.utils.data.DataLoader(d, cfg.BATCH_SIZE)\n"
              "  opt = torch.optim.SGD(net.parameters(), lr=cfg.LR)\n"
              "  for x in loader:\n    net(x).backward()\n    opt.step()\n"}},
        "configs/a.yaml");
    std::string said;
    for (const Finding& each : project.result.findings) {
      if (each.rule == "stopped-by-own-code") said += each.message + "\n";
    }
    return said;
  };
  CHECK(refused("LOSS:\n  NAME: a\n") ==
        "train.py:8 ends the run: `NAME` is a str, but its default is a list\n");
  CHECK(refused("LOSS:\n  SCALE: 1\n") ==
        "train.py:8 ends the run: `SCALE` is an int, but its default is a float\n");
  CHECK(refused("BATCH: 17 + 2\n", "CN()", "  cfg.BATCH = 4\n") ==
        "train.py:9 ends the run: `BATCH` is a str, but its default is an int\n");
  CHECK(refused("LOSS:\n  NAMES: [a]\n") ==
        "train.py:8 ends the run: its defaults have no `NAMES`, and it takes no new keys\n");
  CHECK(
      refused("LOSS: {NAME: [b, c], SCALE: 1e-3}\nGPUS: (0, 1)\nOUT: out/a\nSEED: 3\n").empty());
  CHECK(refused("LOSS: {NAMES: [a]}\n", "CN(new_allowed=True)").empty());
  CHECK(refused("LOSS: {NAMES: [a]}\n", "CN()", "  cfg.set_new_allowed(True)\n").empty());
}

TEST_CASE("a config that is handed to a program that edits it is not trained with") {
  const auto findings = [](const std::string& program) {
    return Project({{".git/HEAD", ""},
                    {"a.yaml", "batch_size: 4\nlr: 0.1\nmin_lr: 0.2\nlr_scheduler: cosine\n"},
                    {"tools/edit.py", program},
                    {"run.sh", "python tools/edit.py -c a.yaml\n"}},
                   "run.sh")
        .result.findings.size();
  };
  const std::string edits = "import argparse, sys\nimport tomlkit\ntrain = sys.argv[1]\n";
  CHECK(findings(edits) == 0);
  CHECK(findings(edits + "from trl import SFTTrainer\n") == 1);
}

TEST_CASE("a program near a config that looks at less than half of it is another config's") {
  const auto workers = [](const std::string& config, const std::string& name) {
    return Project({{"configs/a.yaml", config},
                    {"train.py",
                     "import argparse, torch, yaml\nif __name__ == '__main__':\n"
                     "  p = argparse.ArgumentParser()\n  p.add_argument('--config'" +
                         name +
                         ")\n  cfg = yaml.safe_load(open(p.parse_args().config))\n"
                         "  loader = torch.utils.data.DataLoader(d, cfg['batch_size'], "
                         "num_workers=3)\n"
                         "  net = Net(**cfg['net'])\n"
                         "  opt = torch.optim.SGD(net.parameters(), lr=cfg['lr'])\n"
                         "  for x in loader:\n    net(x).backward()\n    opt.step()\n"}},
                   "configs/a.yaml")
        .fact("num_workers");
  };
  const std::string read = "batch_size: 8\nlr: 0.1\n";
  const std::string others = "sft: {a: 1, b: 2, c: 3, d: 4, e: 5, f: 6}\n";
  const std::string handed_on = "net: {a: 1, b: 2, c: 3, d: 4, e: 5, f: 6}\n";
  CHECK(workers(read + handed_on + others, "") == "3 code train.py:6");
  CHECK(workers(read + "net: {a: 1}\n" + others, "") == "unknown");
  CHECK(workers(read + "net: {a: 1}\n" + others, ", default='configs/a.yaml'") ==
        "3 code train.py:6");
  CHECK(workers(read + "net: {a: 1}\nepochs: 2\n", "") == "3 code train.py:6");
}

TEST_CASE("of two programs the one that shares a word with the config takes it") {
  const auto program = [](const std::string& workers) {
    return "import argparse, torch, yaml\nif __name__ == '__main__':\n"
           "  p = argparse.ArgumentParser()\n  p.add_argument('--config')\n"
           "  cfg = yaml.safe_load(open(p.parse_args().config))\n"
           "  loader = torch.utils.data.DataLoader(d, cfg['batch_size'], num_workers=" +
           workers +
           ")\n  opt = torch.optim.SGD(net.parameters(), lr=cfg['lr'])\n"
           "  for x in loader:\n    net(x).backward()\n    opt.step()\n";
  };
  const auto workers = [&](const std::string& config) {
    return Project({{".git/HEAD", ""},
                    {config, "batch_size: 4\nlr: 0.1\nepochs: 3\n"},
                    {"train_baseline.py", program("3")},
                    {"train_distill.py", program("5")}},
                   config)
        .fact("num_workers");
  };
  CHECK(workers("configs/distill_small.yaml").starts_with("5 code train_distill.py"));
  CHECK(workers("configs/baseline.yaml").starts_with("3 code train_baseline.py"));
}

TEST_CASE("whether code of one's own hands a loader what it refuses without workers is not known") {
  const auto said = [](const std::string& loader) {
    Files files = {{".git/HEAD", ""},
                   {"configs/a.yaml",
                    "batch_size: 4\nlr: 0.1\nepochs: 3\nnum_workers: 0\n"
                    "prefetch_factor: 4\npersistent_workers: true\n"}};
    if (!loader.empty()) {
      files["train.py"] =
          "import sys, torch, yaml\nif __name__ == '__main__':\n"
          "  cfg = yaml.safe_load(open(sys.argv[1]))\n"
          "  loader = torch.utils.data.DataLoader(d, cfg['batch_size'], " +
          loader +
          ")\n  opt = torch.optim.SGD(net.parameters(), lr=cfg['lr'])\n"
          "  for x in loader:\n    net(x).backward()\n    opt.step()\n";
    }
    std::string all;
    for (const Finding& each : Project(files, "configs/a.yaml").result.findings) {
      if (each.rule.find("without-workers") != std::string::npos)
        all += std::string(name_of(each.severity)) + " " + each.rule + "\n";
    }
    return all;
  };
  CHECK(said("") ==
        "error prefetch-factor-without-workers\nerror persistent-workers-without-workers\n");
  CHECK(said("num_workers=cfg['num_workers'], prefetch_factor=prefetched(cfg),"
             "persistent_workers=kept(cfg)") == "");
}

TEST_CASE("a run of a sweep finds the sweep's values") {
  const Project project(
      {{".git/HEAD", ""},
       {"sweeps/a.yaml",
        "method: grid\nmetric: {name: loss}\nparameters:\n  batch_size: {value: 4}\n"
        "  lr: {values: [0.1, 0.2]}\n  decay: {values: [0.5]}\n"},
       {"train.py",
        "import sys, torch, wandb, yaml\ndef train():\n  wandb.init(project='p')\n"
        "  cfg = wandb.config\n"
        "  loader = torch.utils.data.DataLoader(data, batch_size=cfg.batch_size)\n"
        "  opt = torch.optim.SGD(net.parameters(), lr=cfg.lr, weight_decay=cfg['decay'])\n"
        "  for x in loader:\n    net(x).backward()\n    opt.step()\n"
        "if __name__ == '__main__':\n  sweep = yaml.safe_load(open('sweeps/a.yaml'))\n"
        "  wandb.agent(wandb.sweep(sweep=sweep, project='p'), function=train)\n"}},
      "sweeps/a.yaml");
  CHECK(project.fact("per_device_batch_size") == "4 stated sweeps/a.yaml:4");
  CHECK(project.fact("weight_decay") == "0.5 stated sweeps/a.yaml:6");
  CHECK(project.fact("learning_rate") == "unknown");
}

TEST_CASE("the configs of a project that trains without PyTorch are not judged") {
  const auto findings = [](const std::string& imports) {
    return Project({{".git/HEAD", ""},
                    {"configs/a.yaml",
                     "batch_size: 4\nlr: 0.1\nmin_lr: 0.2\nlr_scheduler: cosine\nepochs: 3\n"},
                    {"train.py", imports + "if __name__ == '__main__':\n  train()\n"}},
                   "configs/a.yaml")
        .result.findings.size();
  };
  CHECK(findings("import jax, optax\n") == 0);
  CHECK(findings("import torch\nimport tensorflow as tf\n") == 1);
  CHECK(findings("import numpy\n") == 1);
}

TEST_CASE("of two keys for one setting, a project's code says which it reads") {
  const auto rules = [](const std::string& program) {
    const Project project({{".git/HEAD", ""},
                           {"configs/a.yaml", "batch_size: 4\ntrain_batch_size: 8\nlr: 0.1\n"},
                           {"train.py", program}},
                          "configs/a.yaml");
    std::string all;
    for (const Finding& each : project.result.findings) all += each.rule + "\n";
    return all;
  };
  CHECK(rules("import torch\n") == "conflicting-keys\n");
  CHECK(rules("import sys, torch, yaml\nif __name__ == '__main__':\n"
              "  cfg = yaml.safe_load(open(sys.argv[1]))\n"
              "  loader = torch.utils.data.DataLoader(d, batch_size=cfg['train_batch_size'])\n"
              "  opt = torch.optim.SGD(net.parameters(), lr=cfg['lr'])\n"
              "  for x in loader:\n    net(x).backward()\n    opt.step()\n")
            .find("conflicting-keys") == std::string::npos);
}

TEST_CASE("loaders for names nobody knows are made alike") {
  std::string train = script(kOpened, false);
  const std::string before = "loader = DataLoader(train_set(), batch_size=cfg['rows'])";
  train.replace(train.find(before), before.size(),
                "loaders = {k: DataLoader(v, batch_size=cfg['rows'], num_workers=5) "
                "for k, v in sets().items()}\nloader = loaders['train']");
  const Project project(files_of(train), "configs/a.yaml");
  CHECK(project.fact("num_workers") == "5 code train.py:4");
  CHECK(project.fact("per_device_batch_size") == "48 stated configs/a.yaml:1");
}

TEST_CASE("trainers of folds nobody counts are made alike") {
  const Project project(
      {{".git/HEAD", ""},
       {"configs/a.yaml", kConfig},
       {"train.py",
        "import sys, torch, yaml\nfrom torch.utils.data import DataLoader\n"
        "class Fold:\n  def __init__(self, cfg):\n    self.cfg = cfg\n"
        "  def fit(self):\n    loader = DataLoader(train_set(), batch_size=self.cfg['rows'])\n"
        "    opt = torch.optim.SGD(model.parameters(), lr=self.cfg['speed'])\n"
        "    for turn in range(self.cfg['rounds']):\n      for x in loader:\n"
        "        model(x).backward()\n        opt.step()\n"
        "if __name__ == '__main__':\n  cfg = yaml.safe_load(open(sys.argv[1]))\n"
        "  folds = {f: Fold(cfg) for f in data.folds()}\n"
        "  for f in data.folds():\n    folds[f].fit()\n"}},
      "configs/a.yaml");
  check_all(project);
}

TEST_CASE("of two modules whose names a file has, the one with the optimizer is meant") {
  const std::string lines =
      "from torch.optim import *\nfrom torch.optim.lr_scheduler import *\n" + std::string(kOpened);
  const Project project(files_of(script(lines, false, "Adagrad")), "configs/a.yaml");
  CHECK(project.fact("optimizer").starts_with("adagrad"));
}

TEST_CASE("attributes that nobody names may be any") {
  std::string train = script(
      "import argparse\np = argparse.ArgumentParser()\n"
      "p.add_argument('--rows', type=int, default=1)\n"
      "p.add_argument('--speed', type=float, default=2.0)\n"
      "cfg = p.parse_args()\n"
      "for k, v in yaml.safe_load(open(made())).items():\n"
      "  setattr(cfg, k, v)\n",
      true);
  train.replace(train.find("cfg.rounds"), 10, "3");
  const Project project({{".git/HEAD", ""}, {"train.py", train}}, "train.py");
  CHECK(project.fact("per_device_batch_size") == "unknown");
  CHECK(project.fact("learning_rate") == "unknown");
}

TEST_CASE("a study calls the function that it is given") {
  const Project project({{".git/HEAD", ""},
                         {"configs/a.yaml", kConfig},
                         {"train.py",
                          "import optuna, sys, torch, yaml\n"
                          "from torch.utils.data import DataLoader\n"
                          "def objective(trial):\n  cfg = yaml.safe_load(open(sys.argv[1]))\n"
                          "  loader = DataLoader(train_set(), batch_size=cfg['rows'])\n"
                          "  opt = torch.optim.SGD(model.parameters(), lr=cfg['speed'])\n"
                          "  for turn in range(cfg['rounds']):\n    for x in loader:\n"
                          "      model(x).backward()\n      opt.step()\n"
                          "if __name__ == '__main__':\n  study = optuna.create_study()\n"
                          "  study.optimize(objective, n_trials=3)\n"}},
                        "configs/a.yaml");
  check_all(project);
}

TEST_CASE("a batch that is divided by the size of the world is that of all ranks") {
  const auto batch = [](const std::string& ranks, const std::string& fact) {
    return Project({{".git/HEAD", ""},
                    {"configs/a.yaml", "lr: 0.1\nepochs: 3\nbatch_size: 32\n"},
                    {"train.py",
                     "import os, sys, torch, yaml\nfrom torch.utils.data import DataLoader\n"
                     "if __name__ == '__main__':\n"
                     "  cfg = yaml.safe_load(open(sys.argv[1]))\n"
                     "  torch.distributed.init_process_group('nccl')\n"
                     "  ranks = int(" + ranks + ")\n"
                     "  cfg['batch_size'] //= ranks\n  net = torch.nn.Linear(3, 4)\n"
                     "  opt = torch.optim.SGD(net.parameters(), lr=cfg['lr'])\n"
                     "  for x in DataLoader(data(), cfg['batch_size'], shuffle=True):\n"
                     "    net(x).backward()\n    opt.step()\n"}},
                   "configs/a.yaml")
        .fact(fact);
  };
  for (const char* ranks : {"os.environ['WORLD_SIZE']", "os.environ.get('WORLD_SIZE', 1)",
                            "os.getenv('WORLD_SIZE', '1')"}) {
    CAPTURE(ranks);
    CHECK(batch(ranks, "global_batch_size") == "32 stated configs/a.yaml:3");
    CHECK(batch(ranks, "per_device_batch_size") == "unknown");
  }
}

TEST_CASE("processes that are spawned are the ranks") {
  const Project project({{".git/HEAD", ""},
                         {"configs/a.yaml", "lr: 0.1\nbatch_size: 8\nranks: 3\n"},
                         {"train.py",
                          "import sys, torch, yaml\nimport torch.multiprocessing as mp\n"
                          "def work(rank, cfg):\n"
                          "  torch.distributed.init_process_group('nccl', rank=rank)\n"
                          "  opt = torch.optim.SGD(model.parameters(), lr=cfg['lr'])\n"
                          "  for x in data():\n    model(x).backward()\n    opt.step()\n"
                          "if __name__ == '__main__':\n  cfg = yaml.safe_load(open(sys.argv[1]))\n"
                          "  mp.spawn(work, nprocs=cfg['ranks'], args=(cfg,))\n"}},
                        "configs/a.yaml");
  CHECK(project.fact("gpus_per_node") == "3 stated configs/a.yaml:3");
}

TEST_CASE("the loop of a trainer that runs workers is read with the config it is given") {
  const Project project({{".git/HEAD", ""},
                         {"configs/a.yaml", "speed: 0.1\nbatch_size: 8\nsweeps: 3\n"},
                         {"train.py",
                          "import sys, torch, yaml\nfrom ray.train.torch import TorchTrainer\n"
                          "def work(cfg):\n"
                          "  opt = torch.optim.SGD(model.parameters(), lr=cfg['speed'])\n"
                          "  for epoch in range(cfg['sweeps']):\n    for x in data():\n"
                          "      model(x).backward()\n      opt.step()\n"
                          "if __name__ == '__main__':\n  cfg = yaml.safe_load(open(sys.argv[1]))\n"
                          "  trainer = TorchTrainer(train_loop_per_worker=work,\n"
                          "                         train_loop_config=cfg, datasets={})\n"
                          "  trainer.fit()\n"}},
                        "configs/a.yaml");
  CHECK(project.fact("learning_rate") == "0.1 stated configs/a.yaml:1");
}

TEST_CASE(
    "a rate that is written where the optimizer is made is not the one that a schedule sets") {
  std::string train = script(kOpened, false);
  train.replace(train.find("lr=cfg['speed']"), 15, "lr=1.0");
  CHECK(Project(files_of(train), "configs/a.yaml").fact("learning_rate") == "1 code train.py:5");
  train += "    for group in opt.param_groups:\n      group['lr'] = rate(x)\n";
  CHECK(Project(files_of(train), "configs/a.yaml").fact("learning_rate") == "unknown");
}

TEST_CASE("an optimizer's name says what it is in whatever section it stands") {
  const Project project({{".git/HEAD", ""},
                         {"a.yaml",
                          "data: {root: x}\nhparas:\n  epochs: 3\n  batch_size: 4\n  lr: 0.1\n"
                          "  optimizer: LARS\n  lr_scheduler: cosine\n"
                          "evaluation: {optimizer: adam}\n"}},
                        "a.yaml");
  CHECK(project.fact("optimizer") == "lars stated a.yaml:6");
  CHECK(project.fact("lr_schedule") == "cosine stated a.yaml:7");
}

TEST_CASE("what a Trainer's config leaves out has the library's defaults") {
  const std::string keys =
      "per_device_train_batch_size: 2\nnum_train_epochs: 3\nlearning_rate: 1e-4\n"
      "output_dir: out\n";
  const Project bare({{".git/HEAD", ""}, {"a.yaml", keys + "save_strategy: epoch\n"}}, "a.yaml");
  CHECK(bare.fact("weight_decay") == "0 dialect default");
  CHECK(bare.fact("max_grad_norm") == "1 dialect default");
  const Project others({{".git/HEAD", ""}, {"a.yaml", keys}}, "a.yaml");
  CHECK(others.fact("weight_decay") == "unknown");
}

TEST_CASE("a Trainer of Lightning on one device splits nothing unless a strategy is named") {
  const auto stage = [](const std::string& trainer) {
    const Project project({{".git/HEAD", ""},
                           {"a.yaml", "trainer:\n  accelerator: gpu\n  max_epochs: 3\n" + trainer +
                                          "data:\n  batch_size: 8\n"}},
                          "a.yaml");
    return project.fact("sharding_stage") + ", " + project.fact("offload");
  };
  CHECK(stage("  devices: 1\n") == "0 dialect default, none derived");
  CHECK(stage("  devices: 4\n") == "unknown, unknown");
  CHECK(stage("  devices: 1\n  strategy: mine\n").starts_with("unknown"));
  CHECK(stage("  devices: 1\n  strategy: deepspeed_stage_2\n").starts_with("2 stated"));
}

TEST_CASE("a strategy of Lightning's is known by its class, and a global batch in any section") {
  const auto config = [](const std::string& strategy) {
    return "trainer:\n  max_steps: 9\n  accelerator: gpu\n  strategy:\n    class_path: "
           "lightning.pytorch.strategies." +
           strategy + "\nloader:\n  global_batch_size: 64\n";
  };
  const Project whole({{".git/HEAD", ""}, {"a.yaml", config("DDPStrategy")}}, "a.yaml");
  CHECK(whole.fact("sharding_stage") == "0 stated a.yaml:5");
  CHECK(whole.fact("offload").starts_with("none"));
  CHECK(whole.fact("global_batch_size") == "64 stated a.yaml:7");
  const Project split({{".git/HEAD", ""}, {"a.yaml", config("ModelParallelStrategy")}}, "a.yaml");
  CHECK(split.fact("sharding_stage") == "unknown");
}

TEST_CASE("a network is named under more words") {
  const auto named = [](const std::string& key) {
    const Project project(
        {{".git/HEAD", ""},
         {"a.yaml", key + "\ntraining: {batch_size: 4, lr: 0.1, epochs: 2, optimizer: adam}\n"}},
        "a.yaml");
    return project.fact("model");
  };
  CHECK(named("nnet: ours") == "ours stated a.yaml:1");
  CHECK(named("MODEL: {BACKBONE_TYPE: resnet50, LOSS: x}") == "resnet50 stated a.yaml:1");
  CHECK(named("network: {type: unet, width: 3}") == "unet stated a.yaml:1");
  const Project fitted(
      {{".git/HEAD", ""},
       {"a.yaml", "trainer: {max_epochs: 3, devices: 1}\nmodel: {name: tiny, width: 3}\n"}},
      "a.yaml");
  CHECK(fitted.fact("model") == "tiny stated a.yaml:2");
}

TEST_CASE("a mini-batch is what goes through the network at once, beside any other batch") {
  const Project project({{".git/HEAD", ""},
                         {"a.yaml",
                          "model: gpt2\nppo:\n  learning_rate: 1.0e-5\n  batch_size: 16\n"
                          "  mini_batch_size: 4\n  gradient_accumulation_steps: 4\n"
                          "train: {num_epochs: 1}\n"}},
                        "a.yaml");
  CHECK(project.fact("per_device_batch_size") == "4 stated a.yaml:5");
}

TEST_CASE("a base is found by the names that projects give its key") {
  for (const std::string key : {"_base", "__base_cfg__", "base_cfg", "inherit_from"}) {
    const Project project({{".git/HEAD", ""},
                           {"configs/all.yaml", "learning_rate: 0.25\nepochs: 3\n"},
                           {"configs/net/a.yaml", key + ": ../all.yaml\nbatch_size: 8\n"}},
                          "configs/net/a.yaml");
    CHECK(project.fact("learning_rate") == "0.25 stated configs/all.yaml:1");
  }
}

TEST_CASE("a schedule is named by the end of its class, and a class called scheduler says nothing") {
  const auto schedule = [](const std::string& name) {
    return Project({{"c.yaml",
                     "batch_size: 8\nlr: 0.1\nepochs: 3\nscheduler:\n  _target_: own.parts." + name +
                         "\n"}},
                   "c.yaml")
        .fact("lr_schedule");
  };
  CHECK(schedule("MyOneCycleLR").starts_with("onecycle stated"));
  CHECK(schedule("SlotScheduler") == "unknown");
}

TEST_CASE("a warm-up beside another length of the training is not of the run") {
  const std::string code =
      "import yaml, torch\nif __name__ == '__main__':\n"
      "    c = yaml.safe_load(open('c.yaml'))['prior']\n"
      "    torch.utils.data.DataLoader(make('train'), c['batch_size'])\n"
      "    optimizer = torch.optim.AdamW(model(), lr=c['rate'])\n"
      "    for epoch in range(c['epochs']):\n        optimizer.step()\n";
  const auto warmup = [&](const std::string& prior) {
    return Project({{".git/HEAD", ""},
                    {"train.py", code},
                    {"c.yaml",
                     "train: {epochs: 100, lr: 0.1, warmup_epochs: 25}\n"
                     "prior: {batch_size: 8, rate: 0.2, epochs: 20" +
                         prior + "}\n"}},
                   "c.yaml");
  };
  CHECK(warmup("").fact("epochs") == "20 stated c.yaml:2");
  CHECK(warmup("").fact("warmup_epochs") == "unknown");
}

}  // namespace config_idioms_test
