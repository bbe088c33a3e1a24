// Code that a command starts: launch scripts, lines in documents and names on the command line.

#include "run/resolved_run.h"
#include "unit/lint/code_project.h"

#include <doctest/doctest.h>

namespace started_code_test {

using namespace gpulint;
using Files = MemoryReader::Files;

TEST_CASE("an option called world_size that the code multiplies by its GPUs counts no ranks") {
  const auto ranks = [](const std::string& command, const std::string& made) {
    const Project project(
        {{".git/HEAD", ""},
         {"main.py",
          "import argparse, os, torch\nimport torch.multiprocessing as mp\n"
          "from torch.utils.data import DataLoader\n"
          "def worker(gpu, count, args):\n"
          "    torch.distributed.init_process_group('nccl', world_size=args.world_size)\n"
          "    model = make()\n"
          "    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)\n"
          "    for epoch in range(args.epochs):\n"
          "        for x in DataLoader(data(), batch_size=args.batch_size):\n"
          "            model(x).backward()\n"
          "            optimizer.step()\n"
          "def main():\n"
          "    parser = argparse.ArgumentParser()\n"
          "    parser.add_argument('--world-size', type=int, default=-1)\n"
          "    parser.add_argument('--lr', type=float, default=0.1)\n"
          "    parser.add_argument('--epochs', type=int, default=90)\n"
          "    parser.add_argument('--batch-size', type=int, default=256)\n"
          "    args = parser.parse_args()\n"
          "    count = torch.cuda.device_count()\n" +
              made +
              "    mp.spawn(worker, nprocs=count, args=(count, args))\n"
              "if __name__ == '__main__':\n    main()\n"},
         {"train.sh", command + " --lr 0.2\n"}},
        "train.sh");
    CHECK(project.fact("learning_rate").starts_with("0.2"));
    return project.fact("world_size");
  };
  const std::string option = "python main.py --world-size 2";
  CHECK(ranks(option, "    args.world_size = count * args.world_size\n") == "unknown");
  CHECK(ranks(option, "").starts_with("2 stated"));
  const std::string asks = "    args.world_size = int(os.environ['SLURM_NTASKS'])\n";
  CHECK(ranks("srun -n 4 python main.py", asks).starts_with("4 stated"));
}

TEST_CASE("a package of the project that is installed from a folder of its own is read") {
  const std::string engine =
      "import torch\ndef train(cfg, model):\n"
      "    for x in torch.utils.data.DataLoader(make('train'), num_workers=cfg['hands']):\n"
      "        model(x).backward()\n"
      "    torch.optim.SGD(model.parameters(), lr=cfg['lr'])\n";
  const auto workers = [&](Files files, const std::string& package) {
    files[".git/HEAD"] = "";
    files["conf/a.yaml"] = "batch_size: 8\nlr: 0.2\nhands: 3\n";
    files["bin/train.py"] =
        "import yaml, argparse\nfrom " + package + ".engine import train\n"
        "if __name__ == '__main__':\n    parser = argparse.ArgumentParser()\n"
        "    parser.add_argument('--config')\n"
        "    train(yaml.safe_load(open(parser.parse_args().config)), make_net())\n";
    return Project(std::move(files), "conf/a.yaml").fact("num_workers");
  };
  CHECK(workers({{"lib/setup.py", "setup()\n"}, {"lib/own/engine.py", engine}}, "own") ==
        "3 stated conf/a.yaml:3");
  CHECK(workers({{"lib/pyproject.toml", ""}, {"lib/src/own/engine.py", engine}}, "own") ==
        "3 stated conf/a.yaml:3");
  // A folder of the program's own that is called as the package holds none of its modules.
  CHECK(workers({{"own/setup.py", "setup()\n"}, {"own/own/engine.py", engine}}, "own") ==
        "3 stated conf/a.yaml:3");
  CHECK(workers({{"lib/own/engine.py", engine}}, "own") == "unknown");  // nothing installs it
  CHECK(workers({{"a/setup.py", "setup()\n"},
              {"a/own/engine.py", engine},
              {"b/setup.py", "setup()\n"},
              {"b/own/engine.py", engine}},
             "own") == "unknown");  // either may be installed
  // A copy of a library that is known already is left alone.
  CHECK(workers({{"lib/setup.py", "setup()\n"}, {"lib/transformers/engine.py", engine}},
             "transformers") == "unknown");
}

TEST_CASE("as many processes as the machine has GPUs run on one machine") {
  const auto nodes = [](const std::string& ranks) {
    return Project({{".git/HEAD", ""},
                    {"train.py",
                     "import os, torch\nimport torch.multiprocessing as mp\n"
                     "from torch.utils.data import DataLoader\n"
                     "def worker(gpu, ranks):\n"
                     "    torch.distributed.init_process_group('nccl', rank=gpu, world_size=ranks)\n"
                     "    model = make()\n"
                     "    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
                     "    for epoch in range(9):\n"
                     "        for x in DataLoader(data(), batch_size=8):\n"
                     "            model(x).backward()\n            optimizer.step()\n"
                     "if __name__ == '__main__':\n"
                     "    count = torch.cuda.device_count()\n"
                     "    mp.spawn(worker, nprocs=count, args=(" + ranks + ",))\n"}},
                   "train.py")
        .fact("nodes");
  };
  CHECK(nodes("count") == "1 code train.py:5");
  CHECK(nodes("count * int(os.environ['HOSTS'])") == "unknown");
  CHECK(nodes("torch.distributed.get_world_size()") == "unknown");
}

TEST_CASE("a program that a command gives the parts of a path loads what is included there") {
  const auto batch = [](const std::string& path) {
    return Project({{".git/HEAD", ""},
                    {"train.py",
                     "import argparse, yaml, torch\nfrom pathlib import Path\n"
                     "if __name__ == '__main__':\n    parser = argparse.ArgumentParser()\n"
                     "    parser.add_argument('--folder')\n    parser.add_argument('--name')\n"
                     "    args = parser.parse_args()\n"
                     "    with Path(" + path + ").open() as f:\n"
                     "        h = yaml.load(f, Loader=own_loader())\n"
                     "    torch.utils.data.DataLoader(make('train'), h['data']['size'])\n"
                     "    torch.optim.SGD(model(), lr=h['rate'])\n"},
                    {"conf/a.yaml", "rate: 0.1\ndata: !include parts/data.yaml\n"},
                    {"conf/parts/data.yaml", "size: 16\n"},
                    {"run.sh", "python train.py --folder conf --name a\n"}},
                   "run.sh")
        .fact("per_device_batch_size");
  };
  CHECK(batch("args.folder, f'{args.name}.yaml'") == "16 stated conf/parts/data.yaml:1");
  CHECK(batch("args.folder, other(), f'{args.name}.yaml'") == "unknown");
}

TEST_CASE("an option that a command shortens is the one that it begins") {
  const Project project(
      {{".git/HEAD", ""},
       {"tune.py",
        "import argparse, torch\nfrom torch.utils.data import DataLoader\n"
        "def main():\n"
        "    parser = argparse.ArgumentParser()\n"
        "    parser.add_argument('--learning_rate', type=float, default=0.1)\n"
        "    parser.add_argument('--workers_of_loader', type=int, default=1)\n"
        "    parser.add_argument('--workers', type=int, default=2)\n"
        "    parser.add_argument('-l', '--log')\n"
        "    args = parser.parse_args()\n"
        "    net = torch.nn.Linear(2, 2)\n"
        "    optimizer = torch.optim.SGD(net.parameters(), lr=args.learning_rate)\n"
        "    for x in DataLoader(data(), num_workers=args.workers_of_loader):\n"
        "        net(x).backward()\n"
        "        optimizer.step()\n"
        "if __name__ == '__main__':\n    main()\n"},
       {"run.sh", "python tune.py --learning 0.5 --workers 8 -l x\n"}},
      "run.sh");
  CHECK(project.fact("learning_rate") == "0.5 stated run.sh:1");
  CHECK(project.fact("num_workers") == "1 code tune.py:6");
}

TEST_CASE("a command that evaluates by a config says nothing of its training") {
  const std::string script =
      "import argparse, torch, yaml\nfrom torch.utils.data import DataLoader\n"
      "def main():\n"
      "    parser = argparse.ArgumentParser()\n"
      "    parser.add_argument('--config', required=True)\n"
      "    parser.add_argument('--lr', type=float, default=0.1)\n"
      "    parser.add_argument('--do_eval', type=bool, default=False)\n"
      "    args = parser.parse_args()\n"
      "    cfg = yaml.safe_load(open(args.config))\n"
      "    net = torch.nn.Linear(2, 2)\n"
      "    loader = DataLoader(data(), batch_size=cfg['batch_size'])\n"
      "    if args.do_eval: return net(next(iter(loader)))\n"
      "    optimizer = torch.optim.SGD(net.parameters(), lr=args.lr)\n"
      "    for x in loader:\n"
      "        net(x).backward()\n"
      "        optimizer.step()\n"
      "if __name__ == '__main__':\n    main()\n";
  const Project project(
      {{".git/HEAD", ""},
       {"main.py", script},
       {"configs/a.yaml", "batch_size: 8\n"},
       {"eval.sh", "python main.py --config configs/a.yaml --do_eval True --lr 0.5\n"},
       {"fit.sh", "python main.py --config configs/a.yaml --lr 0.2\n"}},
      "configs/a.yaml");
  CHECK(project.fact("learning_rate").starts_with("0.2"));
  CHECK(project.fact("parameters").starts_with("6 "));
  const Project alone({{".git/HEAD", ""},
                       {"main.py", script},
                       {"configs/a.yaml", "batch_size: 8\n"},
                       {"fit.sh", "python main.py --config configs/a.yaml --do_eval --lr 0.5\n"}},
                      "fit.sh");
  CHECK(alone.fact("learning_rate").starts_with("0.5"));  // once it has trained
}

TEST_CASE("names that a config sets in a dict of the code are read, with those of its bases") {
  Files files = {
      {".git/HEAD", ""},
      {"settings.py",
       "import os\n"
       "class Settings:\n"
       "    def __init__(self, path): self.load(path)\n"
       "    def load(self, path):\n"
       "        names = dict()\n"
       "        with open(path, 'r') as file:\n"
       "            exec(file.read(), names)\n"
       "        for base in names.pop('_base_', []):\n"
       "            self.load(os.path.join(os.path.dirname(path), base))\n"
       "        for key, value in names.items():\n"
       "            if not key.startswith('__') and not callable(value): setattr(self, key, value)\n"},
      {"train.py",
       "import torch\nfrom settings import Settings\n"
       "if __name__ == '__main__':\n"
       "    cfg = Settings('configs/a.py')\n"
       "    net = torch.nn.Linear(cfg.model['width'], cfg.rows)\n"
       "    optimizer = torch.optim.SGD(net.parameters(), lr=cfg.rate)\n"
       "    for x in loader():\n"
       "        net(x).backward()\n"
       "        optimizer.step()\n"},
      {"configs/base.py", "rows = 3\nrate = 0.2\nbatch_size = 4\n"},
      {"configs/a.py", "_base_ = ['base.py']\nmodel = dict(width=8)\nepochs = 2\n"}};
  const Project project(files, "configs/a.py");
  CHECK(project.fact("parameters").starts_with("27 "));
  files["other/b.py"] =
      "rows = 5\nrate = 0.3\nbatch_size = 7\nmodel = dict(width=2)\nepochs = 9\n";
  const Project other(files, "other/b.py");
  CHECK(other.fact("epochs") == "9 stated other/b.py:5");  // no base of the one that is named
  CHECK(other.fact("parameters") == "unknown");
}

TEST_CASE("an option of several numbers has all those that a command gives it") {
  const Project project(
      {{".git/HEAD", ""},
       {"tune.py",
        "import argparse, torch\n"
        "def main():\n"
        "    parser = argparse.ArgumentParser()\n"
        "    parser.add_argument('--widths', type=int, nargs='+', default=[4, 4])\n"
        "    args = parser.parse_args()\n"
        "    net = torch.nn.Linear(args.widths[0], args.widths[2])\n"
        "    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)\n"
        "    for x in loader():\n"
        "        net(x).backward()\n"
        "        optimizer.step()\n"
        "if __name__ == '__main__':\n    main()\n"},
       {"run.sh", "python tune.py --widths 8 9 3\n"}},
      "run.sh");
  CHECK(project.fact("parameters").starts_with("27 "));
}

TEST_CASE("the script that a command hands the config to is the one that is read") {
  const auto script = [](const std::string& workers) {
    return "import argparse, yaml, torch\n"
           "if __name__ == '__main__':\n"
           "    parser = argparse.ArgumentParser()\n    parser.add_argument('--config')\n"
           "    h = yaml.safe_load(open(parser.parse_args().config))\n"
           "    torch.utils.data.DataLoader(make('train'), h['batch_size'], num_workers=" +
           workers + ")\n    torch.optim.SGD(model(), lr=h['lr'])\n";
  };
  Files files = {{".git/HEAD", ""},
                 {"configs/c.yaml", "batch_size: 16\nlr: 0.1\n"},
                 {"train.py", script("3")},
                 {"tune.py", script("5")}};
  CHECK(Project(files, "configs/c.yaml").fact("num_workers") == "3 code train.py:6");
  files["run.sh"] = "python tune.py --config configs/c.yaml\n";
  CHECK(Project(files, "configs/c.yaml").fact("num_workers") == "5 code tune.py:6");
  files.erase("run.sh");
  files["README.md"] = "```\npython tune.py --config configs/c.yaml\n```\n";
  CHECK(Project(files, "configs/c.yaml").fact("num_workers") == "5 code tune.py:6");
}

TEST_CASE("options of a command reach the code that lays them over the config, short names too") {
  const Files files = {
      {".git/HEAD", ""},
      {"train.py",
       "import argparse, json, torch\nfrom torch.utils.data import DataLoader\n"
       "p = argparse.ArgumentParser()\np.add_argument('-c', '--config')\n"
       "p.add_argument('-b', '--rows', type=int, default=None)\n"
       "p.add_argument('--speed', type=float, default=None)\na = p.parse_args()\n"
       "h = json.load(open(a.config))\n"
       "if a.rows is not None:\n  h['data']['batch_size'] = a.rows\n"
       "if a.speed is not None:\n  h['lr'] = a.speed\n"
       "DataLoader(make('train'), batch_size=h['data']['batch_size'])\n"
       "torch.optim.SGD(model(), lr=h['lr'])\n"},
      {"conf/c.json", "{\"lr\": 0.25,\n\"epochs\": 4,\n\"data\": {\"batch_size\": 6}}\n"},
      {"jobs/run.sh", "python train.py -c conf/c.json -b 16\n"}};
  const Project started(files, "jobs/run.sh");
  CHECK(started.fact("per_device_batch_size") == "16 stated jobs/run.sh:1");
  CHECK(started.fact("learning_rate") == "0.25 stated conf/c.json:1");
}

TEST_CASE("a training script named on the command line is a run of its own defaults") {
  const Project project(
      {{"train.py",
        "import argparse, torch\nfrom torch.utils.data import DataLoader\n"
        "p = argparse.ArgumentParser()\np.add_argument('--bs', type=int, default=24)\n"
        "p.add_argument('--lr', type=float, default=2e-4)\nargs = p.parse_args()\n"
        "loader = DataLoader(train_set, batch_size=args.bs, num_workers=2)\n"
        "opt = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)\n"}},
      "train.py");
  CHECK(project.fact("per_device_batch_size") == "24 stated train.py:4");
  CHECK(project.fact("learning_rate") == "0.0002 stated train.py:5");
  CHECK(project.fact("momentum") == "0.9 code train.py:8");
}

TEST_CASE(
    "imports of a script named by an absolute path are looked for up to the root, and no further") {
  const Project project({{"/home/me/project/train.py",
                          "import nothing_here\nfrom torch.utils.data import DataLoader\n"
                          "loader = DataLoader(train_set, batch_size=24)\n"}},
                        "/home/me/project/train.py");
  CHECK(project.fact("per_device_batch_size") != "");
}

TEST_CASE("a command in a README fills in what the config leaves open, and overrules nothing") {
  const Files files = {{".git/HEAD", ""},
                       {"README.md",
                        "Train:\n```bash\ntorchrun --nproc_per_node 8 train.py --config c.yaml "
                        "--batch_size 4\n```\n"},
                       {"c.yaml", "batch_size: 32\nlr: 0.1\nepochs: 3\n"},
                       {"train.py", "import torch\n"}};
  const Project project(files, "c.yaml");
  CHECK(project.fact("per_device_batch_size") == "32 stated c.yaml:1");
  CHECK(project.fact("gpus_per_node") == "8 stated README.md:3");
}

TEST_CASE(
    "a command in a README with another batch says nothing of how many ranks the config is for") {
  const auto ranks = [](const std::string& flags) {
    return Project({{".git/HEAD", ""},
                    {"README.md",
                     "```\ntorchrun --nproc_per_node 4 --nnodes 1 tune.py --config configs/c.yaml" +
                         flags + "\n```\n"},
                    {"tune.py", "print('tune')\n"},
                    {"configs/c.yaml",
                     "per_device_train_batch_size: 1\ngradient_accumulation_steps: "
                     "2\nlearning_rate: 1e-4\n"
                     "num_train_epochs: 1\noutput_dir: out\n"}},
                   "configs/c.yaml")
        .fact("nodes");
  };
  CHECK(ranks("") == "1 stated README.md:2");
  CHECK(ranks(" --gradient_accumulation_steps 16") == "unknown");
}

TEST_CASE("a README that shows a program that does not train hides no fact of the one that does") {
  const Files files = {{".git/HEAD", ""},
                       {"README.md", "```\npython tools/show.py --config configs/c.yaml\n```\n"},
                       {"tools/show.py", "print('shows a config')\n"},
                       {"configs/c.yaml", "batch: 32\nrate: 0.1\nepochs: 3\n"},
                       {"train.py",
                        "import torch\nimport yaml\n"
                        "from torch.utils.data import DataLoader\n"
                        "cfg = yaml.safe_load(open('configs/c.yaml'))\n"
                        "loader = DataLoader(train_set, batch_size=cfg['batch'])\n"
                        "optimizer = torch.optim.SGD(net.parameters(), lr=cfg['rate'], "
                        "momentum=0.9)\n"
                        "for x, y in loader:\n"
                        "    loss = net(x, y)\n"
                        "    loss.backward()\n"
                        "    optimizer.step()\n"}};
  const Project project(files, "configs/c.yaml");
  CHECK(project.fact("momentum") == "0.9 code train.py:6");
}

TEST_CASE("a command in a README may show several configs at once") {
  const Files files = {
      {".git/HEAD", ""},
      {"README.md",
       "```sh\ntorchrun --nproc_per_node 8 train.py --config conf/{a,b}.yaml --rank 3\n```\n"},
      {"conf/a.yaml", "batch_size: 32\nlr: 0.1\nepochs: 3\n"},
      {"conf/b.yaml", "batch_size: 16\nlr: 0.2\nepochs: 3\n"},
      {"train.py", "import torch\n"}};
  for (const char* config : {"conf/a.yaml", "conf/b.yaml"}) {
    const Project project(files, config);
    CHECK(project.fact("gpus_per_node") == "8 stated README.md:2");
    CHECK(project.fact("learning_rate") == (std::string(config) == "conf/a.yaml"
                                                ? "0.1 stated conf/a.yaml:2"
                                                : "0.2 stated conf/b.yaml:2"));
  }
}

TEST_CASE("a script that is handed its config says how configs of the folder it speaks of start") {
  const auto with = [](const std::string& script) {
    return Files{{".git/HEAD", ""},
                 {"run.sh", script},
                 {"configs/sft/a.yaml", "batch_size: 32\nlr: 0.1\nepochs: 3\n"},
                 {"train.py", "import torch\n"}};
  };
  const auto gpus = [&](const std::string& script) {
    return Project(with(script), "configs/sft/a.yaml").fact("gpus_per_node");
  };
  CHECK(gpus("# run.sh configs/sft/NAME.yaml\ntorchrun --nproc_per_node 8 train.py \"$1\"\n") ==
        "8 stated run.sh:2");
  CHECK(gpus("torchrun --nproc_per_node 8 train.py --config configs/sft/$1.yaml\n") ==
        "8 stated run.sh:1");
  CHECK(gpus("# run.sh configs/dpo/NAME.yaml\ntorchrun --nproc_per_node 8 train.py \"$1\"\n") ==
        "unknown");
  CHECK(gpus("torchrun --nproc_per_node 8 train.py --config configs/dpo/$1.yaml\n") == "unknown");
  CHECK(gpus("# other.sh configs/sft/NAME.yaml\ntorchrun --nproc_per_node 8 train.py \"$1\"\n") ==
        "unknown");
}

TEST_CASE("a script that speaks of a folder is meant for configs in the folders below it too") {
  const Project project({{".git/HEAD", ""},
                         {"run.sh",
                          "# sh run.sh 8 configs/tuning/base.yaml\n"
                          "torchrun --nproc_per_node 4 train.py \"$2\"\n"},
                         {"configs/tuning/v2/a.yaml", "batch_size: 8\nlr: 0.1\nepochs: 3\n"}},
                        "configs/tuning/v2/a.yaml");
  CHECK(project.fact("gpus_per_node") == "4 stated run.sh:2");
}

TEST_CASE("each of several runs in a file is read by the script that takes its section") {
  const auto script = [](const std::string& section, const std::string& workers) {
    return "import sys, torch, yaml\nfrom torch.utils.data import DataLoader\n"
           "if __name__ == '__main__':\n  cfg = yaml.safe_load(open(sys.argv[1]))['" +
           section +
           "']\n  optimizer = torch.optim.SGD(p, lr=cfg['lr'])\n"
           "  for x in DataLoader(make('train'), batch_size=cfg['batch_size'], num_workers=" +
           workers + "):\n    loss(x).backward()\n    optimizer.step()\n";
  };
  for (const std::string naming : {"# a.yaml\n", "# any\n"}) {  // by name, or by lying near
    const Project project({{".git/HEAD", ""},
                           {"train_a.py", naming + script("stage1", "3")},
                           {"train_b.py", naming + script("stage2", "5")},
                           {"a.yaml",
                            "stage1:\n  lr: 0.1\n  batch_size: 8\n  epochs: 3\n"
                            "stage2:\n  lr: 0.2\n  batch_size: 4\n  epochs: 2\n"}},
                          "a.yaml");
    REQUIRE(project.result.files.front().plans.size() == 2);
    CHECK(project.fact("num_workers") == "3 code train_a.py:7");
    const Plan& second = *project.result.files.front().plans[1].plan;
    REQUIRE(second.facts.num_workers);
    CHECK(second.facts.num_workers->value == 5);
    CHECK(second.facts.per_device_batch_size->value == 4);
  }
}

TEST_CASE("words of a program outside the project are no config of the project's scripts") {
  const Files files = {{".git/HEAD", ""},
                       {"train.py",
                        "import argparse, yaml, torch\nif __name__ == '__main__':\n"
                        "  p = argparse.ArgumentParser()\n  p.add_argument('--config')\n"
                        "  cfg = yaml.safe_load(open(p.parse_args().config))\n"
                        "  opt = torch.optim.SGD(model.parameters(), lr=cfg['lr'])\n"
                        "  for x in data():\n    loss(x).backward()\n    opt.step()\n"},
                       {"run.sh", "python $TOOLS/learn.py --lr 0.1 --batch_size 4\n"}};
  const Project project(files, "run.sh");
  CHECK(project.fact("per_device_batch_size") == "4 stated run.sh:1");
  CHECK(project.fact("optimizer") == "unknown");
}

TEST_CASE("a Makefile and a Dockerfile start runs as a script does") {
  const auto fact = [](const std::string& file, const std::string& text, const std::string& name) {
    const Files files = {{".git/HEAD", ""},
                         {file, text},
                         {"configs/a.yaml", "batch_size: 32\nlr: 0.1\nepochs: 3\n"},
                         {"train.py", "import torch\n"}};
    return Project(files, "configs/a.yaml").fact(name);
  };
  CHECK(fact("Makefile",
             "GPUS ?= 8\ntrain:\n\ttorchrun --nproc_per_node $(GPUS) train.py --config "
             "configs/a.yaml\n",
             "gpus_per_node") == "8 stated Makefile:1");
  CHECK(fact("docker/Dockerfile",
             "FROM x\nCMD [\"torchrun\", \"--nproc_per_node\", \"4\", \"train.py\", "
             "\"--config\", \"configs/a.yaml\"]\n",
             "gpus_per_node") == "4 stated docker/Dockerfile:2");
}

TEST_CASE("a file of YAML that carries a command starts a run, with the config it names") {
  const std::string job =
      "resources:\n  accelerators: A10G:4\nrun: |\n  torchrun --nproc_per_node 4 train.py --config "
      "configs/a.yaml --lr 0.2\n";
  const Files files = {{".git/HEAD", ""},
                       {"job.yaml", job},
                       {"configs/a.yaml", "batch_size: 32\nlr: 0.1\nepochs: 3\n"},
                       {"train.py", "import torch\n"}};
  const Project project(files, "job.yaml");
  CHECK(project.fact("per_device_batch_size") == "32 stated configs/a.yaml:1");
  CHECK(project.fact("learning_rate") == "0.2 stated job.yaml:4");
  CHECK(project.fact("gpus_per_node") == "4 stated job.yaml:4");
  CHECK(project.fact("gpu") == "a10g stated job.yaml:2");
}

TEST_CASE("a trial that a workflow starts is judged where somebody names the file") {
  const Files files = {
      {"ci.yml",
       "jobs:\n  t:\n    steps:\n    - run: python train.py --workers 0 --persistent-workers "
       "--epochs 1 --lr 1 --batch-size 8\n"},
      {"a.yaml",
       "resources: {cloud: aws}\nrun: python train.py --workers 0 --persistent-workers "
       "--epochs 1 --lr 1 --batch-size 8\n"}};
  const MemoryReader reader(files);
  const auto linted = [&](const std::string& path, bool force_exclude) {
    LintRequest request;
    request.paths = {path};
    request.options.force_exclude = force_exclude;
    const LintResult result = lint(session_over(reader), request);
    return !result.findings.empty();
  };
  CHECK(linted("ci.yml", false));
  CHECK_FALSE(linted("ci.yml", true));
  CHECK(linted("a.yaml", true));
}

TEST_CASE("a finding in a config that a command starts is of the script's run") {
  const MemoryReader reader(
      Files{{".git/HEAD", ""},
            {"a.yaml", "batch_size: 8\nlr: 0.1\nepochs: 3\npersistent_workers: true\n"},
            {"run.sh", "python train.py --config a.yaml --num_workers 0\n"}});
  LintRequest request;
  request.paths = {"."};
  const LintResult result = lint(session_over(reader), request);
  REQUIRE(!result.findings.empty());
  for (const Finding& finding : result.findings)
    CHECK(finding.runs == std::vector<std::string>{"run.sh"});
}

TEST_CASE("a command chooses an option of a group and changes a key of it") {
  const Files files = {
      {".git/HEAD", ""},
      {"conf/config.yaml", "defaults:\n  - data: small\n  - _self_\nlr: 0.1\nepochs: 3\n"},
      {"conf/data/small.yaml", "batch_size: 4\nnum_workers: 1\n"},
      {"conf/data/big.yaml", "batch_size: 64\nnum_workers: 8\n"},
      {"train.py",
       "import hydra\n@hydra.main(config_path='conf', config_name='config')\n"
       "def main(cfg): pass\nmain()\n"}};
  for (const std::string words :
       {"data=big", "data=big ++data.drop_last=true", "++data.drop_last=true data=big lr=0.2"}) {
    CAPTURE(words);
    Files with = files;
    with["run.sh"] = "python train.py " + words + "\n";
    const Project project(with, "run.sh");
    CHECK(project.fact("per_device_batch_size") == "64 stated conf/data/big.yaml:1");
    CHECK(project.fact("num_workers") == "8 stated conf/data/big.yaml:2");
    const bool drops = words.find("drop_last") != std::string::npos;
    CHECK(project.fact("drop_last") == (drops ? "true stated run.sh:1" : "unknown"));
  }
}

TEST_CASE(
    "a file to lay over all that no config names is of the run that a command chooses it for") {
  const Files files = {
      {".git/HEAD", ""},
      {"conf/config.yaml",
       "defaults:\n  - task: small\n  - _self_\nlr: 0.1\nepochs: 3\nnum_workers: 2\n"},
      {"conf/task/small.yaml", "# @package _global_\nbatch_size: 4\naccumulation: 1\n"},
      {"conf/task/big.yaml", "# @package _global_\nbatch_size: 64\naccumulation: 2\n"},
      {"conf/more/long.yaml", "# @package _global_\nepochs: 9\n"},
      {"train.py",
       "import hydra\nfrom torch.utils.data import DataLoader\nimport torch\n"
       "@hydra.main(config_path='conf', config_name='config')\n"
       "def main(cfg):\n"
       "    rows = cfg.batch_size // cfg.accumulation\n"
       "    loader = DataLoader(make('train'), batch_size=rows, num_workers=cfg.num_workers)\n"
       "    opt = torch.optim.SGD(model.parameters(), lr=cfg.lr)\n"
       "main()\n"}};
  const Project chosen(files, "conf/task/big.yaml");
  CHECK(chosen.fact("per_device_batch_size") == "32 code conf/task/big.yaml:2");
  CHECK(chosen.fact("learning_rate") == "0.1 stated conf/config.yaml:4");
  CHECK(chosen.fact("epochs") == "3 stated conf/config.yaml:5");
  const Project over(files, "conf/more/long.yaml");
  CHECK(over.fact("epochs") == "9 stated conf/more/long.yaml:2");
  CHECK(over.fact("num_workers") == "2 stated conf/config.yaml:6");
}

TEST_CASE("the program of a config's own name, or of its target, is the one that reads it") {
  const auto program = [](const std::string& workers) {
    return "import hydra, pathlib, torch\nfrom torch.utils.data import DataLoader\n"
           "class Work:\n    def __init__(self, cfg):\n"
           "        DataLoader(make('train'), batch_size=cfg.rows, num_workers=" +
           workers +
           ")\n        torch.optim.SGD(model.parameters(), lr=cfg.speed)\n"
           "@hydra.main(config_path='../conf', config_name=pathlib.Path(__file__).stem)\n"
           "def main(cfg): Work(cfg)\nmain()\n";
  };
  const Files files = {{".git/HEAD", ""},
                       {"conf/b_train.yaml", "rows: 4\nspeed: 0.1\n"},
                       {"conf/other.yaml", "_target_: work.b_train.Work\nrows: 4\nspeed: 0.1\n"},
                       {"work/a_train.py", program("1")},
                       {"work/b_train.py", program("2")}};
  CHECK(Project(files, "conf/b_train.yaml").fact("num_workers") == "2 code work/b_train.py:5");
  CHECK(Project(files, "conf/other.yaml").fact("num_workers") == "2 code work/b_train.py:5");
}

TEST_CASE("a decorator may name the config's file where it names the folder") {
  const Project project(
      {{".git/HEAD", ""},
       {"conf/config.yaml", "batch_size: 4\nnum_workers: 1\nlr: 0.1\nepochs: 3\n"},
       {"train.py",
        "import hydra\n@hydra.main(config_path='conf/config.yaml')\ndef main(cfg): pass\nmain()\n"},
       {"run.sh", "python train.py epochs=250\n"}},
      "run.sh");
  CHECK(project.fact("epochs") == "250 stated run.sh:1");
  CHECK(project.fact("num_workers") == "1 stated conf/config.yaml:2");
}

TEST_CASE("a notebook is a run by what its calls say") {
  const Files files = {
      {".git/HEAD", ""},
      {"conf.py", "prefetch_factor = 2\nbatch_size = 64\n"},
      {"a.ipynb",
       "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\n\"from conf import *\\n\",\n"
       "\"import torch\\n\",\n"
       "\"loader = torch.utils.data.DataLoader(train_set, batch_size=8)\\n\",\n"
       "\"torch.optim.SGD(make(), lr=0.5)\"\n]}], \"nbformat\": 4}"}};
  const Project project(files, "a.ipynb");
  CHECK(project.fact("per_device_batch_size") == "8 code a.ipynb:4");
}

TEST_CASE("names at the top of a script are no keys of a framework") {
  const Files files = {
      {".git/HEAD", ""},
      {"train.py",
       "import torch\nfrom torch.utils.data import DataLoader\nbatch_size = 3\nmodel = None\n"
       "optimizer = None\ndef main():\n    loader = DataLoader(make('train'), batch_size=8,\n"
       "        num_workers=0)\n    torch.optim.SGD(model, lr=0.1)\n"
       "if __name__ == '__main__':\n    main()\n"}};
  CHECK(Project(files, "train.py").fact("per_device_batch_size") == "8 code train.py:7");
}

TEST_CASE(
    "what an argument in the code says is judged like a key, what a call does without it is not") {
  const auto rules = [](const std::string& workers) {
    const MemoryReader reader(
        Files{{".git/HEAD", ""},
              {"train.py",
               "import torch\nfrom torch.utils.data import DataLoader\n"
               "from torchvision.datasets import ImageFolder\ndef main():\n"
               "    loader = DataLoader(ImageFolder('train'), batch_size=8, shuffle=True" +
                   workers +
                   ")\n    torch.optim.SGD(make().parameters(), lr=0.1)\n"
                   "if __name__ == '__main__':\n    main()\n"}});
    LintRequest request;
    request.paths = {"train.py"};
    const LintResult result = lint(session_over(reader), request);
    std::string names;
    for (const Finding& finding : result.findings) {
      const SourceText& source = result.sources[finding.span.file];
      names += finding.rule + " " + source.path + ":" +
               std::to_string(source.lines.at(source.text, finding.span.begin).line) + "\n";
    }
    return names;
  };
  CHECK(rules(", num_workers=0") == "no-loader-workers train.py:5\n");
  CHECK(rules("").empty());
}

TEST_CASE("a training script that holds all in its functions is a run") {
  const Files files = {
      {".git/HEAD", ""},
      {"train.py",
       "from transformers import TrainingArguments, Trainer\ndef main():\n"
       "    args = TrainingArguments(output_dir='o', per_device_train_batch_size=4,\n"
       "                             learning_rate=2e-4, num_train_epochs=3)\n"
       "    Trainer(model=make(), args=args).train()\nif __name__ == '__main__':\n    main()\n"}};
  const Project project(files, "train.py");
  CHECK(project.fact("per_device_batch_size") == "4 code train.py:3");
  CHECK(project.fact("learning_rate") == "0.0002 code train.py:4");
}

TEST_CASE("a script that starts no training is no config, whatever its ending") {
  for (const std::string name : {"a.sh", "a.slurm", "Makefile", "Dockerfile"}) {
    const MemoryReader reader({{name, "all:\n\techo \"a: b: c\"\n"}});
    LintRequest request;
    request.paths = {name};
    const LintResult result = lint(session_over(reader), request);
    CHECK(result.findings.empty());
    CHECK(result.errors.empty());
  }
}

TEST_CASE("no GPU on a command line may be the first one") {
  const Files files = {{".git/HEAD", ""},
                       {"run.sh", "python train.py --lr 0.1 --batch_size 8 --epochs 3 --gpus 0\n"}};
  CHECK(Project(files, "run.sh").fact("accelerator") == "unknown");
  CHECK(Project(files, "run.sh").fact("gpus_per_node") == "unknown");
}

TEST_CASE("a default does not fill what the scripts of a file disagree on") {
  const auto script = [](const std::string& steps) {
    return "accelerate launch --config_file a.json train.py --learning_rate 1e-4 "
           "--per_device_train_batch_size 2 --num_train_epochs 1" +
           steps + "\n";
  };
  Files files = {{".git/HEAD", ""},
                 {"a.json",
                  "{\"compute_environment\": \"LOCAL_MACHINE\", \"distributed_type\": \"FSDP\","
                  "\"num_machines\": 1, \"num_processes\": 8, \"fsdp_config\": {}}"},
                 {"one.sh", script(" --gradient_accumulation_steps 2")},
                 {"other.sh", script(" --gradient_accumulation_steps 4")}};
  CHECK(Project(files, "a.json").fact("gradient_accumulation_steps") == "unknown");
  files["one.sh"] = script(" --gradient_accumulation_steps 1");
  files["other.sh"] = script("");
  CHECK(Project(files, "a.json").fact("gradient_accumulation_steps").starts_with("1 "));
}

TEST_CASE("a value that nobody reads may name the weights' format, their quantization or an adapter") {
  const auto resolved = [](const std::string& line) {
    const Project project({{"c.yaml",
                            "model: meta-llama/Llama-3.1-8B\nper_device_batch_size: 1\n"
                            "learning_rate: 1e-4\nepochs: 3\nmixed_precision: none\n" +
                                line}},
                          "c.yaml");
    REQUIRE(project.plan() != nullptr);
    const ResolvedRun run = ResolvedRun::of(*project.plan(), nullptr, {});
    return project.fact("weights_dtype").substr(0, 7) +
           (run.may_be_quantized() ? ", quantized" : "") +
           (run.adapter().present ? ", adapter" : "");
  };
  CHECK(resolved("") == "fp32 as");
  CHECK(resolved("bit: bfloat16\n") == "unknown");
  CHECK(resolved("bit: 4\n") == "unknown, quantized");
  CHECK(resolved("bit: 32\n") == "fp32 as");
  CHECK(resolved("way: hqq_dora\n") == "unknown, quantized, adapter");
  CHECK(resolved("with_peft: conf/own.yaml\n") == "fp32 as, adapter");
}

TEST_CASE("a launcher's ranks count where only the code shows that its program trains") {
  const Project project(
      {{".git/HEAD", ""},
       {"run.sh", "torchrun --nnodes 1 --nproc_per_node 4 tune.py --batch_size 8\n"},
       {"tune.py",
        "import argparse, torch\ndef main():\n    p = argparse.ArgumentParser()\n"
        "    p.add_argument('--batch_size', type=int)\n    a = p.parse_args()\n"
        "    opt = torch.optim.AdamW(net.parameters(), lr=1e-5)\n"
        "    for x in torch.utils.data.DataLoader(data(), batch_size=a.batch_size):\n"
        "        net(x).backward()\n        opt.step()\n"
        "if __name__ == '__main__':\n    main()\n"}},
      "run.sh");
  CHECK(project.fact("learning_rate") == "1e-05 code tune.py:6");
  CHECK(project.fact("gpus_per_node") == "4 stated run.sh:1");
}

TEST_CASE("a program that only loads a quantized model starts no training") {
  const Project project(
      {{".git/HEAD", ""},
       {"run.sh", "#SBATCH --gres=gpu:1\npython3 -m own.tune.run_eval --model a --n 10\n"},
       {"own/__init__.py", ""},
       {"own/tune/run_eval.py",
        "import argparse, torch\nfrom transformers import AutoModelForCausalLM, "
        "BitsAndBytesConfig\nfrom own import train\ndef main():\n"
        "    p = argparse.ArgumentParser()\n    p.add_argument('--model')\n"
        "    p.add_argument('--n', type=int)\n    a = p.parse_args()\n"
        "    q = BitsAndBytesConfig(load_in_4bit=True)\n"
        "    m = AutoModelForCausalLM.from_pretrained(a.model, quantization_config=q)\n"
        "    for i in range(a.n):\n        print(m.generate())\n"
        "if __name__ == '__main__':\n    main()\n"}},
      "run.sh");
  CHECK(project.plan() == nullptr);
}

TEST_CASE("a program that leaves its optimizer to DeepSpeed trains") {
  const Project project(
      {{".git/HEAD", ""},
       {"ds.json",
        "{\"train_batch_size\": 32, \"optimizer\": {\"type\": \"AdamW\", \"params\": {\"lr\": 3e-5}}}"},
       {"run.sh", "torchrun --nproc_per_node 4 tune.py --batch_size 8 --ds ds.json\n"},
       {"tune.py",
        "import argparse, deepspeed, torch\ndef main():\n    p = argparse.ArgumentParser()\n"
        "    p.add_argument('--batch_size', type=int)\n    p.add_argument('--ds')\n"
        "    a = p.parse_args()\n"
        "    engine, _, _, _ = deepspeed.initialize(config_params=a.ds, model=net,\n"
        "                                           model_parameters=net.parameters())\n"
        "    for x in torch.utils.data.DataLoader(data(), batch_size=a.batch_size):\n"
        "        engine.backward(engine(x))\n        engine.step()\n"
        "if __name__ == '__main__':\n    main()\n"}},
      "run.sh");
  CHECK(project.fact("per_device_batch_size") == "8 stated run.sh:1");
  CHECK(project.fact("learning_rate").starts_with("3e-05"));
  CHECK(project.fact("gpus_per_node") == "4 stated run.sh:1");
}

TEST_CASE("a program that trains by itself is no config of the scripts beside it") {
  const auto script = [](const std::string& quantization, const std::string& rate) {
    return "from transformers import AutoModelForCausalLM, Trainer, TrainingArguments\n"
           "from transformers import BitsAndBytesConfig\nlearning_rate = " +
           rate +
           "\nper_device_train_batch_size = 1\nmax_steps = 100\n"
           "unused = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type='nf4')\n"
           "model = AutoModelForCausalLM.from_pretrained('org/a', load_in_" +
           quantization +
           "=True)\n"
           "args = TrainingArguments(output_dir='o', learning_rate=learning_rate, fp16=True,\n"
           "    per_device_train_batch_size=per_device_train_batch_size, max_steps=max_steps)\n"
           "Trainer(model=model, args=args).train()\n";
  };
  const Project project({{".git/HEAD", ""},
                         {"examples/tune1.py", script("8bit", "2e-4")},
                         {"examples/tune2.py", script("4bit", "1e-3")}},
                        "examples/tune1.py");
  CHECK(project.fact("quantization").starts_with("8bit code examples/tune1.py"));
  CHECK(project.fact("mixed_precision").starts_with("fp16"));
  CHECK(project.fact("learning_rate").starts_with("0.0002"));
}

TEST_CASE("flags of accelerate's launcher beat the file that it is given") {
  const auto files = [](const std::string& flags) {
    return Files{{".git/HEAD", ""},
                 {"a.yaml",
                  "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\n"
                  "num_machines: 1\nnum_processes: 2\ndeepspeed_config:\n  zero_stage: 3\n"},
                 {"run.sh", "accelerate launch --config_file a.yaml" + flags +
                                " train.py --learning_rate 1e-4 "
                                "--per_device_train_batch_size 2 --num_train_epochs 1\n"}};
  };
  CHECK(Project(files(""), "run.sh").fact("world_size") == "2 stated a.yaml:4");
  CHECK(Project(files(" --num_processes 8"), "run.sh").fact("world_size") == "8 stated run.sh:1");
  CHECK(Project(files(" --num_processes $N"), "run.sh").fact("world_size") == "unknown");
  CHECK(Project(files(" --num_processes 8"), "run.sh").fact("sharding_stage") ==
        "3 stated a.yaml:6");
}

TEST_CASE("a script that is handed its config and its ranks says nothing of nodes") {
  Files files = {{".git/HEAD", ""},
                 {"conf/sft/a.yaml",
                  "per_device_train_batch_size: 2\nlearning_rate: 1e-4\nnum_train_epochs: 1\n"},
                 {"run.sh", ""}};
  const std::string usage = "# sh run.sh 8 conf/sft/a.yaml\n";
  files["run.sh"] =
      usage + "accelerate launch --num_machines 1 --num_processes $1 train.py \"$2\"\n";
  CHECK(Project(files, "conf/sft/a.yaml").fact("nodes") == "unknown");
  files["run.sh"] =
      usage + "accelerate launch --num_machines 2 --num_processes 16 train.py \"$2\"\n";
  CHECK(Project(files, "conf/sft/a.yaml").fact("nodes") == "2 stated run.sh:2");
}

TEST_CASE("what is left out of a large script is said, and the rest is judged") {
  const std::string command =
      "torchrun --nproc_per_node 8 train.py --learning_rate 1e-4 --num_train_epochs 1\n";
  const std::string line = "# " + std::string(998, 'x') + "\n";
  std::string text = command;
  for (int i = 0; i < 1100; ++i) text += line;
  const Project project({{".git/HEAD", ""}, {"run.sh", text}}, "run.sh");
  CHECK(project.fact("learning_rate") == "0.0001 stated run.sh:1");
  REQUIRE(project.result.findings.size() == 1);
  CHECK(project.result.findings.front().rule == "limit-exceeded");
  CHECK(project.result.findings.front().severity == Severity::note);
  CHECK(project.result.findings.front().message ==
        "more than 1 MiB; the rest of the script was left out");
}

TEST_CASE("options that all modules of a program share are read where they are defined") {
  const Files files = {
      {".git/HEAD", ""},
      {"options.py",
       "from absl import flags\nFLAGS = flags.FLAGS\n"
       "flags.DEFINE_float('speed', 0.25, 'rate')\nflags.DEFINE_integer('rows', 6, 'batch')\n"
       "flags.DEFINE_bool('train', False, 'train')\n"},
      {"main.py",
       "import torch, options\nfrom absl import app, flags\nFLAGS = flags.FLAGS\n"
       "def main(argv):\n  if FLAGS.train:\n"
       "    torch.utils.data.DataLoader(make('train'), batch_size=FLAGS.rows)\n"
       "    torch.optim.SGD(model(), lr=FLAGS.speed)\n"
       "if __name__ == '__main__':\n  app.run(main)\n"},
      {"run.sh", "python main.py --train --rows 8\n"}};
  const Project project(files, "run.sh");
  CHECK(project.fact("per_device_batch_size") == "8 stated run.sh:1");
  CHECK(project.fact("learning_rate") == "0.25 code options.py:3");
}

TEST_CASE("a program that refuses to start without an option is read with any") {
  const Project project(
      {{".git/HEAD", ""},
       {"conf/c.yaml", "rows: 6\nspeed: 0.25\n"},
       {"train.py",
        "import argparse, torch, yaml\nfrom torch.utils.data import DataLoader\n"
        "def main():\n  p = argparse.ArgumentParser()\n  p.add_argument('--config')\n"
        "  p.add_argument('--data', default=None)\n  p.add_argument('--hands', default=3)\n"
        "  a = p.parse_args()\n  if a.data is None:\n    raise ValueError('no data')\n"
        "  h = yaml.safe_load(open(a.config))\n"
        "  DataLoader(make('train'), batch_size=h['rows'], num_workers=a.hands)\n"
        "  torch.optim.SGD(model(), lr=h['speed'])\n"
        "if __name__ == '__main__':\n  main()\n"}},
      "conf/c.yaml");
  CHECK(project.fact("per_device_batch_size") == "6 stated conf/c.yaml:1");
  CHECK(project.fact("num_workers") == "3 code train.py:7");
}

TEST_CASE("a program that refuses an empty default is read as if it were given") {
  const Project project(
      {{"train.py",
        "import argparse, torch\nfrom torch.utils.data import DataLoader\n"
        "def load(folder, rows):\n  if not folder:\n    raise ValueError('no data')\n"
        "  while True:\n    yield from DataLoader(make('train'), batch_size=rows)\n"
        "def main():\n  p = argparse.ArgumentParser()\n"
        "  for name, value in dict(folder='', rows=6, half=False).items():\n"
        "    p.add_argument('--' + name, default=value, type=type(value))\n"
        "  a = p.parse_args()\n  data = load(a.folder, a.rows)\n"
        "  with torch.autocast('cuda', enabled=a.half):\n    loss(data).backward()\n"
        "  torch.optim.SGD(model(), lr=0.25)\n"
        "if __name__ == '__main__':\n  main()\n"}},
      "train.py");
  CHECK(project.fact("per_device_batch_size") == "6 code train.py:10");
  CHECK(project.fact("mixed_precision") == "none code train.py:10");
}

TEST_CASE("a loader that a generator makes is one of the run") {
  const Project project(
      {{"train.py",
        "import torch\nfrom torch.utils.data import DataLoader\n"
        "def load_data(rows):\n  loader = DataLoader(make('train'), batch_size=rows)\n"
        "  while True:\n    yield from loader\n"
        "if __name__ == '__main__':\n  data = load_data(6)\n"
        "  torch.optim.SGD(model(), lr=0.1)\n"}},
      "train.py");
  CHECK(project.fact("per_device_batch_size") == "6 code train.py:8");
}

TEST_CASE("the code of a module and of an installed command is read") {
  Files files = {
      {".git/HEAD", ""},
      {"setup.py", "setup(entry_points={'console_scripts': ['own-train=own.bin.train:main']})\n"},
      {"own/bin/train.py",
       "import torch\nfrom torch.utils.data import DataLoader\n"
       "def main():\n  DataLoader(make('train'), batch_size=6, num_workers=3)\n"
       "  torch.optim.SGD(model(), lr=0.25)\n"
       "if __name__ == '__main__':\n  main()\n"},
      {"run.sh", "python -m own.bin.train --epochs 4\n"}};
  CHECK(Project(files, "run.sh").fact("learning_rate") == "0.25 code own/bin/train.py:5");
  files["run.sh"] = "own-train --epochs 4\n";
  CHECK(Project(files, "run.sh").fact("num_workers") == "3 code own/bin/train.py:4");
}

TEST_CASE("a wrapper of jobs has a log before the command that it runs") {
  const Project project({{".git/HEAD", ""},
                         {"cmd.sh", "export cuda_cmd=\"utils/run.pl\"\n"},
                         {"run.sh",
                          ". ./cmd.sh\n${cuda_cmd} --gpu 2 exp/train.log \\\n  python train.py "
                          "--lr 0.25 --epochs 4\n"}},
                        "run.sh");
  CHECK(project.fact("learning_rate") == "0.25 stated run.sh:3");
  CHECK(project.fact("gpus_per_node") == "2 stated run.sh:2");
}

TEST_CASE("options that a library adds to a parser leave it open") {
  const Project project(
      {{".git/HEAD", ""},
       {"train.py",
        "import argparse, deepspeed, torch\n"
        "p = argparse.ArgumentParser()\np.add_argument('--speed', type=float, default=0.5)\n"
        "p = deepspeed.add_config_arguments(p)\na = p.parse_args()\n"
        "torch.optim.SGD(model(), lr=a.speed)\n"},
       {"run.sh", "python train.py --speed 0.25 --deepspeed_config none.json --epochs 4\n"}},
      "run.sh");
  CHECK(project.fact("learning_rate") == "0.25 stated run.sh:1");
  CHECK(project.result.findings.empty());
}

TEST_CASE("a config that a script executes sets the script's own names") {
  const Project project({{".git/HEAD", ""},
                         {"config/small.py", "batch_size = 6\nlearning_rate = 0.25\n"},
                         {"train.py",
                          "import torch\nbatch_size = 12\nlearning_rate = 0.5\nspeed = 0.001\n"
                          "exec(open('configurator.py').read())\n"
                          "torch.utils.data.DataLoader(make('train'), batch_size, num_workers=3)\n"
                          "torch.optim.AdamW(model(), lr=learning_rate, eps=speed)\n"
                          "for step in range(9):\n  loss().backward()\n"
                          "if __name__ == '__main__':\n  pass\n"}},
                        "config/small.py");
  CHECK(project.fact("per_device_batch_size") == "6 stated config/small.py:1");
  CHECK(project.fact("num_workers") == "3 code train.py:6");
  CHECK(project.fact("optimizer_epsilon") == "0.001 code train.py:4");
}

TEST_CASE("a component of a scheduler says how many nodes start how many processes") {
  const Project project({{".git/HEAD", ""},
                         {"run.sh",
                          "torchx run -s slurm dist.ddp -j 2x4 --script train.py -- --lr 0.25 "
                          "--epochs 4\n"}},
                        "run.sh");
  CHECK(project.fact("nodes") == "2 stated run.sh:1");
  CHECK(project.fact("gpus_per_node") == "4 stated run.sh:1");
  CHECK(project.fact("learning_rate") == "0.25 stated run.sh:1");
}

TEST_CASE("of a list of configs the later ones lie over the first") {
  const Project project(
      {{".git/HEAD", ""},
       {"conf/train.yaml", "batch_size: 6\nlr: 0.25\nepochs: 4\n"},
       {"conf/more.yaml", "epochs: 9\n"},
       {"run.sh", "python train.py --config_file \"['conf/train.yaml', 'conf/more.yaml']\"\n"}},
      "run.sh");
  CHECK(project.fact("learning_rate") == "0.25 stated conf/train.yaml:2");
  CHECK(project.fact("epochs") == "9 stated conf/more.yaml:1");
}

TEST_CASE("many scripts near a config do not hide the one farther away that trains with it") {
  Files files = {
      {".git/HEAD", ""},
      {"egs/a/conf/c.yaml", "batch_size: 6\nspeed: 0.25\n"},
      {"own/bin/train.py",
       "import argparse, torch, yaml\np = argparse.ArgumentParser()\np.add_argument('--config')\n"
       "h = yaml.safe_load(open(p.parse_args().config))\n"
       "torch.utils.data.DataLoader(make('train'), batch_size=h['batch_size'])\n"
       "torch.optim.SGD(model(), lr=h['speed'])\n"}};
  for (int i = 0; i < 40; ++i)
    files["egs/a/local/s" + std::to_string(i) + ".py"] =
        "if __name__ == '__main__':\n  print('training set')\n";
  CHECK(Project(files, "egs/a/conf/c.yaml").fact("learning_rate") ==
        "0.25 stated egs/a/conf/c.yaml:2");
}

TEST_CASE("a launcher starts more ranks than a config that counts one says") {
  const auto ranks = [](const std::string& written) {
    const Project project(
        {{".git/HEAD", ""},
         {"c.yaml", "batch_size: 8\nlearning_rate: 0.1\nepochs: 3\nworld_size: " + written + "\n"},
         {"run.sh", "torchrun --nproc_per_node=4 train.py --config c.yaml\n"}},
        "run.sh");
    return project.fact("world_size");
  };
  CHECK(ranks("1").starts_with("4 "));
  CHECK(ranks("8") == "8 stated c.yaml:4");  // two nodes
}

TEST_CASE(
    "a rate that the code multiplies by the ranks is worked out where a launcher counts them") {
  const auto rate = [](const std::string& command, const std::string& before) {
    const Project project(
        {{".git/HEAD", ""},
         {"run.sh", command + "\n"},
         {"train.py",
          "import argparse\nimport torch\nimport torch.distributed as dist\n"
          "def ranks():\n  if not dist.is_initialized():\n    return 1\n"
          "  return dist.get_world_size()\n"
          "def main():\n  parser = argparse.ArgumentParser()\n"
          "  parser.add_argument('--batch_size', type=int, default=64)\n"
          "  parser.add_argument('--steps', type=int, default=1)\n"
          "  parser.add_argument('--lr', type=float, default=None)\n"
          "  parser.add_argument('--blr', type=float, default=1e-3)\n"
          "  args = parser.parse_args()\n  dist.init_process_group('nccl')\n" +
              before +
              "  net = torch.nn.Linear(2, 2)\n"
              "  opt = torch.optim.AdamW(net.parameters(), lr=args.lr)\n"
              "  data = torch.utils.data.DataLoader([1], batch_size=args.batch_size)\n"
              "  for x in data:\n    net(x).backward()\n    opt.step()\n"
              "if __name__ == '__main__':\n  main()\n"}},
        "run.sh");
    return project.fact("learning_rate");
  };
  const std::string base =
      "  rows = args.batch_size * args.steps * ranks()\n"
      "  if args.lr is None:\n    args.lr = args.blr * rows / 256\n";
  const std::string on_all = "torchrun --nnodes=2 --nproc_per_node=4 train.py --batch_size 32";
  CHECK(rate(on_all, base) == "0.001 derived");
  CHECK(rate(on_all + " --blr 0.5 --steps 2", base) == "1 derived");
  CHECK(rate(on_all + " --lr 0.25", base) == "0.25 stated run.sh:1");
  CHECK(rate("torchrun --nproc_per_node=$GPUS train.py", base) == "unknown");
  const std::string scaled = "  args.lr = args.lr * args.batch_size * ranks() / 512.0\n";
  CHECK(rate(on_all + " --lr 0.25", scaled) == "0.125 derived");
  CHECK(rate("torchrun --nproc_per_node=$GPUS train.py --lr 0.25", scaled) == "unknown");
  const std::string machines = "  args.lr = args.blr * torch.cuda.device_count()\n";
  CHECK(rate(on_all, machines) == "unknown");  // of one machine, or of one process
}

TEST_CASE("a warm-up times the processes of Accelerate is of as many steps as it is told") {
  const auto warmup = [](const std::string& ranks) {
    const Project project(
        {{".git/HEAD", ""},
         {"run.sh", "python train.py --warm 50\n"},
         {"train.py",
          "import argparse\nimport torch\nimport torch.distributed as dist\n"
          "from accelerate import Accelerator\n"
          "from transformers import get_scheduler\n"
          "def main():\n  parser = argparse.ArgumentParser()\n"
          "  parser.add_argument('--warm', type=int, default=10)\n"
          "  args = parser.parse_args()\n  accelerator = Accelerator()\n"
          "  net = torch.nn.Linear(2, 2)\n"
          "  opt = torch.optim.AdamW(net.parameters(), lr=1e-3)\n"
          "  turn = get_scheduler('linear', opt, num_warmup_steps=args.warm * " +
              ranks +
              ")\n"
              "  for x in torch.utils.data.DataLoader([1], batch_size=4):\n"
              "    accelerator.backward(net(x))\n    opt.step()\n"
              "if __name__ == '__main__':\n  main()\n"}},
        "run.sh");
    return project.fact("warmup_steps");
  };
  CHECK(warmup("accelerator.num_processes") == "50 code run.sh:1");
  CHECK(warmup("dist.get_world_size()") == "unknown");
}

TEST_CASE("a config that many commands start is judged as what some of them agree on") {
  std::string commands;
  for (int seed = 0; seed < 40; ++seed)
    commands += "python train.py --config conf/a.yaml --rate 0.5 --seed " +
                std::to_string(seed) + "\n";
  const Project project(
      {{".git/HEAD", ""},
       {"conf/a.yaml", "epochs: 3\nbatch_size: 4\n"},
       {"run.sh", commands},
       {"train.py",
        "import argparse, torch, yaml\n"
        "if __name__ == '__main__':\n"
        "    parser = argparse.ArgumentParser()\n"
        "    parser.add_argument('--config')\n"
        "    parser.add_argument('--rate', type=float, default=0.1)\n"
        "    parser.add_argument('--seed', type=int)\n"
        "    args = parser.parse_args()\n"
        "    cfg = yaml.safe_load(open(args.config))\n"
        "    torch.utils.data.DataLoader(make('train'), cfg['batch_size'])\n"
        "    torch.optim.AdamW(model(), lr=args.rate).step()\n"}},
      "conf/a.yaml");
  CHECK(project.fact("learning_rate") == "0.5 stated run.sh:1");
}

TEST_CASE("a config that another module names is not read by a program of a file beside it") {
  const std::string loads =
      "import json, torch\nfrom settings import load\n"
      "if __name__ == '__main__':\n"
      "    cfg = json.load(open('conf/b.json'))\n"
      "    torch.utils.data.DataLoader(make('train'), cfg['batch_size'], num_workers=7)\n"
      "    torch.optim.AdamW(model(), lr=cfg['lr']).step()\n";
  const auto workers = [&](const std::string& settings) {
    return Project({{".git/HEAD", ""},
                    {"conf/a.json", "{\"lr\": 0.1, \"batch_size\": 4, \"epochs\": 3}\n"},
                    {"conf/b.json", "{\"lr\": 0.2, \"batch_size\": 8, \"epochs\": 3}\n"},
                    {"settings.py", settings},
                    {"train.py", loads}},
                   "conf/a.json")
        .fact("num_workers");
  };
  CHECK(workers("def load(): pass\n") == "7 code train.py:5");
  CHECK(workers("def load(): return open('/home/me/conf/a.json')\n") == "unknown");
}

}  // namespace started_code_test
