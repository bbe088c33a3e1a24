#include "report/why.h"

#include "report/report.h"
#include "unit/lint/memory_reader.h"
#include "unit/lint/shared_session.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <utility>

namespace why_test {

using namespace gpulint;
using Files = MemoryReader::Files;

namespace {

constexpr const char* kScript = R"(import argparse
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
                              num_workers=4)
    model = make_model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=float(cfg["solver"]["speed"]))
    for epoch in range(cfg["loop"]["rounds"] * 2):
        for batch in train_loader:
            model(batch).backward()
            optimizer.step()

if __name__ == "__main__":
    main()
)";

constexpr const char* kConfig =
    "loop:\n  rows: 16\n  rounds: 30\nsolver:\n  speed: 3e-4\n  note: x\n";

struct Project {
  MemoryReader reader{Files{{"train.py", kScript}, {"configs/a.yaml", kConfig}}};
  LintResult result;

  Project() {
    LintRequest request;
    request.paths = {"configs/a.yaml"};
    request.options.keep_plans = true;
    result = lint(session_over(reader), request);
  }
  explicit Project(Files files) : reader(std::move(files)) {
    LintRequest request;
    request.paths = {"configs/a.yaml"};
    request.options.keep_plans = true;
    result = lint(session_over(reader), request);
  }
  std::string why(std::string_view asked) const {
    REQUIRE(result.files.size() == 1);
    return why_text(result.files.front(), result, asked);
  }
};

/// A program that trains `model`, made of the config's values.
Files trained(const std::string& networks, const std::string& model) {
  return {{"train.py", "import argparse, yaml, torch\nfrom torch import nn\n" + networks + R"(
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", required=True)
    args = parser.parse_args()
    with open(args.config) as f:
        cfg = yaml.safe_load(f)
    model = )" + model + R"(
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg["speed"])
    for x in torch.utils.data.DataLoader(data(), batch_size=cfg["rows"]):
        model(x).sum().backward()
        optimizer.step()

if __name__ == "__main__":
    main()
)"},
          {"configs/a.yaml", "speed: 0.001\nrows: 16\n"}};
}

constexpr const char* kNet = R"(
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.stem = nn.Linear(8, 16)
        self.head = nn.Linear(width, 2)
)";

}  // namespace

TEST_CASE("a network that cannot be counted is traced to the code that nobody could follow") {
  CHECK(Project(trained("", "build(cfg)")).why("parameters") ==
        "parameters\n"
        "  what the optimizer is given is not known: nobody could follow `build(cfg)` (train.py:10)\n");
  CHECK(Project(trained(kNet, "Net(cfg[\"a\"])")).why("parameters").find(
            "Net.head.weight is not known: nobody could follow `cfg[\"a\"]` (train.py:16)") !=
        std::string::npos);
}

TEST_CASE("a value that differs on two sides is traced to the condition that nobody can decide") {
  const std::string sizes = std::string(kNet) + "width = 8\nif choose():\n    width = 9\n";
  const std::string why = Project(trained(sizes, "Net(width)")).why("parameters");
  CHECK(why.find("Net.head.weight is not known: nobody can decide `choose()` (train.py:") !=
        std::string::npos);
}

TEST_CASE("a step that cannot be followed is traced to its layer and what that is given") {
  const std::string forward = std::string(kNet) +
                              "    def forward(self, x):\n"
                              "        return self.head(odd(self.stem(x)))\n";
  const std::string why = Project(trained(forward, "Net(16)")).why("activations");
  CHECK(why ==
        "activations\n"
        "  linear at train.py:10 is not known: nobody could follow `odd(self.stem(x))` "
        "(train.py:10)\n");
}

TEST_CASE("the way of a key leads from its line over its loader to the call that takes it") {
  CHECK(Project().why("solver.speed") ==
        "configs/a.yaml:5:10  solver.speed = 3e-4\n"
        "  loaded by train.py:11\n"
        "  taken by train.py:15, torch.optim.AdamW(lr=float(cfg[\"solver\"][\"speed\"]))\n"
        "  learning_rate = 0.0003\n");
}

TEST_CASE("a key is found by its end, and by the fact it states") {
  const Project project;
  CHECK(project.why("speed") == project.why("solver.speed"));
  CHECK(project.why("learning_rate") == project.why("solver.speed"));
  CHECK(project.why("peed") == "");
}

TEST_CASE("what the code works out of a key is told from what the key states") {
  CHECK(Project().why("loop.rounds") ==
        "configs/a.yaml:3:11  loop.rounds = 30\n"
        "  loaded by train.py:11\n"
        "  taken by train.py:16, for epoch in range(cfg[\"loop\"][\"rounds\"] * 2):\n"
        "  epochs = 60 epochs, worked out on the way\n");
}

TEST_CASE("a value that stands in the code is shown there") {
  CHECK(Project().why("num_workers") ==
        "train.py:13:43  4\n"
        "  taken by train.py:12, torch.utils.data.DataLoader(num_workers=4)\n"
        "  num_workers = 4 workers\n");
}

TEST_CASE("a key that nobody takes is said to be one") {
  CHECK(Project().why("solver.note") ==
        "configs/a.yaml:6:3  solver.note = x\n"
        "  not understood: the dialect does not have this key, and no script that loads the "
        "config passes it to a call gpulint knows\n");
}

TEST_CASE("JSON holds the way of a key in parts") {
  const Project project;
  const auto json = nlohmann::json::parse(
      facts_json(project.result.files.front(), project.result, {.why = "solver.speed"}));
  REQUIRE(json["why"].size() == 1);
  const auto& why = json["why"][0];
  CHECK(why["key"] == "solver.speed");
  CHECK(why["fact"] == "learning_rate");
  CHECK(why["line"] == 5);
  CHECK(why["loaded_by"] == nlohmann::json::array({"train.py:11"}));
  CHECK(why["taken_at"] == "train.py:15");
  CHECK(why["computed"] == false);
}

}  // namespace why_test
