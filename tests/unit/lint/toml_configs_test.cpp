// Configs written in TOML: alone, named by a command, loaded by code.

#include "unit/lint/code_project.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace toml_configs_test {

using namespace gpulint;

const std::string kTitan =
    "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[optimizer]\nname = \"AdamW\"\nlr = 3e-4\n"
    "[training]\nlocal_batch_size = 1\nseq_len = 8192\nsteps = 1_000\n"
    "[parallelism]\ndata_parallel_shard_degree = -1\n";

TEST_CASE("a config in TOML is read in the words of its framework") {
  const Project project({{".git/HEAD", ""}, {"configs/llama3_8b.toml", kTitan}},
                        "configs/llama3_8b.toml");
  CHECK(project.fact("per_device_batch_size") == "1 stated configs/llama3_8b.toml:8");
  CHECK(project.fact("learning_rate") == "0.0003 stated configs/llama3_8b.toml:6");
  CHECK(project.fact("max_steps") == "1000 stated configs/llama3_8b.toml:10");
  CHECK(project.fact("sharding_stage") == "3 stated configs/llama3_8b.toml:12");
  CHECK(project.fact("mixed_precision") == "bf16 dialect default");
}

TEST_CASE("a command that names a config in TOML makes one run with it") {
  const Project project(
      {{".git/HEAD", ""},
       {"configs/llama3_8b.toml", kTitan},
       {"run.sh",
        "torchrun --nproc_per_node=4 -m torchtitan.train "
        "--job.config_file configs/llama3_8b.toml --training.local_batch_size 2\n"}},
      "run.sh");
  CHECK(project.fact("per_device_batch_size") == "2 stated run.sh:1");
  CHECK(project.fact("gpus_per_node") == "4 stated run.sh:1");
  CHECK(project.fact("sequence_length") == "8192 stated configs/llama3_8b.toml:9");
}

TEST_CASE("code that loads a config in TOML is followed") {
  const Project project(
      {{".git/HEAD", ""},
       {"c.toml", "[loader]\nrows = 16\n[step]\nspeed = 5e-5\n"},
       {"train.py",
        "import toml, torch\nfrom torch.utils.data import DataLoader\n"
        "def train(h):\n    loader = DataLoader(make(), batch_size=h['loader']['rows'])\n"
        "    opt = torch.optim.SGD(make_model(), lr=h['step']['speed'])\n"
        "    for x in loader:\n        loss(x).backward()\n        opt.step()\n"
        "if __name__ == '__main__':\n    train(toml.load('c.toml'))\n"}},
      "c.toml");
  CHECK(project.fact("per_device_batch_size") == "16 stated c.toml:2");
  CHECK(project.fact("learning_rate") == "5e-05 stated c.toml:4");
}

LintResult linted(MemoryReader::Files files) {
  const MemoryReader reader(std::move(files));
  LintRequest request;
  request.paths = {"."};
  return lint(session_over(reader), request);
}

TEST_CASE("settings of other tools are no configs") {
  const LintResult result =
      linted({{".git/HEAD", ""},
              {"pyproject.toml", "[tool.x]\nbatch_size = 8\nlearning_rate = 0.1\n"},
              {"a.toml", kTitan}});
  const auto has = [&](std::string_view path) {
    return std::any_of(result.files.begin(), result.files.end(),
                       [&](const auto& file) { return file.path == path; });
  };
  CHECK_FALSE(has("pyproject.toml"));
  CHECK(has("a.toml"));
}

TEST_CASE("a value in TOML is replaced as TOML writes it") {
  const LintResult result = linted({{".git/HEAD", ""},
                                    {".gpulint.yaml", "gpu: a100-sxm4-80gb\n"},
                                    {"a.toml",
                                     "model = \"resnet50\"\n[train]\nbatch_size = 64\n"
                                     "learning_rate = 0.1\noptimizer = \"sgd\"\n"
                                     "mixed_precision = \"no\"\n[data]\nimage_size = 224\npin_memory = false\n"}});
  std::vector<std::string> written;
  for (const Finding& finding : result.findings) {
    if (!finding.fix) continue;
    for (const Edit& edit : finding.fix->edits) written.push_back(edit.text);
  }
  std::sort(written.begin(), written.end());
  CHECK(written == std::vector<std::string>{"\"bf16\"", "true"});
}

}  // namespace toml_configs_test
