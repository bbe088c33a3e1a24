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

}  // namespace chosen_calls_test
