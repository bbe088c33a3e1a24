// In-house projects: the code that loads a config says what its keys mean.

#include "unit/lint/code_project.h"

#include <doctest/doctest.h>

namespace code_test {

using namespace gpulint;
using Files = MemoryReader::Files;

namespace {

constexpr const char* kLoadAndTrain = R"(
import argparse
import yaml
import torch
from torch.utils.data import DataLoader

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", required=True)
    args = parser.parse_args()
    with open(args.config) as f:
        cfg = yaml.safe_load(f)
    train_loader = DataLoader(make("train"), batch_size=cfg["loop"]["rows"], shuffle=True,
                              num_workers=cfg["loop"].get("hands", 4))
    val_loader = DataLoader(make("val"), batch_size=2 * cfg["loop"]["rows"])
    model = make_model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=float(cfg["solver"]["speed"]))
    for epoch in range(cfg["loop"]["rounds"]):
        for batch in train_loader:
            loss = model(batch)
            loss.backward()
            optimizer.step()

if __name__ == "__main__":
    main()
)";

constexpr const char* kOwnWords = "loop:\n  rows: 16\n  rounds: 30\nsolver:\n  speed: 3e-4\n";

}  // namespace

TEST_CASE("a config in words of its own is understood by the script that loads it") {
  const Project project({{"train.py", kLoadAndTrain}, {"configs/a.yaml", kOwnWords}},
                        "configs/a.yaml");
  CHECK(project.fact("per_device_batch_size") == "16 stated configs/a.yaml:2");
  CHECK(project.fact("epochs") == "30 stated configs/a.yaml:3");
  CHECK(project.fact("learning_rate") == "0.0003 stated configs/a.yaml:5");
  CHECK(project.fact("optimizer") == "adamw code train.py:17");
}

TEST_CASE("what the code assumes is a fact of the code, with its place") {
  const Project project({{"train.py", kLoadAndTrain}, {"configs/a.yaml", kOwnWords}},
                        "configs/a.yaml");
  CHECK(project.fact("num_workers") == "4 code train.py:14");
  CHECK(project.fact("pin_memory") == "false code train.py:13");
  CHECK(project.fact("weight_decay") == "0.01 code train.py:17");
  CHECK(project.fact("eval_batch_size") == "32 code configs/a.yaml:2");
  CHECK(project.fact("gradient_accumulation_steps") == "1 code train.py:22");
  CHECK(project.fact("mixed_precision") == "none code train.py:21");
}

TEST_CASE("without reading code the same config is none") {
  const Project project({{"train.py", kLoadAndTrain}, {"configs/a.yaml", kOwnWords}},
                        "configs/a.yaml", false);
  CHECK(project.fact("per_device_batch_size") == "no run");
}

TEST_CASE("loaders on which branches disagree say nothing") {
  const Project project(
      {{"train.py",
        "import yaml, torch\nfrom torch.utils.data import DataLoader\n"
        "cfg = yaml.safe_load(open('c.yaml'))\n"
        "if unknown():\n  loader = DataLoader(train_set, batch_size=cfg['bs'], num_workers=2)\n"
        "else:\n  loader = DataLoader(train_set, batch_size=cfg['bs'], num_workers=8)\n"
        "opt = torch.optim.SGD(params, lr=cfg['lr'])\nif __name__ == '__main__': pass\n"},
       {"c.yaml", "bs: 8\nlr: 0.1\nsteps: 3\n"}},
      "c.yaml");
  CHECK(project.fact("per_device_batch_size") == "8 stated c.yaml:1");
  CHECK(project.fact("num_workers") == "unknown");
  CHECK(project.fact("learning_rate") == "0.1 stated c.yaml:2");
}

TEST_CASE("a dataclass config with defaults is followed through the trainer that gets it") {
  const Project project(
      {{"lab/config.py",
        "from dataclasses import dataclass, field\nimport yaml\n\n@dataclass\nclass Data:\n"
        "  size: int = 32\n  workers: int = 6\n\n@dataclass\nclass Config:\n"
        "  data: Data = field(default_factory=Data)\n  rate: float = 1e-3\n\n  @classmethod\n"
        "  def load(cls, path):\n    with open(path) as f:\n      raw = yaml.safe_load(f)\n"
        "    return cls(data=Data(**raw.get('data', {})), rate=raw.get('rate', 1e-3))\n"},
       {"lab/trainer.py",
        "import torch\nfrom torch.utils.data import DataLoader\n\nclass Trainer:\n"
        "  def __init__(self, config, dataset):\n    self.cfg = config\n"
        "    self.train_loader = DataLoader(dataset, batch_size=self.cfg.data.size,\n"
        "                                   num_workers=self.cfg.data.workers)\n"
        "    self.optim = torch.optim.Adam(self.model.parameters(), lr=self.cfg.rate)\n"},
       {"scripts/train.py",
        "import argparse\nfrom lab.config import Config\nfrom lab.trainer import Trainer\n"
        "def main():\n  p = argparse.ArgumentParser()\n  p.add_argument('--config')\n"
        "  a = p.parse_args()\n  cfg = Config.load(a.config)\n  Trainer(cfg, build())\n"
        "if __name__ == '__main__':\n  main()\n"},
       {"configs/x.yaml", "data:\n  size: 12\nrate: 0.002\n"}},
      "configs/x.yaml");
  CHECK(project.fact("per_device_batch_size") == "12 stated configs/x.yaml:2");
  CHECK(project.fact("num_workers") == "6 code lab/config.py:7");
  CHECK(project.fact("learning_rate") == "0.002 stated configs/x.yaml:3");
  CHECK(project.fact("optimizer") == "adam code lab/trainer.py:9");
}

TEST_CASE("a class that a library fills from a file or a mapping has the config and its defaults") {
  const auto with = [](const std::string& imports, const std::string& base,
                       const std::string& made) {
    const Project project(
        {{"train.py",
          "import fire, torch, yaml\nfrom dataclasses import dataclass, field\n" + imports +
              "\n@dataclass\nclass Optim(" + base +
              "):\n  rate: float = 1e-3\n  decay: float = 0.02\n\n@dataclass\nclass Config(" +
              base + "):\n  size: int\n  optim: Optim = field(default_factory=Optim)\n\n" +
              "def train(config: str):\n  cfg = " + made +
              "\n  loader = torch.utils.data.DataLoader(data(), batch_size=cfg.size)\n"
              "  torch.optim.Adam(net(), lr=cfg.optim.rate, weight_decay=cfg.optim.decay)\n\n"
              "if __name__ == '__main__':\n  fire.Fire(train)\n"},
         {"configs/x.yaml", "size: 12\noptim:\n  rate: 0.002\n"}},
        "configs/x.yaml");
    return project.fact("per_device_batch_size") + ", " + project.fact("learning_rate") + ", " +
           project.fact("weight_decay");
  };
  const std::string filled =
      "12 stated configs/x.yaml:1, 0.002 stated configs/x.yaml:3, 0.02 code train.py:7";
  CHECK(with("from simple_parsing.helpers import Serializable", "Serializable",
             "Config.load(config, drop_extra_fields=False)") == filled);
  CHECK(with("import pydantic", "pydantic.BaseModel",
             "Config.model_validate(yaml.safe_load(open(config)))") == filled);
  CHECK(with("from omegaconf import OmegaConf", "object",
             "OmegaConf.merge(OmegaConf.structured(Config), OmegaConf.load(config))") == filled);
  CHECK(with("import cattrs", "object", "cattrs.structure(yaml.safe_load(open(config)), Config)") ==
        filled);
}

TEST_CASE("a script that loads several configs by name makes one run of them") {
  const Files files = {
      {"train.py",
       "import yaml, torch\nfrom pathlib import Path\nfrom torch.utils.data import DataLoader\n"
       "HERE = Path(__file__).resolve().parent\ndef read(p):\n  with open(p) as f:\n"
       "    return yaml.safe_load(f) or {}\n"
       "data = read(HERE / 'configs' / 'data.yaml')\ntrain = read(HERE / 'configs' / "
       "'train.yaml')\n"
       "loader = DataLoader(train_set, batch_size=data['loading']['n'], shuffle=True)\n"
       "opt = torch.optim.AdamW(params, lr=train['lr'])\nif __name__ == '__main__': pass\n"},
      {"configs/data.yaml", "loading:\n  n: 6\nbatch_size: 3\n"},
      {"configs/train.yaml", "lr: 0.001\nepochs: 5\noptimizer: adam\n"}};
  const Project project(files, "configs/train.yaml");
  CHECK(project.fact("per_device_batch_size") == "6 stated configs/data.yaml:2");
  CHECK(project.fact("learning_rate") == "0.001 stated configs/train.yaml:1");
  CHECK(project.fact("optimizer") == "adamw code train.py:11");
}

TEST_CASE("an option for the config stands for it, and a dict with attributes is one") {
  const Project project(
      {{"train.py",
        "import argparse, json, torch\nfrom torch.utils.data import DataLoader\n"
        "class AttrDict(dict):\n  def __init__(self, *args, **kwargs):\n"
        "    super(AttrDict, self).__init__(*args, **kwargs)\n    self.__dict__ = self\n"
        "p = argparse.ArgumentParser()\np.add_argument('--config', default=None)\n"
        "a = p.parse_args()\nif a.config is not None:\n  with open(a.config) as f:\n"
        "    h = AttrDict(json.loads(f.read()))\n"
        "  train_loader = DataLoader(data, batch_size=h.rows, num_workers=h.hands)\n"
        "  optimizer = torch.optim.AdamW(params, h.speed)\n"},
       {"conf/c.json", "{\"rows\": 16, \"hands\": 4, \"speed\": 0.0002}"}},
      "conf/c.json");
  CHECK(project.fact("per_device_batch_size") == "16 stated conf/c.json:1");
  CHECK(project.fact("learning_rate") == "0.0002 stated conf/c.json:1");
}

TEST_CASE("a config that is laid over the defaults of a yacs node is the one that runs") {
  const Files files = {
      {".git/HEAD", ""},
      {"configs/c.yaml", "device: {rows: 96, hands: 10}\nsolver: {speed: 0.1}\n"},
      {"lib/__init__.py", "from .defaults import cfg, load_config\n"},
      {"lib/node.py",
       "class CfgNode(dict):\n"
       "    def __init__(self, init_dict=None, new_allowed=False):\n"
       "        super().__init__(init_dict or {})\n"
       "    def __getattr__(self, name):\n"
       "        if name in self:\n            return self[name]\n"
       "        raise AttributeError(name)\n"
       "    def __setattr__(self, name, value):\n        self[name] = value\n"
       "    def merge_from_file(self, name):\n"
       "        self.update(something_else(name))\n"},
      {"lib/defaults.py",
       "from .node import CfgNode\n"
       "cfg = CfgNode(new_allowed=True)\ncfg.device = CfgNode(new_allowed=True)\n"
       "cfg.device.rows = 1\ncfg.solver = CfgNode()\ncfg.solver.decay = 0.05\n"
       "def load_config(cfg, path):\n"
       "    cfg.defrost()\n    cfg.merge_from_file(path)\n    cfg.freeze()\n"},
      {"train.py",
       "import argparse, torch\nfrom lib import cfg, load_config\n"
       "def main(args):\n"
       "    load_config(cfg, args.config)\n"
       "    torch.utils.data.DataLoader(make('train'), batch_size=cfg.device.rows,\n"
       "                                num_workers=cfg.device.hands, shuffle=cfg.unstated)\n"
       "    torch.optim.SGD(model(), lr=cfg.solver.speed, weight_decay=cfg.solver.decay)\n"
       "if __name__ == '__main__':\n"
       "    parser = argparse.ArgumentParser()\n    parser.add_argument('config')\n"
       "    main(parser.parse_args())\n"}};
  const Project project(files, "configs/c.yaml");
  CHECK(project.fact("per_device_batch_size") == "96 stated configs/c.yaml:1");
  CHECK(project.fact("num_workers") == "10 stated configs/c.yaml:1");
  CHECK(project.fact("learning_rate") == "0.1 stated configs/c.yaml:2");
  CHECK(project.fact("weight_decay") == "0.05 code lib/defaults.py:6");
  CHECK(project.fact("shuffle") == "unknown");
}

TEST_CASE("a script near an in-house config counts though its keys are lost on the way") {
  const Files files = {
      {".git/HEAD", ""},
      {"configs/c.yaml", "batch_size: 16\nlr: 0.1\n"},
      {"train.py",
       "import argparse, yaml, torch\n"
       "if __name__ == '__main__':\n"
       "    parser = argparse.ArgumentParser()\n    parser.add_argument('--config')\n"
       "    h = unknown(yaml.safe_load(open(parser.parse_args().config)))\n"
       "    torch.utils.data.DataLoader(make('train'), h.batch_size, num_workers=3)\n"
       "    torch.optim.SGD(model(), lr=h.lr)\n"}};
  CHECK(Project(files, "configs/c.yaml").fact("num_workers") == "3 code train.py:6");
}

TEST_CASE("a script near a config that lacks the keys it looks up is not the config's") {
  const Project project({{"train.py", kLoadAndTrain},
                         {"configs/c.yaml", "batch_size: 256\nlr: 0.1\noptimizer: sgd\n"}},
                        "configs/c.yaml");
  CHECK(project.fact("optimizer") == "sgd stated configs/c.yaml:3");
  CHECK(project.fact("pin_memory") == "unknown");
}

TEST_CASE("the size of the images is that of the training's transforms") {
  const auto size = [](const std::string& transforms) {
    const std::string script =
        "import argparse, yaml, torch\nfrom torchvision import transforms as T\n"
        "import albumentations as A\n"
        "def main():\n"
        "    parser = argparse.ArgumentParser()\n    parser.add_argument('--config')\n"
        "    cfg = yaml.safe_load(open(parser.parse_args().config))\n" +
        transforms +
        "    loader = torch.utils.data.DataLoader(make('train'), cfg['batch_size'])\n"
        "    optimizer = torch.optim.SGD(model.parameters(), lr=cfg['lr'])\n"
        "    for x in loader:\n        model(x).backward()\n        optimizer.step()\n"
        "main()\n";
    const Project project(
        {{"configs/c.yaml", "batch_size: 16\nlr: 0.1\nside: 192\n"}, {"train.py", script}},
        "configs/c.yaml");
    return project.fact("image_size");
  };
  CHECK(size("    train = T.Compose([T.RandomResizedCrop(224), T.ToTensor()])\n"
             "    val = T.Compose([T.Resize(256), T.CenterCrop(224), T.ToTensor()])\n") ==
        "224 code train.py:8");
  CHECK(size("    tf = T.Compose([T.Resize((cfg['side'], cfg['side'])), T.ToTensor()])\n") ==
        "192 stated configs/c.yaml:3");
  CHECK(size("    tf = A.Compose([A.Resize(512, 384)])\n") == "512 code train.py:8");
  CHECK(size("    train_tf = T.RandomCrop(128)\n    val_tf = T.Resize((512, 512))\n") ==
        "128 code train.py:8");
  CHECK(size("    tf = T.Compose([T.Resize((256, 256)), T.RandomCrop((224, 224))])\n") ==
        "224 code train.py:8");
  CHECK(size("    tf = T.Compose([T.Resize(256), T.ToTensor()])\n") == "unknown");
  CHECK(size("    a = T.RandomResizedCrop(224)\n    b = T.RandomResizedCrop(96)\n") == "unknown");
}

TEST_CASE("of two scripts as near, the one that takes more of the config's values is meant") {
  std::string other = kLoadAndTrain;
  other.replace(other.find("cfg[\"loop\"][\"rounds\"]"), 21, "7");
  other.replace(other.find("float(cfg[\"solver\"][\"speed\"])"), 29, "len(cfg[\"solver\"])");
  const Project project(
      {{"pretrain.py", other}, {"train.py", kLoadAndTrain}, {"configs/a.yaml", kOwnWords}},
      "configs/a.yaml");
  CHECK(project.fact("epochs") == "30 stated configs/a.yaml:3");
  CHECK(project.fact("learning_rate") == "0.0003 stated configs/a.yaml:5");
}

TEST_CASE("a Trainer's config leaves to the project's code what its keys do not say") {
  const Project project(
      {{"train.py", kLoadAndTrain},
       {"configs/a.yaml", std::string(kOwnWords) + "trainer:\n  devices: 2\n  max_epochs: 9\n"}},
      "configs/a.yaml");
  CHECK(project.fact("epochs") == "9 stated configs/a.yaml:8");
  CHECK(project.fact("optimizer") == "adamw code train.py:17");
  CHECK(project.fact("per_device_batch_size") == "16 stated configs/a.yaml:2");
}

TEST_CASE("a module that the config names is the one that runs") {
  const Files files = {{".git/HEAD", ""},
                       {"configs/c.yaml", "app: video\nrows: 16\nspeed: 0.1\n"},
                       {"app/video/train.py",
                        "import torch\nfrom torch.utils.data import DataLoader\n"
                        "def main(h):\n"
                        "    DataLoader(make('train'), batch_size=h['rows'], num_workers=3)\n"
                        "    torch.optim.SGD(model(), lr=h['speed'])\n"},
                       {"app/still/train.py", "def main(h):\n    pass\n"},
                       {"main.py",
                        "import argparse, importlib, yaml\n"
                        "def train(app, h):\n"
                        "    return importlib.import_module(f'app.{app}.train').main(h)\n"
                        "if __name__ == '__main__':\n"
                        "    parser = argparse.ArgumentParser()\n"
                        "    parser.add_argument('--config')\n"
                        "    h = yaml.safe_load(open(parser.parse_args().config))\n"
                        "    train(h['app'], h)\n"}};
  const Project project(files, "configs/c.yaml");
  CHECK(project.fact("per_device_batch_size") == "16 stated configs/c.yaml:2");
  CHECK(project.fact("num_workers") == "3 code app/video/train.py:4");
}

TEST_CASE("a script whose option for the config stands in a module it imports is read") {
  const Files files = {
      {".git/HEAD", ""},
      {"configs/base.json", "{\"loop\": {\"rows\": 16}, \"solver\": {\"speed\": 0.1}}"},
      {"utils.py",
       "import argparse, json\n"
       "def get():\n"
       "    parser = argparse.ArgumentParser()\n"
       "    parser.add_argument('-c', '--config')\n"
       "    with open(parser.parse_args().config) as f:\n        data = f.read()\n"
       "    return json.loads(data)\n"},
      {"train.py",
       "import utils, torch\nfrom torch.utils.data import DataLoader\n"
       "def main():\n"
       "    h = utils.get()\n"
       "    loader = DataLoader(make('train'), batch_size=h['loop']['rows'])\n"
       "    opt = torch.optim.SGD(make_model(), lr=h['solver']['speed'])\n"
       "if __name__ == '__main__':\n    main()\n"}};
  const Project project(files, "configs/base.json");
  CHECK(project.fact("per_device_batch_size") == "16 stated configs/base.json:1");
  CHECK(project.fact("optimizer") == "sgd code train.py:6");
}

TEST_CASE("classes that a config names are built from a module of the library") {
  const Files files = {
      {".git/HEAD", ""},
      {"config.json",
       "{\"optimizer\": {\"type\": \"SGD\", \"args\": {\"lr\": 0.1, \"momentum\": 0.9}},"
       " \"data\": {\"rows\": 16}}"},
      {"train.py",
       "import argparse, json, torch\nfrom torch.utils.data import DataLoader\n"
       "class Config:\n"
       "    def __init__(self, data):\n        self.data = data\n"
       "    def make(self, name, module, *args):\n"
       "        how = self.data[name]\n"
       "        return getattr(module, how['type'])(*args, **dict(how['args']))\n"
       "def main(config):\n"
       "    loader = DataLoader(make('train'), config.data['data']['rows'])\n"
       "    config.make('optimizer', torch.optim, make_model())\n"
       "if __name__ == '__main__':\n"
       "    parser = argparse.ArgumentParser()\n"
       "    parser.add_argument('--config', default=None)\n"
       "    main(Config(json.load(open(parser.parse_args().config))))\n"}};
  const Project project(files, "config.json");
  CHECK(project.fact("optimizer") == "sgd stated config.json:1");
  CHECK(project.fact("momentum") == "0.9 stated config.json:1");
  CHECK(project.fact("per_device_batch_size") == "16 stated config.json:1");
  CHECK(project.fact("pin_memory") == "false code train.py:10");
}

TEST_CASE("a script that cannot be read leaves the config to its keys") {
  const Project project(
      {{"train.py", "print 'train'\ndef main(:\n  yaml\nif __name__ == '__main__': main()\n"},
       {"c.yaml", "batch_size: 8\nlearning_rate: 0.1\nepochs: 3\n"}},
      "c.yaml");
  CHECK(project.fact("per_device_batch_size") == "8 stated c.yaml:1");
}

TEST_CASE("a pipeline's section of training is filled in by the config it names") {
  const Project project({{".git/HEAD", ""},
                         {"configs/small.yaml",
                          "data:\n  batch_size: 4\n  pin_memory: true\ntraining:\n  lr: 1e-4\n"},
                         {"configs/pipeline.yaml",
                          "evaluation:\n  runs: 3\ntraining:\n  config: configs/small.yaml\n"
                          "  epochs: 3\n  batch_size: 16\n"}},
                        "configs/pipeline.yaml");
  CHECK(project.fact("per_device_batch_size") == "16 stated configs/pipeline.yaml:6");
  CHECK(project.fact("learning_rate") == "0.0001 stated configs/small.yaml:5");
  CHECK(project.fact("pin_memory") == "true stated configs/small.yaml:3");
}

TEST_CASE("words around the keys of an in-house config leave their meaning alone") {
  const Project project({{"options/train.json", R"({
  "datasets": {
    "train": {"dataloader_batch_size": 32, "dataloader_num_workers": 8},
    "test": {"dataloader_batch_size": 1}
  },
  "train": {"G_optimizer_type": "adam", "G_optimizer_lr": 1e-4, "D_optimizer_lr": 4e-4}
})"}},
                        "options/train.json");
  CHECK(project.fact("per_device_batch_size") == "32 stated options/train.json:3");
  CHECK(project.fact("num_workers") == "8 stated options/train.json:3");
  CHECK(project.fact("learning_rate") == "0.0001 stated options/train.json:6");
  CHECK(project.fact("optimizer") == "adam stated options/train.json:6");
}

TEST_CASE("a key that is written out beats one with a word around it") {
  const Project project({{"train.yaml", "optim_lr: 0.5\nlr: 0.1\nbatch_size: 8\nepochs: 2\n"}},
                        "train.yaml");
  CHECK(project.fact("learning_rate") == "0.1 stated train.yaml:2");
}

TEST_CASE("keys with dots are the paths they write") {
  const Project project(
      {{"train.yaml", "optimizer.lr: 0.1\nbatch_size: 8\nnum_workers: 4\nepochs: 3\n"}},
      "train.yaml");
  CHECK(project.fact("learning_rate") == "0.1 stated train.yaml:1");
}

TEST_CASE("annotations that a script loads as JSON do not stand for a YAML config") {
  const Project project({{".git/HEAD", ""},
                         {"configs/a.yaml", "batch_size: 32\nlr: 0.1\nepochs: 3\n"},
                         {"train.py",
                          "import json, sys, torch\nfrom torch.utils.data import DataLoader\n"
                          "if __name__ == '__main__':\n"
                          "  boxes = json.load(open(sys.argv[1] + '.json'))\n"
                          "  loader = DataLoader(boxes, num_workers=7)\n"
                          "  optimizer = torch.optim.SGD([], lr=0.3)\n"}},
                        "configs/a.yaml");
  CHECK(project.fact("num_workers") == "unknown");
}

}  // namespace code_test
