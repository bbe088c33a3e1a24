// Training scripts in a folder, which no config is for.

#include "lint/lint.h"
#include "unit/lint/code_project.h"
#include "unit/lint/memory_reader.h"
#include "unit/lint/shared_session.h"

#include <doctest/doctest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace programs_test {

using namespace gpulint;
using Files = MemoryReader::Files;

/// What is judged of a folder, and whatever is told of it otherwise.
struct Judged {
  std::vector<std::string> runs;
  std::vector<std::string> others;
};

Judged judged(const Files& files, const std::string& folder = ".") {
  const MemoryReader reader(files);
  LintRequest request;
  request.paths = {folder};
  Judged found;
  for (const FileReport& file : lint(session_over(reader), request).files)
    (file.state == FileState::linted ? found.runs : found.others).push_back(file.path);
  return found;
}

using Paths = std::vector<std::string>;

/// A script that trains with what stands in it; `rest` stands before its loop.
std::string trains(const std::string& rest = "") {
  return "import torch\nfrom torch.utils.data import DataLoader\n" + rest +
         "loader = DataLoader(data, batch_size=16, num_workers=2)\n"
         "optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)\n"
         "for epoch in range(3):\n  for x in loader:\n    model(x).backward()\n    "
         "optimizer.step()\n";
}

TEST_CASE("a training script of a folder without configs is a run of its own") {
  const Judged found = judged({{"train.py", trains()}, {"data.py", "import torch\nSIZE = 3\n"}});
  CHECK(found.runs == Paths{"train.py"});
  CHECK(found.others.empty());
}

TEST_CASE("a script that a config is read by is judged with the config") {
  const std::string reads =
      "import yaml\nh = yaml.safe_load(open('conf.yaml'))\n"
      "if h['epochs'] > 0:\n  pass\n";
  const Judged found = judged({{".git/HEAD", ""},
                               {"conf.yaml", "epochs: 3\nbatch_size: 8\nlearning_rate: 0.1\n"},
                               {"train.py", trains(reads)}});
  CHECK(found.runs == Paths{"conf.yaml"});
}

TEST_CASE("a script that a command starts is judged with the command") {
  const Judged found =
      judged({{".git/HEAD", ""}, {"run.sh", "python train.py --gpus 2\n"}, {"train.py", trains()}});
  CHECK(found.runs == Paths{"run.sh"});
}

TEST_CASE("what Hydra records of itself, and the config of its launcher, are no runs") {
  const Judged found = judged({{".git/HEAD", ""},
                               {".hydra/hydra.yaml",
                                "hydra:\n  run:\n    dir: logs\n  sweeper:\n    params: null\n"
                                "  runtime:\n    version: 1.3.2\n"},
                               {"conf/hydra/launcher/slurm.yaml",
                                "# @package hydra.launcher\n"
                                "_target_: hydra_plugins.launcher.SlurmLauncher\n"
                                "nodes: 1\ntasks_per_node: 1\nmem_per_gpu: null\n"}});
  CHECK(found.runs.empty());
}

TEST_CASE("what a training script imports is no run beside it") {
  const Judged found =
      judged({{"main.py", trains("import train_parts\n")}, {"train_parts.py", trains()}});
  CHECK(found.runs == Paths{"main.py"});
}

TEST_CASE("a training script with a command line of its own is a run, whoever else imports it") {
  const Judged found = judged({{"train_folds.py", trains("from train import load\n")},
                               {"train.py",
                                "import argparse, torch\nfrom torch.utils.data import DataLoader\n"
                                "def load(rows): return DataLoader(data(), batch_size=rows)\n"
                                "if __name__ == '__main__':\n"
                                "  p = argparse.ArgumentParser()\n"
                                "  p.add_argument('--rows', type=int, default=16)\n"
                                "  a = p.parse_args()\n"
                                "  opt = torch.optim.Adam(net().parameters(), lr=0.1)\n"
                                "  for x in load(a.rows):\n"
                                "    net(x).backward()\n    opt.step()\n"}});
  CHECK(found.runs == Paths{"train.py", "train_folds.py"});
}

TEST_CASE("of two training scripts that import each other the first is the run") {
  const Judged found = judged(
      {{"train_a.py", trains("import train_b\n")}, {"train_b.py", trains("import train_a\n")}});
  CHECK(found.runs == Paths{"train_a.py"});
}

TEST_CASE("a script that only its command line tells how to train is passed over") {
  const Judged found = judged(
      {{"train.py",
        "import argparse, torch\nif __name__ == '__main__':\n  p = argparse.ArgumentParser()\n"
        "  p.add_argument('--batch', type=int, required=True)\n  a = p.parse_args()\n"
        "  torch.utils.data.DataLoader(data, batch_size=a.batch)\n"
        "  torch.optim.SGD(model.parameters(), lr=0.1)\n"}});
  CHECK(found.runs.empty());
  CHECK(found.others.empty());
}

TEST_CASE("scripts outside the folder that is linted, and those of its tests, are left alone") {
  const Files files = {
      {"a/train.py", trains()}, {"a/tests/train.py", trains()}, {"b/train.py", trains()}};
  CHECK(judged(files, "a").runs == Paths{"a/train.py"});
}

TEST_CASE("of changed files, scripts that changed or import one that did are judged") {
  const MemoryReader reader(Files{{"main.py", "import part\n" + trains()},
                                  {"part.py", "SIZE = 3\n"},
                                  {"train_b.py", trains()}},
                            Files{});
  const auto judged_of = [&](const std::set<std::string>& only) {
    LintRequest request;
    request.paths = {"."};
    request.only = only;
    Paths runs;
    for (const FileReport& file : lint(session_over(reader), request).files)
      runs.push_back(file.path);
    return runs;
  };
  CHECK(judged_of({"train_b.py"}) == Paths{"train_b.py"});
  CHECK(judged_of({"part.py"}) == Paths{"main.py"});
  CHECK(judged_of({"c.yaml"}).empty());
}

LintResult linted(const Files& files, const char* gpu) {
  static std::vector<std::unique_ptr<MemoryReader>> readers;  // sources point into them
  readers.push_back(std::make_unique<MemoryReader>(files, Files{}));
  LintRequest request;
  request.paths = {"."};
  request.options.gpu = gpu;
  return lint(session_over(*readers.back()), request);
}

/// ResNet-50 with far more images per batch than an A10G holds.
std::string overflows(const std::string& batch) {
  return "import argparse, torch, torchvision\nfrom torch.utils.data import DataLoader\n"
         "from torchvision import transforms as T\n" +
         batch +
         "data = torchvision.datasets.ImageFolder('d', T.Compose([T.RandomResizedCrop(224), "
         "T.ToTensor()]))\n"
         "loader = DataLoader(data, batch_size=batch, num_workers=2)\n"
         "model = torchvision.models.resnet50().cuda()\n"
         "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
         "for epoch in range(3):\n  for x, y in loader:\n"
         "    torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()\n"
         "    optimizer.step()\n";
}

TEST_CASE("findings stand in the files they are about where a script between them is left out") {
  const std::string config = "batch_size: 8\nbatch_size: 4\nlearning_rate: 0.1\n";
  const LintResult result =
      linted({{".git/HEAD", ""},
              {"a.yaml", config},
              {"m/train.py", trains("import yaml\nyaml.safe_load(open('z.yaml'))\n")},
              {"z.yaml", config}},
             "a10g");
  REQUIRE(result.files.size() == 2);
  REQUIRE(!result.findings.empty());
  for (const Finding& each : result.findings) {
    REQUIRE(each.span.file < result.sources.size());
    CHECK(result.sources[each.span.file].text == config);
  }
  for (std::size_t i = 0; i < result.files.size(); ++i)
    CHECK(result.files[i].path == result.sources[i].path);
}

TEST_CASE(
    "a budget that literals of a script exceed is an error, one that defaults of options do a "
    "warning") {
  const auto severity = [](const std::string& batch) {
    for (const Finding& each : linted({{"train.py", overflows(batch)}}, "a10g").findings)
      if (each.rule == "vram-over-budget") return std::string(name_of(each.severity));
    return std::string("none");
  };
  CHECK(severity("batch = 1024\n") == "error");
  CHECK(
      severity("p = argparse.ArgumentParser()\np.add_argument('--batch', type=int, default=1024)\n"
               "batch = p.parse_args().batch\n") == "warning");
}

TEST_CASE(
    "what a shown command and a script's defaults disagree on is not judged, and shown where facts "
    "are asked for") {
  const Files files = {
      {"train.py", overflows("p = argparse.ArgumentParser()\n"
                             "p.add_argument('--batch', type=int, default=1024)\n"
                             "batch = p.parse_args().batch\n")},
      {"README.md", "```\ntorchrun --nproc_per_node=2 train.py --batch 64\n```\n"}};
  CHECK(linted(files, "a10g").findings.empty());
  CHECK(Project(files, "train.py").fact("per_device_batch_size") == "64 stated README.md:2");
}

TEST_CASE("a command that only evaluates says nothing of a training") {
  const Files files = {{".git/HEAD", ""},
                       {"train.py", overflows("p = argparse.ArgumentParser()\n"
                                              "p.add_argument('--batch', type=int, default=8)\n"
                                              "p.add_argument('--eval', action='store_true')\n"
                                              "batch = p.parse_args().batch\n")},
                       {"eval.sh", "python train.py --eval --batch 512\n"}};
  CHECK(judged(files).runs == Paths{"train.py"});
}

TEST_CASE("a command that its program refuses says nothing of the configs it names") {
  const auto rules = [](const std::string& flag) {
    const Files files = {
        {".git/HEAD", ""},
        {"conf.yaml", "learning_rate: 0.1\nbatch_size: 8\nepochs: 3\nwarmup_epochs: 9\n"},
        {"train.py", "import argparse, yaml\np = argparse.ArgumentParser()\n"
                     "p.add_argument('--config')\nargs = p.parse_args()\n"
                     "h = yaml.safe_load(open(args.config))\n" +
                         trains("batch = h['batch_size']\n")},
        {"run.sh", "python train.py --config conf.yaml" + flag + "\n"}};
    std::set<std::string> found;
    for (const Finding& each : linted(files, "a10g").findings) found.insert(each.rule);
    return found;
  };
  CHECK(rules("").count("warm-up-as-long-as-the-run") == 1);
  CHECK(rules(" --amp") == std::set<std::string>{"option-refused"});
}

TEST_CASE("a program that trains where a switch is on is read with it, if nothing says otherwise") {
  const auto project = [](const std::string& condition) {
    return Project({{".git/HEAD", ""},
                    {"main.py",
                     "import argparse, torch\nfrom torch.utils.data import DataLoader\n"
                     "def train(a):\n"
                     "  opt = torch.optim.Adam(net().parameters(), lr=0.1)\n"
                     "  for x in DataLoader(data('train'), batch_size=a.rows):\n"
                     "    net(x).backward()\n    opt.step()\n"
                     "if __name__ == '__main__':\n"
                     "  p = argparse.ArgumentParser()\n"
                     "  p.add_argument('--rows', type=int, default=16)\n"
                     "  p.add_argument('--do-train', action='store_true')\n"
                     "  p.add_argument('--show', action='store_true')\n"
                     "  a = p.parse_args()\n"
                     "  if " +
                         condition + ":\n    train(a)\n"}},
                   "main.py");
  };
  CHECK(project("a.do_train").fact("per_device_batch_size") == "16 code main.py:10");
  CHECK(project("a.do_train").fact("optimizer").starts_with("adam "));
}

TEST_CASE("a program named for something else trains where its flags and its code say so") {
  const std::string options =
      "import argparse\np = argparse.ArgumentParser()\n"
      "p.add_argument('--epochs', type=int, default=1)\nargs = p.parse_args()\n";
  const auto runs_of = [&](const std::string& program, const std::string& flags) {
    return judged({{".git/HEAD", ""},
                   {"predict_frames.py", program},
                   {"run.sh", "srun python predict_frames.py " + flags + "\n"}},
                  "run.sh")
        .runs;
  };
  CHECK(runs_of(options + trains(), "--epochs 3") == Paths{"run.sh"});
  CHECK(runs_of(options + trains(), "--out x").empty());
  CHECK(runs_of(options + "print(args.epochs)\n", "--epochs 3").empty());
}

TEST_CASE("a script with two optimizers, or a batch that the machine decides, is a run") {
  const std::string loop =
      "for epoch in range(3):\n  for x in loader:\n    model(x).backward()\n"
      "    one.step()\n    two.step()\n";
  const std::string head =
      "import torch\nfrom torch.utils.data import DataLoader\n"
      "one = torch.optim.SGD(model.parameters(), lr=0.1)\n";
  const std::string two = "two = torch.optim.Adam(model.parameters(), lr=0.1)\n";
  const std::string eight = "loader = DataLoader(data, batch_size=8)\n";
  const std::string open = "loader = DataLoader(data, batch_size=size())\n";
  CHECK(judged({{"train.py", head + two + eight + loop}}).runs == Paths{"train.py"});
  CHECK(judged({{"train.py", head + "two = one\n" + open + loop}}).runs == Paths{"train.py"});
  CHECK(judged({{"train.py", head + two + open}}).runs.empty());
}

TEST_CASE("a search that leaves the batch open is no run in place of the training it imports") {
  const std::string training =
      "import torch\nfrom torch.utils.data import DataLoader\n"
      "def train(rows):\n  loader = DataLoader(data, batch_size=rows)\n"
      "  opt = torch.optim.SGD(model.parameters(), lr=0.1)\n"
      "  for epoch in range(3):\n    for x in loader:\n      model(x).backward()\n"
      "      opt.step()\nif __name__ == '__main__':\n  train(8)\n";
  const std::string search =
      "from train import train\nif __name__ == '__main__':\n  train(drawn())\n";
  CHECK(judged({{".git/HEAD", ""}, {"search.py", search}, {"train.py", training}}).runs ==
        Paths{"search.py", "train.py"});
}

TEST_CASE("a script whose training a switch turns on is a run with that switch") {
  const auto code = [](const std::string& option) {
    std::string script =
        "import argparse, torch\nfrom torch.utils.data import DataLoader\n"
        "def train(args):\n  loader = DataLoader(data, batch_size=args.rows)\n"
        "  opt = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "  for epoch in range(3):\n    for x in loader:\n      model(x).backward()\n"
        "      opt.step()\np = argparse.ArgumentParser()\n"
        "p.add_argument('--rows', type=int, default=8)\n";
    script += option + "args = p.parse_args()\n";
    return script;
  };
  const std::string by_flag =
      code("p.add_argument('--train', action='store_true')\n") + "if args.train:\n  train(args)\n";
  const std::string by_word =
      code("p.add_argument('what')\n") + "if args.what == 'train':\n  train(args)\n";
  for (const std::string& script : {by_flag, by_word}) {
    CAPTURE(script);
    const Files files = {{".git/HEAD", ""}, {"main.py", script}};
    CHECK(judged(files).runs == Paths{"main.py"});
    CHECK(Project(files, "main.py").fact("per_device_batch_size") == "8 code main.py:11");
  }
  // A command says whether it is on.
  CHECK(judged({{".git/HEAD", ""}, {"main.py", by_flag}, {"run.sh", "python main.py --rows 4\n"}},
               "run.sh")
            .runs.empty());
}

namespace {

/// A program that takes one config and trains for so many epochs.
std::string takes_config(const std::string& epochs) {
  return "import sys, torch, yaml\nfrom torch.utils.data import DataLoader\n"
         "if __name__ == '__main__':\n  cfg = yaml.safe_load(open(sys.argv[1]))\n"
         "  optimizer = torch.optim.SGD(model(), lr=cfg['speed'])\n"
         "  for epoch in range(" +
         epochs +
         "):\n    for x in DataLoader(data, batch_size=cfg['rows']):\n      "
         "loss(x).backward()\n      optimizer.step()\n";
}

constexpr const char* kSettings = "speed: 0.1\nrows: 8\n";

}  // namespace

TEST_CASE("of two programs the one is meant that the config's folder is called after") {
  const Files files = {{".git/HEAD", ""},
                       {"scripts/distil.py", takes_config("4")},
                       {"scripts/train.py", takes_config("7")},
                       {"tasks/forecasting/main.py", takes_config("9")},
                       {"configs/train/a.yaml", kSettings},
                       {"configs/distil/a.yaml", kSettings},
                       {"configs/forecasting/a.yaml", kSettings}};
  const auto epochs = [&](const std::string& config) {
    return Project(files, config).fact("epochs");
  };
  CHECK(epochs("configs/train/a.yaml") == "7 code scripts/train.py:6");
  CHECK(epochs("configs/distil/a.yaml") == "4 code scripts/distil.py:6");
  CHECK(epochs("configs/forecasting/a.yaml") == "9 code tasks/forecasting/main.py:6");
}

TEST_CASE("a program whose options are read by another module's function is found for its config") {
  const Project project(
      {{".git/HEAD", ""},
       {"util/options.py",
        "import argparse, json\nclass Box:\n  def __init__(self, values):\n"
        "    self.__dict__.update(values)\ndef get_args():\n"
        "  parser = argparse.ArgumentParser()\n"
        "  parser.add_argument('--rows', type=int, default=100)\n"
        "  parser.add_argument('--arguments_json_file', default=None)\n"
        "  args = parser.parse_args()\n  if args.arguments_json_file is not None:\n"
        "    values = json.load(open(args.arguments_json_file))\n"
        "    for key, value in vars(args).items():\n      if key not in values:\n"
        "        values[key] = value\n    args = Box(values)\n  return args\n"},
       {"train_big.py",
        "import torch\nfrom util.options import get_args\nargs = get_args()\n"
        "loader = torch.utils.data.DataLoader(data, batch_size=args.rows, num_workers=1)\n"
        "optimizer = torch.optim.Adam(net.parameters(), lr=args.learning_rate)\n"
        "Builder(loader, optimizer).run_experiment()\n"},
       {"experiment_configs/big.json", "{\"rows\": 32,\n\"learning_rate\": 0.1, \"batch_size\": 4, \"epochs\": 2}\n"}},
      "experiment_configs/big.json");
  CHECK(project.fact("num_workers") == "1 code train_big.py:4");
}

}  // namespace programs_test
