// Programs whose library reads the config and builds the classes that it names.

#include "unit/lint/code_project.h"

#include <doctest/doctest.h>

namespace command_line_classes_test {

using namespace gpulint;
using Files = MemoryReader::Files;

const std::string kClasses =
    "import torch\nimport pytorch_lightning as pl\n"
    "class Net(pl.LightningModule):\n"
    "    def __init__(self, width: int = 8, speed: float = 1e-3, share: float = 0.2):\n"
    "        super().__init__()\n"
    "        self.speed, self.share = speed, share\n"
    "        self.layer = torch.nn.Linear(width, width)\n"
    "    def configure_optimizers(self):\n"
    "        opt = torch.optim.AdamW(self.parameters(), lr=self.speed)\n"
    "        cycle = torch.optim.lr_scheduler.OneCycleLR(opt, self.speed, pct_start=self.share)\n"
    "        return [opt], [cycle]\n"
    "class Data(pl.LightningDataModule):\n"
    "    def __init__(self, rows: int = 4, helpers: int = 3):\n"
    "        super().__init__()\n"
    "        self.rows, self.helpers = rows, helpers\n"
    "    def train_dataloader(self):\n"
    "        return torch.utils.data.DataLoader([1], batch_size=self.rows,\n"
    "                                           num_workers=self.helpers)\n";

Project with_program(const std::string& program, const std::string& config) {
  return Project({{".git/HEAD", ""},
                  {"classes.py", kClasses},
                  {"main.py", "from pytorch_lightning.cli import LightningCLI\n" + program},
                  {"configs/a.yaml", config}},
                 "configs/a.yaml");
}

const std::string kOfClasses =
    "trainer: {max_epochs: 2}\nmodel: {width: 16, speed: 5e-4}\ndata: {rows: 32}\n";

TEST_CASE(
    "a command line of Lightning hands the sections of the config to the classes it is given") {
  const Project project = with_program(
      "from classes import Net, Data\n"
      "if __name__ == '__main__':\n    LightningCLI(Net, Data)\n",
      kOfClasses);
  CHECK(project.fact("per_device_batch_size") == "32 stated configs/a.yaml:3");
  CHECK(project.fact("learning_rate") == "0.0005 stated configs/a.yaml:2");
  CHECK(project.fact("optimizer") == "adamw code classes.py:9");
  CHECK(project.fact("warmup_ratio") == "0.2 code classes.py:4");
  CHECK(project.fact("num_workers") == "3 code classes.py:13");
  CHECK(project.fact("parameters") == "272 code classes.py:3");
}

TEST_CASE("what a program tells Lightning's command line of the trainer counts where the config is silent") {
  const std::string program =
      "from classes import Net, Data\n"
      "if __name__ == '__main__':\n"
      "    LightningCLI(Net, Data, trainer_defaults={'precision': '16-mixed', 'max_epochs': 9})\n";
  const Project project = with_program(program, kOfClasses);
  CHECK(project.fact("mixed_precision") == "fp16 code main.py:4");
  CHECK(project.fact("epochs") == "2 stated configs/a.yaml:1");
}

TEST_CASE("a command line of Lightning builds the classes that the config names") {
  const Project project =
      with_program("if __name__ == '__main__':\n    LightningCLI()\n",
                   "trainer: {max_epochs: 2}\n"
                   "model: {class_path: classes.Net, init_args: {width: 16, speed: 5e-4}}\n"
                   "data: {class_path: classes.Data, init_args: {rows: 32}}\n");
  CHECK(project.fact("per_device_batch_size") == "32 stated configs/a.yaml:3");
  CHECK(project.fact("optimizer") == "adamw code classes.py:9");
  CHECK(project.fact("parameters") == "272 code classes.py:3");
}

TEST_CASE("a class derived from Lightning's command line sets defaults and links arguments") {
  const Project project = with_program(
      "from classes import Net, Data\n"
      "class Program(LightningCLI):\n"
      "    def add_arguments_to_parser(self, parser):\n"
      "        parser.set_defaults({'data.helpers': 5})\n"
      "        parser.link_arguments('data.rows', 'model.width')\n"
      "def main():\n"
      "    cli = Program(Net, Data, run=False)\n"
      "    cli.trainer.fit(cli.model, cli.datamodule)\n"
      "if __name__ == '__main__':\n    main()\n",
      "trainer: {max_epochs: 2}\nmodel: {speed: 5e-4}\ndata: {rows: 32}\n");
  CHECK(project.fact("num_workers") == "5 code main.py:5");
  CHECK(project.fact("optimizer") == "adamw code classes.py:9");
  CHECK(project.fact("parameters") == "1056 code classes.py:3");  // as wide as the other's rows
}

TEST_CASE("a command line of Lightning makes the optimizer and the parts that the config names") {
  const Project project = Project(
      {{".git/HEAD", ""},
       {"classes.py",
        "import torch\nimport pytorch_lightning as pl\n"
        "class Loss(torch.nn.Module):\n    def __init__(self, count=3):\n"
        "        super().__init__()\n        self.count = count\n"
        "class Net(pl.LightningModule):\n    def __init__(self, width: int, loss):\n"
        "        super().__init__()\n"
        "        self.layer = torch.nn.Linear(width, loss.count)\n"
        "class Data(pl.LightningDataModule):\n    def __init__(self, names, rows):\n"
        "        super().__init__()\n        self.names, self.rows = names, rows\n"
        "    def train_dataloader(self):\n"
        "        return torch.utils.data.DataLoader([1], batch_size=self.rows)\n"
        "    @property\n    def columns(self): return len(self.names)\n"},
       {"main.py",
        "from pytorch_lightning.cli import LightningCLI\nclass Program(LightningCLI):\n"
        "    def add_arguments_to_parser(self, parser):\n"
        "        parser.link_arguments('data.columns', 'model.init_args.width',\n"
        "                              apply_on='instantiate')\n"
        "if __name__ == '__main__':\n    Program()\n"},
       {"configs/a.yaml",
        "trainer: {max_epochs: 2}\n"
        "model:\n  class_path: classes.Net\n"
        "  init_args: {loss: {class_path: classes.Loss, init_args: {count: 5}}}\n"
        "data: {class_path: classes.Data, init_args: {names: [a, b], rows: 32}}\n"
        "optimizer: {class_path: torch.optim.AdamW, init_args: {lr: 0.1}}\n"}},
      "configs/a.yaml");
  CHECK(project.fact("parameters") == "15 code classes.py:7");
  CHECK(project.fact("optimizer_epsilon") == "unknown");
}

TEST_CASE("a class of a library that a command's options fill has the library's defaults") {
  const auto with = [](const std::string& command, const std::string& classes,
                       const std::string& name = "finetune") {
    return Project(
        {{".git/HEAD", ""},
         {"run.sh", "CUDA_VISIBLE_DEVICES=0 python " + name + ".py " + command + "\n"},
         {name + ".py",
          "from dataclasses import dataclass\n"
          "from transformers import HfArgumentParser, Trainer, TrainingArguments\n"
          "@dataclass\nclass Words:\n    network: str = 'a'\n    max_length: int = 64\n"
          "@dataclass\nclass Own(TrainingArguments):\n    weight_decay: float = 0.1\n"
          "def main():\n"
          "    words, training = HfArgumentParser((Words, " + classes +
              ")).parse_args_into_dataclasses()\n" +
              (name == "prune" ? "    if training.do_train:\n    " : "") +
              "    Trainer(args=training).train()\n"
          "if __name__ == '__main__':\n    main()\n"}},
        "run.sh");
  };
  const std::string options =
      "--output_dir out --learning_rate 3e-4 --gradient_accumulation_steps 2 --max_length 32";
  const Project plain = with(options, "TrainingArguments");
  CHECK(plain.fact("learning_rate") == "0.0003 stated run.sh:1");
  CHECK(plain.fact("gradient_accumulation_steps") == "2 stated run.sh:1");
  CHECK(plain.fact("per_device_batch_size") == "8 code finetune.py:11");
  CHECK(plain.fact("eval_batch_size") == "8 code finetune.py:11");
  CHECK(plain.fact("lr_schedule") == "linear code finetune.py:11");
  CHECK(plain.fact("weight_decay") == "0 code finetune.py:11");
  const auto schedule = [&](const std::string& more, const std::string& name) {
    return with(options + more, "TrainingArguments", name).fact("lr_schedule");
  };
  CHECK_FALSE(schedule("", "prune").starts_with("linear"));
  CHECK(schedule("", "tune") == "linear code tune.py:11");  // it asks for no switch
  CHECK(schedule(" --do_train", "prune") == "linear code prune.py:11");
  CHECK_FALSE(schedule(" --do_predict", "finetune").starts_with("linear"));
  const Project extended = with(options, "Own");
  CHECK(extended.fact("learning_rate") == "0.0003 stated run.sh:1");
  CHECK(extended.fact("lr_schedule") == "linear code finetune.py:11");
  CHECK(extended.fact("weight_decay") == "0.1 code finetune.py:9");
}

}  // namespace command_line_classes_test
