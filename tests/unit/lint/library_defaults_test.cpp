// What a library does where a program's call of it says nothing.

#include "unit/lint/code_project.h"

#include <doctest/doctest.h>

namespace library_defaults_test {

using namespace gpulint;

Project tuned_by(const std::string& arguments, const std::string& trainer) {
  return Project({{".git/HEAD", ""},
                  {"tune.py",
                   "from transformers import AutoModelForCausalLM, TrainingArguments\n"
                   "from trl import DPOTrainer, SFTTrainer\nfrom peft import LoraConfig\n"
                   "model = AutoModelForCausalLM.from_pretrained('gpt2')\n"
                   "args = TrainingArguments(output_dir='out', per_device_train_batch_size=2" +
                       arguments + ")\n" + trainer + ".train()\n"}},
                 "tune.py");
}

TEST_CASE("a Trainer's arguments that a call leaves out have the library's defaults") {
  const Project bare = tuned_by("", "SFTTrainer(model, args=args)");
  CHECK(bare.fact("eval_batch_size") == "8 code tune.py:5");
  CHECK(bare.fact("weight_decay") == "0 code tune.py:5");
  CHECK(bare.fact("max_grad_norm") == "1 code tune.py:5");
  CHECK(bare.fact("lr_schedule") == "linear code tune.py:5");
  CHECK(bare.fact("epochs") == "3 code tune.py:5");
  CHECK(bare.fact("persistent_workers") == "false code tune.py:5");
  const Project stated =
      tuned_by(", weight_decay=0.1, max_steps=50", "SFTTrainer(model, args=args)");
  CHECK(stated.fact("weight_decay").starts_with("0.1 "));
  CHECK(stated.fact("epochs") == "unknown");
}

TEST_CASE("a Trainer's arguments have the library's defaults whatever folder comes first") {
  const auto tuned = [](const std::string& arguments) {
    return Project({{".git/HEAD", ""},
                    {"tune.py",
                     "import time\nfrom transformers import AutoModelForCausalLM, Trainer, "
                     "TrainingArguments\nmodel = AutoModelForCausalLM.from_pretrained('gpt2')\n"
                     "args = TrainingArguments(f'out-{time.time()}', num_train_epochs=2" +
                         arguments + ")\nTrainer(model, args).train()\n"}},
                   "tune.py");
  };
  const Project bare = tuned("");
  CHECK(bare.fact("optimizer") == "adamw code tune.py:4");
  CHECK(bare.fact("lr_schedule") == "linear code tune.py:4");
  CHECK(bare.fact("num_workers") == "0 code tune.py:4");
  CHECK(bare.fact("activation_checkpointing") == "none code tune.py:4");
  CHECK(bare.fact("mixed_precision").starts_with("none"));
  const Project told = tuned(", bf16=True, gradient_checkpointing=True");
  CHECK(told.fact("mixed_precision").starts_with("bf16"));
  CHECK(told.fact("activation_checkpointing").starts_with("full"));
}

TEST_CASE("what code does to a network by itself is no default of its Trainer") {
  const Project called = tuned_by(")\nmodel.gradient_checkpointing_enable(", "Trainer(model, args)");
  CHECK(called.fact("activation_checkpointing") != "none code tune.py:5");
  const Project hidden = tuned_by(")\nfit(model, lambda m: m.gradient_checkpointing_enable()",
                                  "Trainer(model, args)");
  CHECK(hidden.fact("activation_checkpointing") == "unknown");
}

TEST_CASE("accelerate may bring half precision to a Trainer that says nothing of it") {
  const auto precision = [](const std::string& command) {
    return Project({{".git/HEAD", ""},
                    {"tune.py",
                     "from transformers import AutoModelForCausalLM, Trainer, TrainingArguments\n"
                     "model = AutoModelForCausalLM.from_pretrained('gpt2')\n"
                     "args = TrainingArguments('out', per_device_train_batch_size=2)\n"
                     "Trainer(model, args).train()\n"},
                    {"half.yaml",
                     "compute_environment: LOCAL_MACHINE\ndistributed_type: MULTI_GPU\n"
                     "mixed_precision: bf16\nnum_processes: 4\n"},
                    {"run.sh", command + " tune.py\n"}},
                   "run.sh")
        .fact("mixed_precision");
  };
  CHECK(precision("python").starts_with("none"));
  CHECK(precision("torchrun --nproc_per_node 2").starts_with("none"));
  CHECK(precision("accelerate launch") == "unknown");
  CHECK(precision("accelerate launch --config_file gone.yaml") == "unknown");
  CHECK(precision("accelerate launch --config_file half.yaml").starts_with("bf16"));
  CHECK(precision("accelerate launch --mixed_precision bf16").starts_with("bf16"));
}

TEST_CASE("a length that TRL's trainers take themselves is where samples are cut") {
  CHECK(tuned_by("", "DPOTrainer(model, args=args, max_length=640)").fact("sequence_length") ==
        "640 code tune.py:6");
  const Project tuned = tuned_by("", "SFTTrainer(model, args=args, max_seq_length=320)");
  CHECK(tuned.fact("sequence_length") == "320 code tune.py:6");
  CHECK(tuned.fact("sequence_length_is_limit").starts_with("true"));
}

TEST_CASE("an adapter without a rank has the library's") {
  const Project bare = tuned_by("", "SFTTrainer(model, args=args, peft_config=LoraConfig())");
  CHECK(bare.fact("adapter_rank") == "8 code tune.py:6");
  CHECK(tuned_by("", "SFTTrainer(model, args=args, peft_config=LoraConfig(r=32))")
            .fact("adapter_rank")
            .starts_with("32 "));
}

/// A module and its data, fitted by a `Trainer` or by Lightning's command line.
MemoryReader::Files fitted_by(const std::string& program, const std::string& config) {
  return {{".git/HEAD", ""},
          {"main.py",
           "import torch, yaml, sys\nimport pytorch_lightning as pl\n"
           "from pytorch_lightning.cli import LightningCLI\n"
           "from pytorch_lightning.strategies import DDPStrategy\n"
           "class Net(pl.LightningModule):\n"
           "    def __init__(self, width: int = 4):\n        super().__init__()\n"
           "        self.layer = torch.nn.Linear(width, 2)\n"
           "    def training_step(self, batch, i):\n        return self.layer(batch).sum()\n" +
               program},
          {"fit.yaml", config}};
}

const std::string kOptimizer =
    "    def configure_optimizers(self):\n"
    "        return torch.optim.Adam(self.parameters(), lr=0.1)\n";

std::string trained(const std::string& arguments) {
  return kOptimizer +
         "if __name__ == '__main__':\n"
         "    cfg = yaml.safe_load(open(sys.argv[1]))\n"
         "    loader = torch.utils.data.DataLoader(data(), batch_size=cfg['batch_size'])\n"
         "    pl.Trainer(" +
         arguments + ").fit(Net(), loader)\n";
}

TEST_CASE("a Trainer that is told nothing trains in fp32, whole, and does not compile") {
  const Project project(fitted_by(trained("max_epochs=3"), "batch_size: 8\nnum_workers: 2\n"),
                        "fit.yaml");
  CHECK(project.fact("mixed_precision") == "none code main.py:16");
  CHECK(project.fact("weights_dtype") == "fp32 code main.py:16");
  CHECK(project.fact("sharding_stage") == "0 code main.py:16");
  CHECK(project.fact("offload").starts_with("none"));
  CHECK(project.fact("compile").starts_with("false code"));
  CHECK(project.fact("epochs").starts_with("3 code"));
}

TEST_CASE("a Trainer that is made to test says nothing of the training") {
  const std::string test = "    trainer = pl.Trainer(devices=1)\n    trainer.test(Net(), loader)\n";
  const auto epochs = [](const std::string& fits) {
    return Project(fitted_by(kOptimizer +
                                 "if __name__ == '__main__':\n"
                                 "    cfg = yaml.safe_load(open(sys.argv[1]))\n"
                                 "    loader = torch.utils.data.DataLoader(data(), "
                                 "batch_size=cfg['batch_size'])\n" +
                                 fits,
                             "batch_size: 8\nrounds: 7\nnum_workers: 2\n"),
                   "fit.yaml");
  };
  const std::string made = "    trainer = pl.Trainer(max_epochs=cfg['rounds'], devices=4)\n";
  const Project fits = epochs(made + "    trainer.fit(Net(), loader)\n" + test);
  CHECK(fits.fact("epochs") == "7 stated fit.yaml:2");
  CHECK(fits.fact("gpus_per_node").starts_with("4 "));
  const Project both =
      epochs(made + "    trainer.fit(Net(), loader)\n" + test + "    trainer.fit(Net(), loader)\n");
  CHECK(both.fact("gpus_per_node") == "unknown");
  const Project either = epochs(
      "    if torch.cuda.device_count() > 1:\n        trainer = pl.Trainer(max_epochs=7, devices=4)\n"
      "    else:\n        trainer = pl.Trainer(max_epochs=7, devices=4)\n"
      "    trainer.fit(Net(), loader)\n" +
      test);
  CHECK(either.fact("gpus_per_node").starts_with("4 "));
}

TEST_CASE("a Trainer that is told how, or by options nobody knows, has no such defaults") {
  const Project told(fitted_by(trained("precision='bf16-mixed', strategy='fsdp', max_steps=5"),
                               "batch_size: 8\nnum_workers: 2\n"),
                     "fit.yaml");
  CHECK(told.fact("mixed_precision").starts_with("bf16"));
  CHECK(told.fact("sharding_stage").starts_with("3"));
  CHECK(told.fact("epochs") == "unknown");
  const Project open(fitted_by(trained("**options()"), "batch_size: 8\nnum_workers: 2\n"),
                     "fit.yaml");
  CHECK(open.fact("mixed_precision") == "unknown");
  CHECK(open.fact("sharding_stage") == "unknown");
}

TEST_CASE("an engine of Lightning that copies the network to every rank splits nothing") {
  const Project project(
      fitted_by(trained("strategy=DDPStrategy()"), "batch_size: 8\nnum_workers: 2\n"), "fit.yaml");
  CHECK(project.fact("sharding_engine").starts_with("ddp code"));
  CHECK(project.fact("sharding_stage").starts_with("0 code"));
}

TEST_CASE("what nothing in a program speaks of is not done by Lightning's command line either") {
  const std::string config =
      "model:\n  width: 8\ntrainer:\n  max_epochs: 2\n  strategy: auto\n  devices: 1\n"
      "optimizer:\n  class_path: torch.optim.Adam\n  init_args:\n    lr: 0.1\n";
  const Project project(
      fitted_by("if __name__ == '__main__':\n    LightningCLI(Net)\n", config), "fit.yaml");
  CHECK(project.fact("lr_schedule") == "constant code main.py:1");
  CHECK(project.fact("compile") == "false code main.py:1");
  CHECK(project.fact("sharding_stage") == "0 stated fit.yaml:5");
}

TEST_CASE("a rate that a program's own optimizer is given stands before a Trainer's default") {
  const Project project(
      {{".git/HEAD", ""},
       {"tune.py",
        "import torch\nfrom transformers import AutoModelForCausalLM, Trainer, TrainingArguments\n"
        "model = AutoModelForCausalLM.from_pretrained('gpt2')\n"
        "args = TrainingArguments(output_dir='out', per_device_train_batch_size=2)\n"
        "own = torch.optim.SGD(model.parameters(), lr=0.25)\n"
        "Trainer(model, args=args, optimizers=(own, None)).train()\n"}},
      "tune.py");
  CHECK(project.fact("learning_rate").starts_with("0.25 "));
  CHECK(project.fact("optimizer").starts_with("sgd "));
}

TEST_CASE("workers of Ray call the function that they are given, with its config") {
  const Project project(
      {{".git/HEAD", ""},
       {"main.py",
        "import sys, torch, yaml\nfrom ray.train import ScalingConfig\n"
        "from ray.train.torch import TorchTrainer\n"
        "def work(options):\n"
        "    loader = torch.utils.data.DataLoader(data(), batch_size=options['size'])\n"
        "    net = torch.nn.Linear(3, 4)\n"
        "    optimizer = torch.optim.AdamW(net.parameters(), lr=options['rate'])\n"
        "    for epoch in range(options['epochs']):\n"
        "        for batch in loader:\n            net(batch).sum().backward()\n"
        "            optimizer.step()\n"
        "if __name__ == '__main__':\n"
        "    cfg = yaml.safe_load(open(sys.argv[1]))\n"
        "    trainer = TorchTrainer(work, train_loop_config={'size': cfg['batch_size'],\n"
        "        'rate': cfg['lr'], 'epochs': cfg['rounds']},\n"
        "        scaling_config=ScalingConfig(num_workers=cfg['copies'], use_gpu=True))\n"
        "    trainer.fit()\n"},
       {"fit.yaml", "batch_size: 16\nlr: 0.25\nrounds: 7\ncopies: 2\n"}},
      "fit.yaml");
  CHECK(project.fact("epochs") == "7 stated fit.yaml:3");
  CHECK(project.fact("world_size") == "2 stated fit.yaml:4");
  CHECK(project.fact("optimizer") == "adamw code main.py:7");
  CHECK(project.fact("num_workers") == "0 code main.py:5");
}

TEST_CASE("a program whose trainer is a library's has no adapter that none of its code speaks of") {
  const Project whole = tuned_by("", "Trainer(model, args=args)");
  CHECK(whole.fact("adapter") == "none code tune.py:5");
  CHECK(whole.fact("quantization") == "none code tune.py:5");
  CHECK(whole.fact("world_size") == "unknown");
  const Project adapted = tuned_by("", "Trainer(get_peft_model(model, options()), args=args)");
  CHECK(adapted.fact("adapter") == "unknown");
  const Project trl({{".git/HEAD", ""},
                     {"tune.py",
                      "from transformers import AutoModelForCausalLM\n"
                      "from trl import SFTConfig, SFTTrainer\n"
                      "model = AutoModelForCausalLM.from_pretrained('gpt2')\n"
                      "args = SFTConfig(output_dir='out', per_device_train_batch_size=2)\n"
                      "SFTTrainer(model, args=args).train()\n"}},
                    "tune.py");
  CHECK(trl.fact("adapter").starts_with("none code"));
  for (const char* fact : {"world_size", "sharding_stage", "warmup_steps"})
    CHECK(trl.fact(fact) == "unknown");
}

TEST_CASE("a variable that a program never hands on says nothing where its trainer does without") {
  const auto optimizer = [](const std::string& argument) {
    const Project project(
        {{".git/HEAD", ""},
         {"tune.py",
          "from transformers import AutoModelForCausalLM, Trainer, TrainingArguments\n"
          "optim = 'paged_adamw_32bit'\nlearning_rate = 3e-4\n"
          "model = AutoModelForCausalLM.from_pretrained('gpt2')\n"
          "args = TrainingArguments(output_dir='out', per_device_train_batch_size=2,\n"
          "    learning_rate=learning_rate,\n    " +
              argument + "\n)\nTrainer(model, args=args).train()\n"}},
        "tune.py");
    CHECK(project.fact("learning_rate") == "0.0003 stated tune.py:3");
    return project.fact("optimizer");
  };
  CHECK(optimizer("# optim=optim,") == "adamw code tune.py:5");
  CHECK(optimizer("optim=optim,") == "paged_adamw stated tune.py:2");
}

TEST_CASE("Apex runs in half precision unless its level says that it does not") {
  const auto precision = [](const std::string& level) {
    const Project project({{".git/HEAD", ""},
                           {"train.py",
                            "import argparse, torch, yaml\nfrom apex import amp\n"
                            "parser = argparse.ArgumentParser()\nparser.add_argument('--cfg')\n"
                            "parser.add_argument('--level', default='" + level + "')\n"
                            "args = parser.parse_args()\ncfg = yaml.safe_load(open(args.cfg))\n"
                            "net = torch.nn.Linear(4, 4)\n"
                            "optimizer = torch.optim.SGD(net.parameters(), lr=cfg['TRAIN']['BASE_LR'] / 2)\n"
                            "if args.level != 'O0':\n"
                            "    net, optimizer = amp.initialize(net, optimizer, opt_level=args.level)\n"
                            "for x in data:\n    net(x).sum().backward()\n    optimizer.step()\n"},
                           {"a.yaml", "MODEL: {SWIN: {EMBED_DIM: 96}}\nTRAIN: {BASE_LR: 0.5}\n"}},
                          "a.yaml");
    // Such a config states the rate before it is scaled.
    CHECK(project.fact("learning_rate") == "0.5 stated a.yaml:2");
    CHECK(project.fact("optimizer") == "sgd code train.py:9");
    return project.fact("mixed_precision");
  };
  CHECK(precision("O1") == "fp16 code train.py:5");
  CHECK(precision("O2") == "fp16 code train.py:5");
  CHECK(precision("O3") == "unknown");
  CHECK(precision("O0").starts_with("none code"));
}

}  // namespace library_defaults_test
