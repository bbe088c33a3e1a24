// Options of Hydra's groups that no config chooses, held against the code that would run them.

#include "unit/lint/code_project.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace other_options_test {

using namespace gpulint;
using Files = MemoryReader::Files;

namespace {

/// "path:line severity message" of what the code refuses, or what `rule` finds.
std::vector<std::string> refused(Files more, const std::string& config = "conf/train.yaml",
                                 const std::string& rule = "stopped-by-own-code") {
  Files files = {
      {".git/HEAD", ""},
      {"train.py",
       "import hydra, torch\n"
       "class Net(torch.nn.Module):\n"
       "  def __init__(self, width):\n"
       "    super().__init__()\n"
       "    self.layer = torch.nn.Linear(width, width)\n"
       "@hydra.main(config_path='conf', config_name='train', version_base=None)\n"
       "def main(cfg):\n"
       "  loader = torch.utils.data.DataLoader([], batch_size=cfg.data.rows, num_workers=2)\n"
       "  print(cfg.data.classes)\n"
       "  net = Net(**cfg.net)\n"
       "  optimizer = torch.optim.SGD(net.parameters(), lr=cfg.lr)\n"
       "  for epoch in range(cfg.epochs):\n"
       "    optimizer.step()\n"
       "if __name__ == '__main__':\n"
       "  main()\n"},
      {"conf/train.yaml",
       "defaults:\n  - data: big\n  - net: wide\n  - _self_\nlr: 0.1\nepochs: 7\nbatch_size: 8\n"},
      {"conf/data/big.yaml", "rows: 64\nclasses: 10\n"},
      {"conf/net/wide.yaml", "width: 64\n"}};
  more.merge(files);
  const Project project(more, config);
  std::vector<std::string> said;
  for (const Finding& finding : project.result.findings) {
    if (finding.rule != rule) continue;
    const SourceText& source = project.result.sources[finding.span.file];
    said.push_back(source.path + ":" +
                   std::to_string(source.lines.at(source.text, finding.span.begin).line) + " " +
                   std::string(name_of(finding.severity)) + " " + finding.message);
  }
  return said;
}

std::vector<std::string> unreached(Files more) {
  return refused(std::move(more), "conf/train.yaml", "key-never-reached");
}

/// A config with an empty group, and a script that mentions `trainer` and `pinned` elsewhere.
Files with_debug(const std::string& main) {
  return {
      {"conf/train.yaml",
       "defaults:\n  - data: big\n  - net: wide\n  - debug: null\n  - _self_\n"
       "lr: 0.1\nepochs: 7\nbatch_size: 8\nkind: plain\n"},
      {"train.py",
       "import hydra, torch\n"
       "@hydra.main(config_path='conf', config_name='train', version_base=None)\n"
       "def main(cfg):\n"
       "  loader = torch.utils.data.DataLoader(range(cfg.data.rows), batch_size=cfg.batch_size)\n"
       "  net = torch.nn.Linear(cfg.net.width, cfg.data.classes)\n"
       "  optimizer = torch.optim.SGD(net.parameters(), lr=cfg.lr)\n"
       "  print(cfg.kind)\n" +
           main +
           "  for epoch in range(cfg.epochs):\n"
           "    optimizer.step()\n"
           "if __name__ == '__main__':\n"
           "  main()\n"}};
}

}  // namespace

TEST_CASE("a program that fits its trainer if a switch says so is started with that switch") {
  const auto fact = [](const std::string& option, const std::string& name) {
    return Project({{".git/HEAD", ""},
                    {"run.py", "import argparse, torch\nimport pytorch_lightning as pl\n"
                               "class Net(pl.LightningModule):\n"
                               "  def configure_optimizers(self):\n"
                               "    return torch.optim.Adam(self.parameters(), lr=0.125)\n"
                               "if __name__ == '__main__':\n"
                               "  p = argparse.ArgumentParser()\n"
                               "  p.add_argument('--" + option + "', action='store_true')\n"
                               "  p.add_argument('--half', action='store_true')\n"
                               "  p.add_argument('--evaluate', action='store_true')\n"
                               "  args = p.parse_args()\n"
                               "  trainer = pl.Trainer(max_epochs=3, precision=16 if args.half "
                               "else 32)\n"
                               "  if args." + option + ":\n    trainer.fit(Net(), data())\n"
                               "  if args.evaluate:\n    trainer.test(Net(), data())\n"}},
                   "run.py")
        .fact(name);
  };
  CHECK(fact("train", "learning_rate") == "0.125 code run.py:5");
  CHECK(fact("do_train", "optimizer") == "adam code run.py:5");
  CHECK(fact("train", "mixed_precision") == "none code run.py:12");
  CHECK(fact("resume", "learning_rate") == "unknown");
}

TEST_CASE("a section that an option adds and no code reads is told") {
  Files files = with_debug("  if cfg.kind == 'other':\n    print(cfg.trainer.epochs)\n");
  files["conf/debug/short.yaml"] = "# @package _global_\ntrainer:\n  epochs: 1\n";
  CHECK(unreached(files) ==
        std::vector<std::string>{"conf/debug/short.yaml:2 note with debug=short train.py never "
                                 "reads `trainer`: what stands below it has no effect"});
  // A section of the run is overridden.
  files["conf/debug/short.yaml"] = "# @package _global_\ndata:\n  rows: 1\n";
  CHECK(unreached(files).empty());
  files = with_debug("  print(cfg.get('trainer'))\n");
  files["conf/debug/short.yaml"] = "# @package _global_\ntrainer:\n  epochs: 1\n";
  CHECK(unreached(files).empty());
}

TEST_CASE("a key of an option that the code passes by is told, unless another group leads there") {
  const std::string passes_by = "  if cfg.kind == 'other':\n    print(cfg.data.pinned)\n";
  Files files = with_debug(passes_by);
  files["conf/data/small.yaml"] = "rows: 4\nclasses: 2\npinned: true\n";
  CHECK(unreached(files) ==
        std::vector<std::string>{"conf/data/small.yaml:3 note with data=small train.py never reads "
                                 "`pinned`: true has no effect"});
  files["conf/net/deep.yaml"] = "width: 4\ndepth: 8\n";
  const Files plain = files;
  files = with_debug("  if cfg.net.get('depth'):\n    print(cfg.data.pinned)\n");
  files["conf/data/small.yaml"] = plain.at("conf/data/small.yaml");
  files["conf/net/deep.yaml"] = plain.at("conf/net/deep.yaml");
  CHECK(unreached(files).empty());
}

TEST_CASE("a key of an option that another config leads to is not told") {
  Files files = with_debug("  if cfg.kind == 'other':\n    print(cfg.data.pinned)\n");
  files["conf/data/small.yaml"] = "rows: 4\nclasses: 2\npinned: true\n";
  files["conf/second.yaml"] =
      "defaults:\n  - data: big\n  - net: wide\n  - _self_\n"
      "lr: 0.1\nepochs: 7\nbatch_size: 8\nkind: other\n";
  CHECK(unreached(files).empty());
}

TEST_CASE("an option of a group that is empty by default is held against the code, too") {
  const std::string train =
      "defaults:\n  - data: big\n  - net: wide\n  - tuning: null\n  - _self_\n"
      "lr: 0.1\nepochs: 7\nbatch_size: 8\n";
  const std::string refuses =
      "import hydra, torch\n"
      "@hydra.main(config_path='conf', config_name='train', version_base=None)\n"
      "def main(cfg):\n"
      "  net = torch.nn.Linear(cfg.net.width, 4)\n"
      "  optimizer = torch.optim.SGD(net.parameters(), lr=cfg.lr)\n"
      "  if cfg.get('tuning') is not None:\n"
      "    print(cfg.tuning.layers)\n"
      "  for epoch in range(cfg.epochs):\n"
      "    optimizer.step()\n"
      "if __name__ == '__main__':\n"
      "  main()\n";
  Files files = {{"conf/tuning/last.yaml", "layers: 2\n"},
                 {"conf/tuning/none.yaml", "blocks: 2\n"}};
  const auto said = [&] {
    Files whole = {{".git/HEAD", ""},
                   {"train.py", refuses},
                   {"conf/train.yaml", train},
                   {"conf/data/big.yaml", "rows: 64\n"},
                   {"conf/net/wide.yaml", "width: 64\n"}};
    whole.merge(Files(files));
    const Project project(whole, "conf/train.yaml");
    std::vector<std::string> found;
    for (const Finding& finding : project.result.findings) {
      if (finding.rule == "stopped-by-own-code")
        found.push_back(project.result.sources[finding.span.file].path + " " + finding.message);
    }
    return found;
  };
  CHECK(said() ==
        std::vector<std::string>{"conf/tuning/none.yaml with tuning=none, train.py:7 ends the run: "
                                 "it reads `layers`, which `tuning` does not have"});
  // What lies over the whole run is an experiment, and judged by itself.
  files = {{"conf/tuning/none.yaml", "# @package _global_\ntuning:\n  blocks: 2\n"}};
  CHECK(said().empty());
}

TEST_CASE("an option that lacks a key the code reads is told, where the default has it") {
  CHECK(refused({}).empty());
  CHECK(refused({{"conf/data/small.yaml", "rows: 4\n"}}) ==
        std::vector<std::string>{"conf/data/small.yaml:1 note with data=small, train.py:9 ends the "
                                 "run: it reads `classes`, which `data` does not have"});
  CHECK(refused({{"conf/data/small.yaml", "rows: 4\nclasses: 2\n"}}).empty());
}

TEST_CASE("an option with an argument that its class does not take is told") {
  CHECK(
      refused({{"conf/net/deep.yaml", "width: 4\ndepth: 8\n"}}) ==
      std::vector<std::string>{"conf/net/deep.yaml:2 note with net=deep, train.py:3 ends the run: "
                               "Net takes no `depth`"});
}

TEST_CASE("an option that another config chooses, or is made of, is judged there") {
  const std::string part = "rows: 4\n";
  CHECK(refused({{"conf/data/small.yaml", part},
                 {"conf/experiment/few.yaml",
                  "# @package _global_\ndefaults:\n  - override /data: small\n"}})
            .empty());
  CHECK(refused({{"conf/data/base.yaml", part},
                 {"conf/data/small.yaml", "defaults:\n  - base\nclasses: 2\n"}})
            .empty());
}

TEST_CASE("another config beside the groups is no option of any") {
  CHECK(refused({{"conf/other.yaml", "defaults:\n  - data: big\n  - _self_\nlr: 0.1\n"}}).empty());
}

TEST_CASE("the list of defaults is no argument of what a part of the config constructs") {
  CHECK(refused({{"conf/net/wide.yaml", "defaults:\n  - _self_\nwidth: 64\n"}}).empty());
}

TEST_CASE("an option that runs with another config of the folder is told nothing") {
  const Files narrow = {{"conf/net/narrow.yaml", "height: 64\n"}};
  CHECK(!refused(narrow).empty());
  Files both = narrow;
  both["conf/tall.yaml"] =
      "defaults:\n  - data: big\n  - net: wide\n  - _self_\nlr: 0.1\nepochs: 7\nbatch_size: 8\n"
      "net: {width: 32, height: null}\n";
  both["tall.py"] =
      "import hydra, torch\n"
      "@hydra.main(config_path='conf', config_name='tall', version_base=None)\n"
      "def main(cfg):\n"
      "  loader = torch.utils.data.DataLoader([], batch_size=cfg.data.rows, num_workers=2)\n"
      "  net = torch.nn.Linear(cfg.net.width, 3)\n"
      "  optimizer = torch.optim.SGD(net.parameters(), lr=cfg.lr)\n"
      "  for epoch in range(cfg.epochs):\n    optimizer.step()\n"
      "if __name__ == '__main__':\n  main()\n";
  CHECK(refused(both).empty());
}

TEST_CASE("an option that an experiment overrides in vain is told where the experiment does it") {
  const Files more = {
      {"conf/train.yaml",
       "defaults:\n  - data: big\n  - net: wide\n  - _self_\n  - experiment: null\nlr: 0.1\n"
       "epochs: 7\nbatch_size: 8\n"},
      {"conf/experiment/tiny.yaml",
       "# @package _global_\ndefaults:\n  - override /net: tiny\nlr: 0.2\nbatch_size: 4\n"}};
  const auto said = refused(more, "conf/experiment/tiny.yaml", "option-not-in-group");
  REQUIRE(said.size() == 1);
  CHECK(said.front().starts_with("conf/experiment/tiny.yaml:3 warning"));
}

TEST_CASE("an option that .gitignore names may lie on its author's machine") {
  Files more = {{"conf/data/big.yaml", "classes: 10\n"},
                {"conf/train.yaml",
                 "defaults:\n  - data: big\n  - net: tiny\n  - _self_\nlr: 0.1\n"
                 "epochs: 7\nbatch_size: 8\n"}};
  const auto said = [&](const std::string& patterns) {
    more[".gitignore"] = patterns;
    return refused(more, "conf/train.yaml", "option-not-in-group").size();
  };
  CHECK(said("*.log\n") == 1);
  CHECK(said("tiny.yaml\n") == 0);
  CHECK(said("conf/net/*\n") == 0);
  CHECK(said("tiny.yaml\n!conf/net/tiny.yaml\n") == 1);
}

TEST_CASE("the code lacks nothing where an option of the config is there to be copied") {
  const Files more = {{"conf/data/big.yaml", "classes: 10\n"},
                      {"conf/train.yaml",
                       "defaults:\n  - data: big\n  - net: wide\n  - more: default\n  - _self_\n"
                       "lr: 0.1\nepochs: 7\nbatch_size: 8\n"}};
  CHECK(refused(more).empty());
  Files copied = more;
  copied["conf/more/default.example.yaml"] = "rows: 8\n";
  CHECK(refused(copied).empty());
  copied["conf/more/default.yaml"] = "rows: 8\n";
  CHECK(refused(copied).size() == 1);
}

}  // namespace other_options_test
