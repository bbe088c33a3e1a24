// Keys that no code reads, and configs that code reads as a part of another.

#include "unit/lint/code_project.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

namespace code_readers_test {

using namespace gpulint;

namespace {

constexpr const char* kTrain = R"(
import argparse
import yaml
import torch
from torch.utils.data import DataLoader

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", required=True)
    cfg = yaml.safe_load(open(parser.parse_args().config))
    torch.manual_seed(cfg["seed"])
    loader = DataLoader(make("train"), batch_size=cfg["batch_size"], num_workers=cfg["num_workers"])
    model = make_model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg["lr"])
    for epoch in range(cfg["epochs"]):
        for batch in loader:
            model(batch).backward()
            optimizer.step()

if __name__ == "__main__":
    main()
)";

constexpr const char* kConfig =
    "seed: 1\nbatch_size: 16\nnum_workers: 4\nlr: 0.1\nepochs: 3\nwarmup_steps: 500\n";

constexpr const char* kHydraTrain = R"(
import hydra
import torch
from torch.utils.data import DataLoader

@hydra.main(config_path="../conf", config_name="train")
def main(cfg):
    loader = DataLoader(make("train"), batch_size=cfg.data.batch_size, pin_memory=True)
    model = make_model()
    optimizer = torch.optim.RMSprop(model.parameters(), lr=cfg.optim.lr)
    for epoch in range(cfg.epochs):
        for batch in loader:
            model(batch).backward()
            optimizer.step()

if __name__ == "__main__":
    main()
)";

std::string not_read(const Project& project) {
  std::string found;
  for (const Observation& each : project.plan()->observations) {
    if (each.list == "keys_without_reader") found += each.name + " " + each.fact + "\n";
  }
  return found;
}

}  // namespace

TEST_CASE("a config that says which absent program reads it is read by no other of its folder") {
  const auto rate = [&](const std::string& comment) {
    return Project({{".git/HEAD", ""},
                    {"conf/train.yaml", "data: {batch_size: 4}\noptim: {lr: 0.3}\nepochs: 4\n"},
                    {"conf/old.yaml", comment + "data: {batch_size: 4}\noptim: {lr: 0.3}\n"
                                                "epochs: 4\n"},
                    {"src/train.py", kHydraTrain}},
                   "conf/old.yaml")
        .fact("optimizer");
  };
  CHECK(rate("").starts_with("rmsprop "));
  CHECK(rate("# python src/train.py --config-name old\n").starts_with("rmsprop "));
  CHECK(rate("# python src/train_old.py name=first\n") == "unknown");
}

TEST_CASE("the folder of Hydra's configs is found from the project's root") {
  const std::string start = kHydraTrain;
  std::string decorated = start.substr(start.find('\n', start.find("@hydra")));
  decorated.replace(decorated.find("cfg.epochs"), 10, "cfg.rounds");
  const auto rate = [&](const std::string& before, const std::string& given) {
    return Project({{".git/HEAD", ""},
                    {"conf/train.yaml", "data: {batch_size: 4}\noptim: {lr: 0.3}\nrounds: 4\n"},
                    {"src/deep/train.py", "import hydra, os, pathlib, rootutils, torch\n" + before +
                                              "from torch.utils.data import DataLoader\n"
                                              "@hydra.main(" +
                                              given + ")" + decorated}},
                   "conf/train.yaml")
        .fact("epochs");
  };
  const std::string stated = "4 stated conf/train.yaml:3";
  const std::string root = "root = rootutils.setup_root(__file__, pythonpath=True)\n";
  CHECK(rate(root, "config_path=f'{root}/conf', config_name='train'") == stated);
  CHECK(rate("", "config_path=os.path.join(os.getcwd(), 'conf'), config_name='train'") == stated);
  CHECK(rate("", "config_path=str(pathlib.Path.cwd() / 'conf'), config_name='train'") == stated);
  CHECK(rate("", "'../../conf', 'train'") == stated);
  CHECK(rate("", "'conf', 'train'") == "unknown");  // beside the program, where there is none
}

TEST_CASE("a config elsewhere that names what is made of it is read by the program that composes") {
  const auto rate = [](const std::string& first) {
    return Project({{".git/HEAD", ""},
                    {"lab/config/usual.yaml", "seed: 1\n"},
                    {"runs/kitchen/a.yaml", first + "speed: 0.3\nbatch_size: 8\nepochs: 4\n"},
                    {"lab/work.py",
                     "import hydra, torch\n"
                     "class Work:\n"
                     "    def __init__(self, cfg): self.cfg = cfg\n"
                     "    def run(self):\n"
                     "        opt = torch.optim.SGD(net.parameters(), lr=self.cfg.speed)\n"
                     "        for x in torch.utils.data.DataLoader(data(), batch_size=8):\n"
                     "            net(x).backward()\n            opt.step()\n"
                     "@hydra.main(config_path='config', config_name='usual')\n"
                     "def main(cfg):\n    Work(cfg).run()\n"
                     "if __name__ == '__main__':\n    main()\n"}},
                   "runs/kitchen/a.yaml")
        .fact("learning_rate");
  };
  CHECK(rate("_target_: lab.work.Work\n") == "0.3 stated runs/kitchen/a.yaml:2");
  CHECK(rate("name: a\n") == "unknown");
}

TEST_CASE("any config of the folder that a program's decorator names is read by that program") {
  const auto loop = [](const std::string& rate) {
    return "    opt = torch.optim.SGD(torch.nn.Linear(3, 3).parameters(), lr=" + rate +
           ")\n    for x in torch.utils.data.DataLoader(data(), batch_size=cfg.batch_size):\n"
           "        net(x).backward()\n        opt.step()\n";
  };
  const Project project(
      {{".git/HEAD", ""},
       {"config/other.yaml", "batch_size: 8\nrate: 0.3\nepochs: 2\n"},
       {"config/usual.yaml", "batch_size: 4\nrate: 0.1\nepochs: 2\n"},
       {"src/eval_finetune.py",
        "import torch\nfrom omegaconf import OmegaConf\ndef main():\n"
        "    cfg = OmegaConf.load('/results/run/.hydra/config.yaml')\n" +
            loop("0.7") + "if __name__ == '__main__':\n    main()\n"},
       {"src/experiment.py",
        "import hydra, torch\n"
        "@hydra.main(version_base=None, config_path='../config', config_name='usual')\n"
        "def main(cfg):\n" +
            loop("cfg.rate") + "if __name__ == '__main__':\n    main()\n"}},
      "config/other.yaml");
  CHECK(project.fact("learning_rate") == "0.3 stated config/other.yaml:2");
}

TEST_CASE("a config that says by which script it is read is read by that script") {
  const auto rate = [](const std::string& header) {
    const auto script = [](const std::string& written) {
      return "import argparse, torch, yaml\ndef main():\n"
             "    p = argparse.ArgumentParser()\n    p.add_argument('--config')\n"
             "    cfg = yaml.safe_load(open(p.parse_args().config))\n"
             "    opt = torch.optim.SGD(net.parameters(), lr=" +
             written +
             ")\n    for x in torch.utils.data.DataLoader(data(), batch_size=cfg['batch_size']):\n"
             "        net(x).backward()\n        opt.step()\n"
             "if __name__ == '__main__':\n    main()\n";
    };
    return Project({{".git/HEAD", ""},
                    {"conf/a.yaml", header + "batch_size: 4\nrate: 0.1\nepochs: 2\n"},
                    {"tools/train_a.py", script("0.5")},
                    {"tools/train_b.py", script("cfg['rate']")}},
                   "conf/a.yaml")
        .fact("learning_rate");
  };
  CHECK(rate("# python tools/train_b.py --config conf/a.yaml\n").starts_with("0.1 stated"));
  CHECK(rate("# python tools/train_a.py --config conf/a.yaml\n").starts_with("0.5 code"));
}

TEST_CASE("a key that no code reads states no fact") {
  const Project project({{"train.py", kTrain}, {"config.yaml", kConfig}}, "config.yaml");
  CHECK(project.fact("learning_rate") == "0.1 stated config.yaml:4");
  CHECK(project.fact("warmup_steps") == "0 code train.py:17");
  CHECK(not_read(project) == "warmup_steps warmup_steps\n");
}

TEST_CASE("where a mapping is unpacked its keys may all be read") {
  std::string train = kTrain;
  train.replace(train.find("make_model()"), 12, "Net(**cfg)  ");
  const Project project({{"train.py", train}, {"config.yaml", kConfig}}, "config.yaml");
  CHECK(project.fact("warmup_steps") == "500 stated config.yaml:6");
}

TEST_CASE("without a script that loads the config its keys count by their names") {
  const Project project({{"config.yaml", kConfig}}, "config.yaml");
  CHECK(project.fact("warmup_steps") == "500 stated config.yaml:6");
}

TEST_CASE("an experiment is read by the program of the config it is chosen for") {
  const Project project(
      {{"src/train.py", kHydraTrain},
       {"conf/train.yaml",
        "defaults:\n  - _self_\n  - data: small\n  - optim: fast\n  - experiment: null\n\nepochs: "
        "3\n"},
       {"conf/data/small.yaml", "batch_size: 8\n"},
       {"conf/optim/fast.yaml", "lr: 0.1\n"},
       {"conf/optim/slow.yaml", "lr: 0.01\n"},
       {"conf/experiment/long.yaml",
        "# @package _global_\ndefaults:\n  - override /optim: slow\n\nepochs: 90\n"}},
      "conf/experiment/long.yaml");
  CHECK(project.fact("optimizer") == "rmsprop code src/train.py:10");
  CHECK(project.fact("pin_memory") == "true code src/train.py:8");
  CHECK(project.fact("per_device_batch_size") == "8 stated conf/data/small.yaml:1");
  CHECK(project.fact("learning_rate") == "0.01 stated conf/optim/slow.yaml:1");
  CHECK(project.fact("epochs") == "90 stated conf/experiment/long.yaml:5");
}

TEST_CASE("an experiment is chosen for the config of the training, not for one that a text names") {
  const std::string groups =
      "defaults:\n  - _self_\n  - data: small\n  - optim: fast\n  - experiment: null\n\n";
  const Project project(
      {{"src/train.py", kHydraTrain},
       {"src/net.py",
        "import hydra\nclass Net:\n  def setup(self, stage):\n    \"train or 'predict'\"\n"
        "@hydra.main(config_path='../conf', config_name='net')\n"
        "def main(cfg):\n  optimize(cfg)\nif __name__ == '__main__':\n  main()\n"},
       {"conf/predict.yaml", groups + "epochs: 1\n"},
       {"conf/train.yaml", groups + "epochs: 3\n"},
       {"conf/data/small.yaml", "batch_size: 8\n"},
       {"conf/optim/fast.yaml", "lr: 0.1\n"},
       {"conf/optim/slow.yaml", "lr: 0.01\n"},
       {"conf/experiment/slow.yaml",
        "# @package _global_\ndefaults:\n  - override /optim: slow\n"}},
      "conf/experiment/slow.yaml");
  CHECK(project.fact("optimizer") == "rmsprop code src/train.py:10");
  CHECK(project.fact("epochs") == "3 stated conf/train.yaml:7");
}

TEST_CASE("configs whose flag a command repeats lie over one another") {
  const Project project(
      {{".git/HEAD", ""},
       {"conf/trainer.yaml", "trainer: {accelerator: gpu, devices: 2, precision: 16-mixed}\n"},
       {"conf/model.yaml", "trainer: {max_steps: 100}\nmodel: {lr: 0.1}\n"},
       {"conf/data.yaml", "data: {batch_size: 4}\nmodel: {lr: 0.2}\n"},
       {"run.sh",
        "python main.py fit --config conf/trainer.yaml --config conf/model.yaml "
        "--config conf/data.yaml\n"}},
      "run.sh");
  CHECK(project.fact("mixed_precision") == "fp16 stated conf/trainer.yaml:1");
  CHECK(project.fact("max_steps") == "100 stated conf/model.yaml:1");
  CHECK(project.fact("per_device_batch_size") == "4 stated conf/data.yaml:1");
  CHECK(project.fact("learning_rate") == "0.2 stated conf/data.yaml:2");
}

TEST_CASE("a subcommand that trains nothing starts no run") {
  const auto started = [](const std::string& subcommand) {
    const Project project(
        {{".git/HEAD", ""},
         {"conf/a.yaml", "trainer: {max_epochs: 2, devices: 1}\nmodel: {lr: 0.1}\n"},
         {"run.sh", "python main.py " + subcommand + " --config conf/a.yaml\n"}},
        "run.sh");
    return project.fact("epochs");
  };
  CHECK(started("fit") == "2 stated conf/a.yaml:1");
  CHECK(started("predict") == "no run");
  CHECK(started("test") == "no run");
}

TEST_CASE("each of many configs that one script loads is read by itself") {
  // What a script does before it loads its config is kept from the second run on.
  const std::string script =
      "import yaml, torch\nimport parts\nfrom torch.utils.data import DataLoader\n"
      "RATES = []\n"
      "cfg = yaml.safe_load(open('configs/a.yaml'))\n"
      "RATES.append(cfg['rate'])\n"
      "parts.SEEN['count'] = cfg['count']\n"
      "loader = DataLoader(parts.data(), batch_size=parts.SEEN['count'])\n"
      "model = parts.model()\n"
      "optimizer = torch.optim.SGD(model.parameters(), lr=RATES[0])\n"
      "for epoch in range(cfg['rounds']):\n"
      "    for x in loader:\n"
      "        model(x).backward()\n"
      "        optimizer.step()\n";
  MemoryReader::Files files{{".git/HEAD", ""}, {"train.py", script}, {"parts.py", "SEEN = {}\n"}};
  constexpr int kConfigs = 5;
  for (int i = 0; i < kConfigs; ++i) {
    const std::string name(1, static_cast<char>('a' + i));
    files["configs/" + name + ".yaml"] =
        fmt::format("rate: 0.{}\ncount: {}\nrounds: 3\n", i + 1, i + 8);
  }
  const MemoryReader reader(files);
  LintRequest request;
  request.paths = {"configs"};
  request.options.keep_plans = true;
  const LintResult result = lint(session_over(reader), request);
  REQUIRE(result.files.size() == kConfigs);
  for (int i = 0; i < kConfigs; ++i) {
    const FileReport& file = result.files[static_cast<std::size_t>(i)];
    REQUIRE(file.plans.size() == 1);
    const auto& facts = file.plans.front().plan->facts;
    CHECK(canonical_text(facts, *find_fact("learning_rate")) == "0." + std::to_string(i + 1));
    CHECK(canonical_text(facts, *find_fact("per_device_batch_size")) == std::to_string(i + 8));
  }
}

TEST_CASE("a config in Python is loaded by what its path chooses from a package") {
  const auto project = [](const std::string& load, const std::string& asked) {
    return Project({{".git/HEAD", ""},
                    {"configs/__init__.py",
                     "from .small import config as small\nfrom .large import config as large\n"},
                    {"configs/small.py",
                     "config = dict(\n    model=dict(type='Net'),\n    loader=dict(batch_size=6, "
                     "num_workers=2),\n    lr=0.25,\n    epochs=3)\n"},
                    {"configs/large.py",
                     "config = dict(\n    model=dict(type='Net'),\n    loader=dict(batch_size=60, "
                     "num_workers=2),\n    lr=0.5,\n    epochs=3)\n"},
                    {"train.py",
                     "import argparse, importlib, torch\nimport configs\n"
                     "from torch.utils.data import DataLoader\n"
                     "p = argparse.ArgumentParser()\np.add_argument('--config')\n"
                     "args = p.parse_args()\n" +
                         load +
                         "opt = torch.optim.RMSprop(model.parameters(), lr=config['lr'])\n"
                         "for x in DataLoader(make('train'), **config['loader']):\n"
                         "    model(x).backward()\n    opt.step()\n"},
                    {"run.sh", "python train.py --config configs/small.py\n"}},
                   asked);
  };
  const std::string by_name =
      "name = args.config.replace('.py', '').replace('configs/', '')\n"
      "config = getattr(configs, name)\n";
  const std::string by_import =
      "name = args.config.replace('.py', '').replace('/', '.')\n"
      "config = importlib.import_module(name).config\n";
  for (const std::string& load : {by_name, by_import}) {
    CAPTURE(load);
    const Project started = project(load, "run.sh");
    CHECK(started.fact("optimizer") == "rmsprop code train.py:9");
    CHECK(started.fact("persistent_workers") == "false code train.py:10");
    CHECK(started.fact("per_device_batch_size").starts_with("6 stated configs/small.py:3"));
  }
  CHECK(project(by_name, "configs/small.py").fact("optimizer") == "rmsprop code train.py:9");
}

TEST_CASE("a key that the project's own code defines brings no defaults of another framework") {
  const auto targets = [](const std::string& field) {
    return Project({{".git/HEAD", ""},
                    {"train.py",
                     "import transformers\nfrom dataclasses import dataclass, field\n"
                     "@dataclass\nclass Own(transformers.TrainingArguments):\n"
                     "    " + field + ": str = field(default='lora')\n"
                     "def main():\n"
                     "    parser = transformers.HfArgumentParser((Own,))\n"
                     "    args, = parser.parse_args_into_dataclasses()\n"
                     "    transformers.Trainer(model=make(), args=args).train()\n"
                     "if __name__ == '__main__':\n    main()\n"},
                    {"run.sh",
                     "python train.py --model_name_or_path gpt2 --output_dir out "
                     "--per_device_train_batch_size 8 --learning_rate 2e-4 "
                     "--finetuning_type lora\n"}},
                   "run.sh")
        .fact("adapter_targets");
  };
  CHECK(targets("finetuning_type") == "unknown");
  CHECK(targets("other_option").starts_with("all-linear"));
}

TEST_CASE("a program that takes a config's lines apart by itself has the values in them") {
  const std::string path = "conf/c.yaml";
  const auto project = [&](const std::string& lines, const std::string& asked) {
    return Project(
        {{".git/HEAD", ""},
         {"train.py",
          "import argparse, torch\nfrom pathlib import Path\n"
          "from torch.utils.data import DataLoader\n"
          "def number(text):\n    text = text.strip()\n"
          "    if text.lower() in {'true', 'false'}:\n        return text.lower() == 'true'\n"
          "    try:\n        return float(text) if '.' in text else int(text)\n"
          "    except ValueError:\n        return text\n"
          "def read(path):\n    made = {}\n" +
              lines +
              "        line = line.strip()\n"
              "        if not line or line.startswith('#'):\n            continue\n"
              "        if ':' not in line:\n            raise ValueError(line)\n"
              "        key, value = line.split(':', maxsplit=1)\n"
              "        made[key.strip()] = number(value)\n"
              "    return made\n"
              "p = argparse.ArgumentParser()\np.add_argument('--config', default='conf/a.yaml')\n"
              "h = {'hands': 5, 'speed': 1.0}\nh.update(read(p.parse_args().config))\n"
              "DataLoader(make('train'), batch_size=h['rows'], num_workers=h['hands'],\n"
              "           pin_memory=h['pinned'])\n"
              "torch.optim.SGD(model(), lr=h['speed'])\n"},
         {"conf/a.yaml", "rows: 3\npinned: true\n"},
         {"conf/other.yaml", "rows: 6\nspeed: 0.25\nparts:\n  - one\n"},
         {path, "# of a test\nrows: 6\n\npinned: true\nspeed: 0.25\n"}},
        asked);
  };
  for (const char* lines :
       {"    for line in Path(path).read_text(encoding='utf-8').splitlines():\n",
        "    for line in open(path).read().split('\\n'):\n", "    for line in open(path):\n",
        "    f = open(path)\n    for n, line in enumerate(f.readlines()):\n"}) {
    CAPTURE(lines);
    const Project each = project(lines, path);
    CHECK(each.fact("per_device_batch_size") == "6 stated conf/c.yaml:2");
    CHECK(each.fact("pin_memory") == "true code conf/c.yaml:4");
    CHECK(each.fact("learning_rate") == "0.25 stated conf/c.yaml:5");
    CHECK(each.fact("num_workers").starts_with("5 code train.py"));
    // What the reader cannot take apart is another program's.
    const Project other = project(lines, "conf/other.yaml");
    for (const Finding& found : other.result.findings) CHECK(found.rule != "stopped-by-own-code");
  }
}

TEST_CASE("a script that loads its config only without arguments names it in a module") {
  const Project project(
      {{".git/HEAD", ""},
       {"conf/base.yaml", "batch_size: 4\nlr: 0.25\nnum_epochs: 3\n"},
       {"conf/options.py",
        "import argparse\nfrom pathlib import Path\n"
        "def options():\n    parser = argparse.ArgumentParser()\n"
        "    parser.add_argument('-c', '--config', type=Path, default=Path('./base.yaml'))\n"
        "    parser.add_argument('--lr', type=float)\n    return parser.parse_args()\n"},
       {"conf/fit.py",
        "import sys, torch, yaml\nfrom options import options\n"
        "def main():\n    args = options()\n    if len(sys.argv) == 1:\n"
        "        with open(args.config) as f:\n            cfg = yaml.safe_load(f)\n"
        "    else:\n        cfg = vars(args)\n    net = torch.nn.Linear(2, 2)\n"
        "    optimizer = torch.optim.Adam(net.parameters(), lr=cfg['lr'])\n"
        "    for epoch in range(cfg['num_epochs']):\n"
        "        for x in torch.utils.data.DataLoader(data(), batch_size=cfg['batch_size']):\n"
        "            net(x).sum().backward()\n            optimizer.step()\n"
        "if __name__ == '__main__':\n    main()\n"}},
      "conf/base.yaml");
  CHECK(project.fact("optimizer") == "adam code conf/fit.py:11");
  CHECK(project.fact("num_workers").starts_with("0 code"));
}

TEST_CASE("a script beside a config of its own does not name the one of another folder") {
  const auto code = [](const std::string& rows) {
    return "import argparse, torch, yaml\nfrom torch.utils.data import DataLoader\n"
           "p = argparse.ArgumentParser()\np.add_argument('--config', default='config.yaml')\n"
           "c = yaml.safe_load(open(p.parse_args().config))\n"
           "loader = DataLoader(make('train'), batch_size=" +
           rows +
           ")\nopt = torch.optim.SGD(model.parameters(), lr=c['lr'])\n"
           "for x in loader:\n  model(x).backward()\n  opt.step()\n";
  };
  const std::string config = "lr: 0.5\nrows: 64\nepochs: 3\n";
  const Project project({{".git/HEAD", ""},
                         {"one/config.yaml", config},
                         {"one/main.py", code("32")},
                         {"two/config.yaml", config},
                         {"two/main.py", code("c['rows']")}},
                        "one/config.yaml");
  CHECK(project.fact("per_device_batch_size").starts_with("32 code one/main.py:6"));
}

TEST_CASE("a key whose value the code works out from means what comes of it") {
  const Project project({{".git/HEAD", ""},
                         {"train.py",
                          "import sys, yaml\nfrom transformers import Trainer, TrainingArguments\n"
                          "if __name__ == '__main__':\n"
                          "  cfg = yaml.safe_load(open(sys.argv[1]))\n"
                          "  Trainer(args=TrainingArguments(max_steps=10**cfg['train_steps'],\n"
                          "    per_device_train_batch_size=cfg['rows'])).train()\n"},
                         {"conf/a.yaml", "train_steps: 4\nlr: 0.1\nrows: 8\n"}},
                        "conf/a.yaml");
  CHECK(project.fact("max_steps") == "10000 code conf/a.yaml:1");
}

}  // namespace code_readers_test
