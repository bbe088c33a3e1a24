// What is said of a program that could not be followed to its training: by the words of its files.

#include "unit/lint/code_project.h"

#include <doctest/doctest.h>

#include <string>

namespace absent_words_test {

using namespace gpulint;
using Files = MemoryReader::Files;

namespace {

/// The class that trains is chosen by something that nobody can work out. `engine` imports what
/// trains, `other` is imported by nothing.
Project unfollowed(const std::string& engine, const std::string& other) {
  return Project({{".git/HEAD", ""},
                  {"train.py",
                   "import argparse\nfrom engine import start\n"
                   "parser = argparse.ArgumentParser()\n"
                   "parser.add_argument('--lr', type=float)\n"
                   "parser.add_argument('--batch-size', type=int)\n"
                   "if __name__ == '__main__':\n    start(parser.parse_args())\n"},
                  {"engine/__init__.py", engine + "from .loop import run\n"
                                         "from elsewhere import choose\n"
                                         "def start(args):\n    choose(run, args)\n"},
                  {"engine/loop.py",
                   "import torch\n"
                   "def run(net, data, args):\n"
                   "    optimizer = torch.optim.SGD(net.parameters(), lr=args.lr)\n"
                   "    for x in data:\n"
                   "        net(x).sum().backward()\n        optimizer.step()\n"},
                  {"tools/spread.py", other},
                  {"run.sh", "python train.py --lr 0.1 --batch-size 8\n"}},
                 "run.sh");
}

constexpr const char* kSpread =
    "import torch\nfrom torch.nn.parallel import DistributedDataParallel\n"
    "torch.distributed.init_process_group('nccl')\nnet = torch.compile(net)\n";

}  // namespace

TEST_CASE("a program that may import no word of it has one rank and compiles nothing") {
  const Project project = unfollowed("", kSpread);
  CHECK(project.fact("world_size") == "1 code engine/loop.py:5");
  CHECK(project.fact("compile") == "false code engine/loop.py:5");
  CHECK(project.fact("mixed_precision") == "none code engine/loop.py:5");
}

TEST_CASE("a file that an import may mean counts with its words") {
  const Project project = unfollowed("import tools.spread\n", kSpread);
  CHECK(project.fact("world_size") == "unknown");
  CHECK(project.fact("compile") == "unknown");
  CHECK(project.fact("mixed_precision") == "none code engine/loop.py:5");
}

TEST_CASE("where a module is imported by a name that is worked out, all of the project counts") {
  const std::string worked_out = "import importlib\nextra = importlib.import_module(name)\n";
  CHECK(unfollowed(worked_out, kSpread).fact("compile") == "unknown");
  CHECK(unfollowed(worked_out, "").fact("compile") == "false code engine/loop.py:5");
}

}  // namespace absent_words_test
