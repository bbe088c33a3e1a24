// Commands in files that are no shell scripts.

#include "launch/carried_commands.h"

#include <doctest/doctest.h>

#include <string>

using namespace gpulint;

namespace {

std::string value_in(const ShellVariables& variables, std::string_view name) {
  for (const auto& [own, value] : variables) {
    if (own == name) return value.bytes;
  }
  return "not set";
}

std::string variable(const CarriedCommands& commands, std::string_view name) {
  const std::string exported = value_in(commands.variables, name);
  return exported == "not set" ? value_in(commands.unexported, name) : exported;
}

bool says(const CarriedCommands& commands, std::string_view words) {
  return commands.text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("files that carry commands are told by their names") {
  for (const char* path : {"run.sh", "a/job.slurm", "Makefile", "ml/train.mk", "Dockerfile",
                           "docker/Dockerfile.gpu", "gpu.dockerfile", "Containerfile"}) {
    CAPTURE(path);
    CHECK(may_be_script(path));
  }
  for (const char* path : {"Makefile.md", "docker.yaml", "README.md", "makefiles/a.txt"}) {
    CAPTURE(path);
    CHECK_FALSE(may_be_script(path));
  }
}

TEST_CASE("a Makefile carries its recipes, each byte in its place") {
  const std::string text =
      "GPUS ?= 8\nARGS = --lr 0.1 \\\n  --bs $(BATCH)  # of one GPU\nBATCH := 4\n\n"
      "train: data\n\t@torchrun --nproc_per_node $(GPUS) train.py $(ARGS)\n"
      "data:\n\tpython get.py $@\n\t-python count.py $$N\n";
  const CarriedCommands commands = carried_commands("Makefile", text);
  CHECK(commands.text.size() == text.size());
  CHECK(commands.text.find("torchrun") == text.find("torchrun"));
  CHECK(says(commands, "--nproc_per_node ${GPUS} train.py ${ARGS}\n"));
  CHECK_FALSE(says(commands, "train: data"));
  CHECK_FALSE(says(commands, "@"));
  CHECK_FALSE(says(commands, "get.py"));
  CHECK_FALSE(says(commands, "count.py"));
  CHECK(variable(commands, "GPUS") == "8");
  CHECK(variable(commands, "ARGS") == "--lr 0.1     --bs 4");
}

TEST_CASE("functions of make and variables that refer to themselves are unknown") {
  const CarriedCommands commands =
      carried_commands("Makefile", "A = $(shell nproc)\nB = $(B) x\nC = $(\nD += 1\n= 3\n");
  CHECK(variable(commands, "A") == std::string(1, kUnknownByte));
  CHECK(variable(commands, "B").find(kUnknownByte) != std::string::npos);
  CHECK(variable(commands, "C").empty());
  CHECK(variable(commands, "D") == "1");
}

TEST_CASE("what is added to a variable counts, and what a conditional sets is unknown") {
  const CarriedCommands commands = carried_commands(
      "Makefile",
      "ARGS = --lr 0.1\nARGS += --bs 4\nifdef FAST\n  EPOCHS := 1\nelse\nEPOCHS := 9\nendif\n"
      "export OMP_NUM_THREADS = 4\nCUDA_VISIBLE_DEVICES = 0\n");
  CHECK(variable(commands, "ARGS") == "--lr 0.1 --bs 4");
  CHECK(variable(commands, "EPOCHS") == std::string(1, kUnknownByte));
  CHECK(value_in(commands.variables, "OMP_NUM_THREADS") == "4");
  CHECK(value_in(commands.variables, "CUDA_VISIBLE_DEVICES") == "not set");
  CHECK(value_in(commands.unexported, "CUDA_VISIBLE_DEVICES") == "0");
}

TEST_CASE("a Dockerfile carries what it starts and sets") {
  const std::string text =
      "FROM torch\nENV BATCH=4 NAME=\"a b\"\nARG LR 0.1\nRUN pip install x \\\n  y\n"
      "ENTRYPOINT [\"python\", \"train.py\"]\n# by default\nCMD [\"--bs\", \"$BATCH\"]\n";
  const CarriedCommands commands = carried_commands("Dockerfile", text);
  CHECK(commands.text.size() == text.size());
  CHECK(commands.text.find("\"train.py\"") == text.find("\"train.py\""));
  CHECK(says(commands, "pip install x \\\n  y\n"));
  CHECK_FALSE(says(commands, "torch"));
  CHECK_FALSE(says(commands, "["));
  const std::size_t program = commands.text.find("train.py");
  CHECK(commands.text.find('\n', program) > commands.text.find("--bs"));
  CHECK(variable(commands, "BATCH") == "4");
  CHECK(variable(commands, "NAME") == "a b");
  CHECK(value_in(commands.unexported, "LR") == "0.1");
}

TEST_CASE("broken files carry what can be read of them") {
  for (const char* path : {"Makefile", "Dockerfile", "README.md"}) {
    CAPTURE(path);
    for (const std::string text : {"", "\t", "CMD [\"a", "ENV", "ENV A", "ENV A=\"b", "RUN \\",
                                   "A = $", "\tx $", "```\n$ ", "CMD [\"a\"]\nCMD"}) {
      CAPTURE(text);
      CHECK(carried_commands(path, text).text.size() == text.size());
    }
  }
}

TEST_CASE("a document carries the commands it shows") {
  const CarriedCommands commands =
      carried_commands("README.md", "Run `a.py`:\n```bash\n$ python b.py\n```\n```json\n{}\n```\n");
  CHECK(says(commands, "python b.py"));
  CHECK_FALSE(says(commands, "a.py"));
  CHECK_FALSE(says(commands, "$"));
  CHECK_FALSE(says(commands, "{}"));
}
