// Which of several programs, and of several configs that they name, a run is of.

#include "unit/lint/code_project.h"

#include <doctest/doctest.h>

#include <map>
#include <string>

namespace entry_configs_test {

using namespace gpulint;

namespace {

using Files = MemoryReader::Files;

std::string program(const std::string& config, const std::string& does) {
  return "import hydra\nimport lightning as L\n"
         "@hydra.main(version_base='1.3', config_path='../configs', config_name='" +
         config +
         "')\n"
         "def main(cfg):\n"
         "    model = hydra.utils.instantiate(cfg.model)\n"
         "    trainer = hydra.utils.instantiate(cfg.trainer)\n"
         "    trainer." +
         does +
         "(model=model)\n"
         "if __name__ == '__main__':\n    main()\n";
}

Files project() {
  return {{".git/HEAD", ""},
          {"src/train.py", program("train.yaml", "fit")},
          {"src/eval.py", program("eval.yaml", "test")},
          {"src/net.py",
           "import lightning as L\nimport torch\n"
           "class Net(L.LightningModule):\n"
           "    def __init__(self, width):\n"
           "        super().__init__()\n"
           "        self.a = torch.nn.Linear(10, width)\n"
           "    def training_step(self, batch, i): return self.a(batch[0]).mean()\n"
           "    def configure_optimizers(self):\n"
           "        return torch.optim.Adam(self.parameters(), lr=0.1)\n"},
          {"configs/train.yaml",
           "defaults:\n  - _self_\n  - model: small\n  - trainer: default\n  - experiment: null\n"},
          {"configs/eval.yaml",
           "defaults:\n  - _self_\n  - model: large\n  - trainer: default\nckpt_path: ???\n"},
          {"configs/model/small.yaml", "_target_: src.net.Net\nwidth: 4\n"},
          {"configs/model/large.yaml", "_target_: src.net.Net\nwidth: 400\n"},
          {"configs/trainer/default.yaml",
           "_target_: lightning.pytorch.trainer.Trainer\nmax_epochs: 10\ndevices: 1\n"},
          {"configs/experiment/long.yaml", "# @package _global_\ntrainer:\n  max_epochs: 30\n"}};
}

}  // namespace

TEST_CASE("the config of a program that evaluates is no run of the one that trains") {
  CHECK(Project(project(), "configs/eval.yaml").fact("parameters") == "unknown");
  CHECK(Project(project(), "configs/train.yaml").fact("parameters") == "44 code src/net.py:3");
  // A project without such a program trains by either.
  Files alone = project();
  alone.erase("src/eval.py");
  CHECK(Project(std::move(alone), "configs/eval.yaml").fact("parameters") ==
        "4400 code src/net.py:3");
}

TEST_CASE("an experiment is laid over the config that the training takes") {
  const Project run(project(), "configs/experiment/long.yaml");
  CHECK(run.fact("epochs") == "30 stated configs/experiment/long.yaml:3");
  CHECK(run.fact("parameters") == "44 code src/net.py:3");
}

TEST_CASE("a script beside its configs trains by them, and those of other folders do not") {
  const auto script = [](int width) {
    return "import argparse, yaml, torch\n"
           "def main():\n"
           "    parser = argparse.ArgumentParser()\n"
           "    parser.add_argument('--config')\n"
           "    cfg = yaml.safe_load(open(parser.parse_args().config))\n"
           "    net = torch.nn.Linear(10, " +
           std::to_string(width) +
           ")\n"
           "    optimizer = torch.optim.Adam(net.parameters(), lr=cfg['lr'])\n"
           "    for epoch in range(cfg['epochs']):\n"
           "        for x, y in torch.utils.data.DataLoader(data(), cfg['batch_size']):\n"
           "            net(x).mean().backward()\n"
           "            optimizer.step()\n"
           "if __name__ == '__main__':\n    main()\n";
  };
  const auto parameters = [](Files files) {
    const Project project(std::move(files), "small/configs/a.yaml");
    const Plan* plan = project.plan();
    REQUIRE(plan != nullptr);
    return project.fact("parameters") +
           (plan->facts.parameters->from.detail.find("at least") == std::string::npos ? "" : "+");
  };
  Files files = {{".git/HEAD", ""},
                 {"small/train.py", script(4)},
                 {"large/train.py", script(400)},
                 {"small/configs/a.yaml", "lr: 0.1\nbatch_size: 8\nepochs: 3\n"},
                 {"large/configs/a.yaml", "lr: 0.1\nbatch_size: 8\nepochs: 3\n"}};
  CHECK(parameters(files) == "44 code small/train.py:6");
  // One above both may be meant as well.
  files["train.py"] = script(40);
  CHECK(parameters(files).ends_with("+"));
}

}  // namespace entry_configs_test
