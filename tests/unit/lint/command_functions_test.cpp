// Functions of a project that are called with the command line as their arguments.

#include "unit/lint/code_project.h"

#include <doctest/doctest.h>

namespace command_functions_test {

using namespace gpulint;
using Files = MemoryReader::Files;

const std::string kFunctions =
    "import fire, torch\nfrom torch.utils.data import DataLoader\n"
    "def train(rows, rate=0.1, workers=3):\n"
    "    loader = DataLoader(make('train'), batch_size=rows, num_workers=workers)\n"
    "    opt = torch.optim.SGD(model.parameters(), lr=rate)\n"
    "    for x in loader:\n        model(x).backward()\n        opt.step()\n"
    "def tune(rows, rate=0.5):\n"
    "    loader = DataLoader(make('train'), batch_size=rows)\n"
    "    opt = torch.optim.Adam(model.parameters(), lr=rate)\n"
    "    for x in loader:\n        model(x).backward()\n        opt.step()\n"
    "if __name__ == '__main__':\n    ";

Project started(const std::string& call, const std::string& words) {
  return Project({{".git/HEAD", ""},
                  {"train.py", kFunctions + call + "\n"},
                  {"run.sh", "python train.py " + words + "\n"}},
                 "run.sh");
}

TEST_CASE("the word in front of all options chooses the function that they are arguments of") {
  for (const char* call : {"fire.Fire()", "fire.Fire({'train': train, 'tune': tune})"}) {
    CAPTURE(call);
    const Project train = started(call, "train --rows=16 --rate=0.25");
    CHECK(train.fact("per_device_batch_size").starts_with("16 stated run.sh:1"));
    CHECK(train.fact("learning_rate").starts_with("0.25"));
    CHECK(train.fact("optimizer") == "sgd code train.py:5");
    CHECK(train.fact("num_workers") == "3 code train.py:3");
    CHECK(started(call, "tune --rows 8").fact("optimizer") == "adam code train.py:11");
  }
  CHECK(started("fire.Fire()", "other --rows 8").fact("optimizer") == "no run");
}

TEST_CASE("a function that is handed over gets the options of the names of its parameters") {
  const Project project = started("fire.Fire(train)", "--rows 4 --workers 7");
  CHECK(project.fact("num_workers") == "7 stated run.sh:1");
  CHECK(project.fact("per_device_batch_size").starts_with("4"));
  CHECK(project.fact("learning_rate") == "0.1 code train.py:3");
  const Project worded = started("fire.Fire(train)", "32 --rate 0.75");
  CHECK(worded.fact("learning_rate").starts_with("0.75"));
}

TEST_CASE("the first word of a command that begins with an option is neither a file nor a mode") {
  const auto rows = [](const std::string& words) {
    return Project({{".git/HEAD", ""},
                    {"train.py",
                     "import sys, torch\nfrom torch.utils.data import DataLoader\n"
                     "def main():\n    rows = 3\n"
                     "    if len(sys.argv) == 2 and sys.argv[1].endswith('.json'):\n"
                     "        rows = size_in(sys.argv[1])\n"
                     "    loader = DataLoader(make('train'), batch_size=rows, num_workers=2)\n"
                     "    opt = torch.optim.SGD(model.parameters(), lr=0.25)\n"
                     "    for x in loader:\n        model(x).backward()\n        opt.step()\n"
                     "if __name__ == '__main__':\n    main()\n"},
                    {"run.sh", "python train.py " + words + "\n"}},
                   "run.sh")
        .fact("per_device_batch_size");
  };
  CHECK(rows("--seed 4") == "3 code train.py:4");
  CHECK(rows("$1 --seed 4") == "unknown");
}

}  // namespace command_functions_test
