// What the training loop of a project does with what it is given.

#include "unit/lint/code_project.h"

#include <doctest/doctest.h>

namespace training_loop_test {

using namespace gpulint;
using Files = MemoryReader::Files;

TEST_CASE("what both sides of a condition do is certain") {
  const Files files = {
      {".git/HEAD", ""},
      {"c.json", "{\"rows\": 16, \"speed\": 0.1}"},
      {"train.py",
       "import json, sys, torch\nimport torch.multiprocessing as mp\n"
       "from torch.utils.data import DataLoader\n"
       "def train(rank, h):\n"
       "    loader = DataLoader(make('train'), batch_size=h['rows'], num_workers=3)\n"
       "    opt = torch.optim.SGD(make_model(), lr=h['speed'])\n"
       "    if rank == 1:\n        torch.optim.AdamW(make_model())\n"
       "if __name__ == '__main__':\n"
       "    h = json.load(open('c.json'))\n"
       "    if torch.cuda.device_count() > 1:\n        mp.spawn(train, args=(h,))\n"
       "    else:\n        train(0, h)\n"}};
  const Project project(files, "c.json");
  CHECK(project.fact("num_workers") == "3 code train.py:5");
  CHECK(project.fact("momentum") == "0 code train.py:6");
}

TEST_CASE("a condition on an attribute of something outside decides nothing") {
  const auto project = [](const std::string& condition) {
    return Project({{".git/HEAD", ""},
                    {"c.json", "{\"rows\": 16, \"speed\": 0.1}"},
                    {"train.py",
                     "import json, torch\nfrom somewhere import options\n"
                     "from torch.utils.data import DataLoader\n"
                     "def train(h, args):\n    model = make_model()\n"
                     "    loader = DataLoader(make('train'), batch_size=h['rows'])\n"
                     "    if " +
                         condition +
                         ":\n        model = torch.compile(model)\n"
                         "    opt = torch.optim.SGD(model.parameters(), lr=h['speed'])\n"
                         "    for x in loader:\n        model(x).backward()\n"
                         "        opt.step()\n"
                         "if __name__ == '__main__':\n"
                         "    train(json.load(open('c.json')), options())\n"}},
                   "c.json");
  };
  for (const char* condition :
       {"args.fast", "not args.fast", "args.fast is not None", "args.a.b"}) {
    CAPTURE(condition);
    CHECK(project(condition).fact("compile") == "unknown");
  }
  CHECK(project("True").fact("compile") == "true code train.py:8");
}

/// A project whose optimizer is made by `call`, of a config with three rates.
Project with_optimizer(const std::string& call) {
  return Project(
      {{".git/HEAD", ""},
       {"conf/c.yaml", "speed: 0.5\nslow: 0.001\nfast: 0.01\ndecay: 0.2\nrows: 6\nhands: 3\n"},
       {"train.py",
        "import argparse, yaml, torch\nfrom torch.utils.data import DataLoader\n"
        "p = argparse.ArgumentParser()\np.add_argument('--config')\n"
        "h = yaml.safe_load(open(p.parse_args().config))\n"
        "DataLoader(make('train'), batch_size=h['rows'], num_workers=h['hands'])\n"
        "a, b = body(), head()\n" +
            call + "\n"}},
      "conf/c.yaml");
}

TEST_CASE("groups of parameters state what they agree on, apart from those that turn it off") {
  const Project decays = with_optimizer(
      "torch.optim.AdamW([{'params': a, 'weight_decay': h['decay']},\n"
      "                   {'params': b, 'weight_decay': 0.0}], lr=h['fast'])");
  CHECK(decays.fact("weight_decay") == "0.2 stated conf/c.yaml:4");
  CHECK(decays.fact("learning_rate") == "0.01 stated conf/c.yaml:3");
  const Project differ = with_optimizer(
      "torch.optim.AdamW([{'params': a, 'lr': h['slow']}, {'params': b, 'lr': h['fast']}])");
  CHECK(differ.fact("learning_rate") == "unknown");
}

TEST_CASE("of groups that differ, the optimizer's own rate counts where one of them goes by it") {
  const Project named = with_optimizer(
      "torch.optim.AdamW([{'params': a, 'lr': h['slow']}, {'params': b, 'lr': h['fast']}],\n"
      "                  lr=h['fast'])");
  CHECK(named.fact("learning_rate") == "0.01 stated conf/c.yaml:3");
  const Project left = with_optimizer(
      "torch.optim.AdamW([{'params': a, 'lr': h['slow']}, {'params': b}], lr=h['fast'])");
  CHECK(left.fact("learning_rate") == "0.01 stated conf/c.yaml:3");
  const Project unused = with_optimizer(
      "torch.optim.AdamW([{'params': a, 'lr': h['slow']}, {'params': b, 'lr': h['speed']}],\n"
      "                  lr=h['fast'])");
  CHECK(unused.fact("learning_rate") == "unknown");
}

TEST_CASE("an optimizer whose states are split over the ranks is made of a class") {
  const Project project = with_optimizer(
      "from torch.distributed.optim import ZeroRedundancyOptimizer\n"
      "ZeroRedundancyOptimizer(a, optimizer_class=torch.optim.AdamW, lr=h['fast'])");
  CHECK(project.fact("optimizer") == "adamw code train.py:9");
  CHECK(project.fact("learning_rate") == "0.01 stated conf/c.yaml:3");
  CHECK(project.fact("sharding_stage") == "1 code train.py:9");
}

TEST_CASE("a decay that the optimizer is not given may be applied by other code") {
  Files files = {{".git/HEAD", ""},
                 {"c.yaml", "batch_size: 16\nlr: 0.1\nweight_decay: 0.01\nnum_workers: 8\n"},
                 {"train.py",
                  "import yaml, torch\n"
                  "if __name__ == '__main__':\n"
                  "    h = yaml.safe_load(open('c.yaml'))\n"
                  "    torch.utils.data.DataLoader(make('train'), h['batch_size'])\n"
                  "    Wrapped(torch.optim.Adam(model.parameters(), lr=h['lr']), h)\n"}};
  CHECK(Project(files, "c.yaml").fact("weight_decay") == "0.01 stated c.yaml:3");
  CHECK(Project(files, "c.yaml").fact("num_workers") == "0 code train.py:4");
  files["c.yaml"] = "batch_size: 16\nlr: 0.1\n";
  CHECK(Project(files, "c.yaml").fact("weight_decay") == "0 code train.py:5");
}

TEST_CASE("a function that a process of its own runs is followed") {
  const Files files = {{".git/HEAD", ""},
                       {"configs/c.yaml", "rows: 16\nspeed: 0.1\n"},
                       {"main.py",
                        "import argparse, yaml, torch\nimport multiprocessing as mp\n"
                        "from torch.utils.data import DataLoader\n"
                        "def work(rank, name, world_size):\n"
                        "    h = yaml.safe_load(open(name))\n"
                        "    DataLoader(make('train'), batch_size=h['rows'], num_workers=3)\n"
                        "    torch.optim.SGD(model(), lr=h['speed'])\n"
                        "if __name__ == '__main__':\n"
                        "    parser = argparse.ArgumentParser()\n"
                        "    parser.add_argument('--config', default='configs.yaml')\n"
                        "    args = parser.parse_args()\n"
                        "    for rank in range(2):\n"
                        "        mp.Process(target=work, args=(rank, args.config, 2)).start()\n"}};
  const Project project(files, "configs/c.yaml");
  CHECK(project.fact("per_device_batch_size") == "16 stated configs/c.yaml:1");
  CHECK(project.fact("num_workers") == "3 code main.py:6");
}

TEST_CASE("a batch that the code divides among the GPUs is the batch of all of them") {
  const auto with = [](const std::string& size) {
    return Files{{".git/HEAD", ""},
                 {"c.json", "{\"batch_size\": 64, \"lr\": 0.1, \"epochs\": 3}"},
                 {"train.py",
                  "import json, torch\nfrom torch.utils.data import DataLoader\n"
                  "if __name__ == '__main__':\n"
                  "    h = json.load(open('c.json'))\n"
                  "    gpus = torch.cuda.device_count()\n"
                  "    rows = " +
                      size +
                      "\n"
                      "    loader = DataLoader(make('train'), batch_size=rows)\n"
                      "    opt = torch.optim.SGD(make_model(), lr=h['lr'])\n"
                      "    for epoch in range(h['epochs']):\n"
                      "        for x in loader:\n"
                      "            loss(x).backward()\n            opt.step()\n"}};
  };
  for (const char* size : {"h['batch_size'] // gpus", "int(h['batch_size'] / gpus)",
                           "max(1, int(h['batch_size'] / (gpus * 2)))"}) {
    CAPTURE(size);
    const Project project(with(size), "c.json");
    CHECK(project.fact("global_batch_size") == "64 stated c.json:1");
    CHECK(project.fact("per_device_batch_size") == "unknown");
  }
  CHECK(Project(with("h['batch_size']"), "c.json").fact("per_device_batch_size") ==
        "64 stated c.json:1");
}

TEST_CASE("micro-batches in a loop of their own are accumulated") {
  const auto with = [](const std::string& rounds) {
    return Files{{".git/HEAD", ""},
                 {"c.json", "{\"batch_size\": 64, \"lr\": 0.1, \"parts\": 4}"},
                 {"train.py",
                  "import json, torch\nfrom torch.utils.data import DataLoader\n"
                  "if __name__ == '__main__':\n"
                  "    h = json.load(open('c.json'))\n"
                  "    loader = DataLoader(make('train'), batch_size=h['batch_size'])\n"
                  "    opt = torch.optim.SGD(make_model(), lr=h['lr'])\n"
                  "    while True:\n"
                  "        for part in " +
                      rounds +
                      ":\n"
                      "            loss(part).backward()\n        opt.step()\n"}};
  };
  CHECK(Project(with("range(h['parts'])"), "c.json").fact("gradient_accumulation_steps") ==
        "4 stated c.json:1");
  CHECK(Project(with("range(8)"), "c.json").fact("gradient_accumulation_steps") ==
        "8 code train.py:8");
  CHECK(Project(with("batches()"), "c.json").fact("gradient_accumulation_steps") == "unknown");
}

TEST_CASE("a loop counts epochs by what it counts to, also where it begins at 1 or goes on") {
  const auto with = [](const std::string& loop) {
    return Files{{".git/HEAD", ""},
                 {"configs/a.yaml", "batch_size: 4\nlr: 0.1\nmax_epoch: 30\nnum_beams: 3\n"},
                 {"train.py",
                  "import sys, torch, yaml\nif __name__ == '__main__':\n"
                  "  cfg = yaml.safe_load(open(sys.argv[1]))\n"
                  "  optimizer = torch.optim.SGD([], lr=cfg['lr'])\n  first = resume()\n"
                  "  for it in " +
                      loop + ":\n    step(it).backward()\n    optimizer.step()\n"}};
  };
  const auto epochs = [&](const std::string& loop) {
    return Project(with(loop), "configs/a.yaml").fact("epochs");
  };
  CHECK(epochs("range(cfg['max_epoch'])") == "30 stated configs/a.yaml:3");
  CHECK(epochs("range(1, cfg['max_epoch'] + 1)") == "30 stated configs/a.yaml:3");
  CHECK(epochs("range(first, cfg['max_epoch'] + 1)") == "30 stated configs/a.yaml:3");
  CHECK(epochs("range(cfg['max_epoch'] + 1)") == "30 stated configs/a.yaml:3");
  CHECK(Project(with("range(12)"), "configs/a.yaml").fact("epochs") ==
        "30 stated configs/a.yaml:3");  // by the key's name
}

TEST_CASE("a network that divides its batches among GPUs is given the batch of all of them") {
  const auto with = [](const std::string& wrap) {
    return Files{{".git/HEAD", ""},
                 {"configs/a.yaml", "batch_size: 32\nlr: 0.1\nepochs: 30\ngpus: [0, 1, 2, 3]\n"},
                 {"train.py",
                  "import sys, torch, yaml\nfrom torch.utils.data import DataLoader\n"
                  "if __name__ == '__main__':\n"
                  "  cfg = yaml.safe_load(open(sys.argv[1]))\n  model = make()\n" +
                      wrap +
                      "  optimizer = torch.optim.SGD(model.parameters(), lr=cfg['lr'])\n"
                      "  for x in DataLoader(train_set, batch_size=cfg['batch_size']):\n"
                      "    model(x).backward()\n    optimizer.step()\n"}};
  };
  const Project whole(with("  model = torch.nn.DataParallel(model)\n"), "configs/a.yaml");
  CHECK(whole.fact("global_batch_size") == "32 stated configs/a.yaml:1");
  CHECK(whole.fact("per_device_batch_size") == "8 derived");
  CHECK(whole.fact("world_size").starts_with("1 code"));
  CHECK(whole.fact("gpus_per_node").starts_with("4 stated"));
  CHECK(whole.fact("data_parallel_size") == "4 derived");
}

TEST_CASE("a batch that one process may divide among its GPUs is that of the process") {
  const auto with = [](const std::string& gpus, const std::string& loop = "") {
    return Project(
        {{".git/HEAD", ""},
         {"configs/a.yaml", "batch_size: 32\nlr: 0.1\nepochs: 30\nsplit: false\n" + gpus},
         {"train.py",
          "import sys, torch, yaml\nfrom torch.utils.data import DataLoader\n"
          "if __name__ == '__main__':\n"
          "  cfg = yaml.safe_load(open(sys.argv[1]))\n  model = make()\n" +
              (loop.empty() ? "  if unknown():\n    model = torch.nn.DataParallel(model)\n"
                            : loop) +
              "  optimizer = torch.optim.SGD(model.parameters(), lr=cfg['lr'])\n"
              "  for i, x in enumerate(DataLoader(train_set, batch_size=cfg['batch_size'])):\n"
              "    model(x).backward()\n"
              "    if (i + 1) % 4 == 0:\n      optimizer.step()\n"}},
        "configs/a.yaml");
  };
  const Project several = with("gpus: [0, 1]\n");
  CHECK(several.fact("world_size").starts_with("1 code"));
  CHECK(several.fact("global_batch_size") == "128 derived");
  CHECK(several.fact("per_device_batch_size") == "unknown");
  const Project one = with("gpus: [0]\n");
  CHECK(one.fact("per_device_batch_size").starts_with("32 stated"));
  CHECK(one.fact("global_batch_size") == "128 derived");
  const Project open = with("");
  CHECK(open.fact("per_device_batch_size").starts_with("32 stated"));
  CHECK(open.fact("global_batch_size") == "128 derived");
  const Project split = with("gpus: [0, 1]\n", "  model = torch.nn.DataParallel(model)\n");
  CHECK(split.fact("global_batch_size").starts_with("128 "));
  CHECK(split.fact("per_device_batch_size") == "16 derived");
  const Project left_out = with("gpus: [0, 1]\n",
                                "  if cfg['split']:\n    model = torch.nn.DataParallel(model)\n");
  CHECK(left_out.fact("per_device_batch_size").starts_with("32 stated"));
  CHECK(left_out.fact("global_batch_size") == "128 derived");
}

TEST_CASE("what a Lightning module and its data make when they are fitted are facts of the run") {
  const auto fact = [](const std::string& fit, const std::string& name) {
    return Project(
               {{".git/HEAD", ""},
                {"configs/a.yaml", "bs: 16\nspeed: 0.01\nhands: 6\nrounds: 20\n"},
                {"train.py",
                 "import argparse, torch, yaml\nimport pytorch_lightning as pl\n"
                 "from torch.utils.data import DataLoader\n"
                 "class Data(pl.LightningDataModule):\n"
                 "  def __init__(self, cfg):\n    super().__init__()\n    self.cfg = cfg\n"
                 "  def train_dataloader(self):\n"
                 "    return DataLoader(self.rows, self.cfg['bs'], num_workers=self.cfg['hands'])\n"
                 "  def val_dataloader(self):\n    return DataLoader(self.others, 1)\n"
                 "class Net(pl.LightningModule):\n"
                 "  def __init__(self, cfg):\n    super().__init__()\n    self.cfg = cfg\n"
                 "    self.net = torch.nn.Linear(3, 4)\n"
                 "  def train_dataloader(self):\n"
                 "    return DataLoader(self.rows, 2 * self.cfg['bs'])\n"
                 "  def configure_optimizers(self):\n"
                 "    return torch.optim.AdamW(self.parameters(), lr=self.cfg['speed'])\n"
                 "if __name__ == '__main__':\n  p = argparse.ArgumentParser()\n"
                 "  p.add_argument('--config')\n"
                 "  cfg = yaml.safe_load(open(p.parse_args().config))\n"
                 "  trainer = pl.Trainer(max_epochs=cfg['rounds'])\n  trainer.fit(" +
                     fit + ")\n"}},
               "configs/a.yaml")
        .fact(name);
  };
  for (const char* fit : {"Net(cfg), datamodule=Data(cfg)", "Net(cfg), Data(cfg)"}) {
    CAPTURE(fit);
    CHECK(fact(fit, "per_device_batch_size") == "16 stated configs/a.yaml:1");
    CHECK(fact(fit, "num_workers") == "6 stated configs/a.yaml:3");
    CHECK(fact(fit, "learning_rate") == "0.01 stated configs/a.yaml:2");
    CHECK(fact(fit, "epochs") == "20 stated configs/a.yaml:4");
    CHECK(fact(fit, "eval_batch_size") == "1 code train.py:11");
    CHECK(fact(fit, "gradient_accumulation_steps") == "1 code train.py:25");
  }
  CHECK(fact("Net(cfg)", "per_device_batch_size") == "32 code configs/a.yaml:1");
}

TEST_CASE("the rate that a schedule climbs to is the rate of the run") {
  const Project project(
      {{".git/HEAD", ""},
       {"configs/a.yaml", "init_lr: 1e-6\npeak_lr: 1e-3\nbatch_size: 32\nepochs: 3\n"},
       {"train.py",
        "import sys, torch, yaml\nif __name__ == '__main__':\n"
        "  cfg = yaml.safe_load(open(sys.argv[1]))\n"
        "  optimizer = torch.optim.Adam([], lr=cfg['init_lr'])\n"}},
      "configs/a.yaml");
  CHECK(project.fact("learning_rate") == "0.001 stated configs/a.yaml:2");
}

/// A script of PyTorch's own calls: `model` makes what is trained.
Files loop_around(const std::string& model, const std::string& first = "",
                  const std::string& last = "") {
  return {{".git/HEAD", ""},
          {"configs/a.yaml", "lr: 0.1\nbatch_size: 32\nepochs: 3\n"},
          {"train.py",
           "import re, sys, torch, yaml\nif __name__ == '__main__':\n"
           "  cfg = yaml.safe_load(open(sys.argv[1]))\n" +
               first + "  optimizer = torch.optim.SGD([], lr=cfg['lr'])\n  " + model +
               "\n  for x in data():\n    loss = model(x)\n    loss.backward()\n"
               "    optimizer.step()\n" +
               last}};
}

TEST_CASE(
    "a loop that nobody speaks of half precision or several ranks around runs in fp32 on one") {
  const Project plain(loop_around("model = make()"), "configs/a.yaml");
  CHECK(plain.fact("mixed_precision") == "none code train.py:8");
  CHECK(plain.fact("world_size") == "1 code train.py:8");
  const Project half(loop_around("model = make().half()"), "configs/a.yaml");
  CHECK(half.fact("mixed_precision") == "unknown");
  const Project several(loop_around("model = torch.nn.DataParallel(make())"), "configs/a.yaml");
  CHECK(several.fact("world_size") == "1 code train.py:8");  // one process with several GPUs
  CHECK(several.fact("gpus_per_node") == "unknown");
  const Project ranks(
      loop_around("model = torch.nn.parallel.DistributedDataParallel(make())"), "configs/a.yaml");
  CHECK(ranks.fact("world_size") == "unknown");
}

TEST_CASE("a loop that no word of a technique stands around does without it") {
  const auto with = [](const std::string& model) {
    return loop_around(model, "  pattern = re.compile('a')\n",
                       "    torch.save(model, 'checkpoint.pt')\n");
  };
  const Project plain(with("model = compute()"), "configs/a.yaml");
  CHECK(plain.fact("activation_checkpointing") == "none code train.py:9");
  CHECK(plain.fact("adapter") == "none code train.py:9");
  CHECK(plain.fact("quantization") == "none code train.py:9");
  CHECK(plain.fact("sharding_stage") == "0 code train.py:9");
  CHECK(plain.fact("offload") == "none code train.py:9");
  CHECK(plain.fact("tensor_parallel_size") == "1 code train.py:9");
  CHECK(plain.fact("pipeline_parallel_size") == "1 code train.py:9");
  CHECK(plain.fact("compile") == "false code train.py:9");
  const auto unknown_with = [&](const char* fact, const char* line) {
    CAPTURE(line);
    CHECK(Project(with(line), "configs/a.yaml").fact(fact) == "unknown");
  };
  unknown_with("activation_checkpointing", "model = make(use_checkpoint=flag())");
  unknown_with("activation_checkpointing", "model = wrap(torch.utils.checkpoint)");
  unknown_with("adapter", "model = add_lora(make())");
  unknown_with("quantization", "model = quantize(make())");
  unknown_with("sharding_stage", "model = fully_shard(make())");
  unknown_with("offload", "model = deepspeed.initialize(make())");
  unknown_with("tensor_parallel_size", "model = parallelize_module(make())");
  unknown_with("compile", "model = make().compile(mode='default')");
}

TEST_CASE(
    "a batch sampler says how large the batches of its loader are, and a sampler how it draws") {
  const auto read = [](const std::string& sampler) {
    return Project({{"train.py",
                     "import torch\nfrom torch.utils.data import DataLoader, BatchSampler\n"
                     "from torch.utils.data import RandomSampler, SequentialSampler\n"
                     "if __name__ == '__main__':\n  train_set = make('train')\n" +
                         sampler +
                         "  for batch in loader:\n    loss(batch).backward()\n    opt.step()\n"
                         "  opt = torch.optim.SGD(model(), lr=0.1)\n"}},
                   "train.py");
  };
  const Project batches = read(
      "  sampler_train = RandomSampler(train_set)\n"
      "  loader = DataLoader(train_set, batch_sampler=BatchSampler(sampler_train, 6, True))\n");
  CHECK(batches.fact("per_device_batch_size") == "6 code train.py:7");
  CHECK(batches.fact("drop_last") == "true code train.py:7");
  CHECK(batches.fact("shuffle") == "true code train.py:6");
  const Project drawn =
      read("  loader = DataLoader(train_set, 6, sampler=SequentialSampler(train_set))\n");
  CHECK(drawn.fact("per_device_batch_size") == "6 code train.py:6");
  CHECK(drawn.fact("shuffle") == "unknown");
}

/// A script of its own, whose last lines are `loop`.
Project with_loop(const std::string& loop) {
  return Project({{"train.py",
                   "import torch\nfrom tqdm import tqdm\n"
                   "opt = torch.optim.SGD(model(), lr=0.1)\n"
                   "if __name__ == '__main__':\n" +
                       loop}},
                 "train.py");
}

TEST_CASE(
    "a loop over a range that has a name counts, and one around another loop of steps does not") {
  CHECK(with_loop("  bar = tqdm(range(7))\n  for epoch in bar:\n    loss().backward()\n"
                  "    opt.step()\n")
            .fact("epochs") == "7 code train.py:5");
  CHECK(with_loop("  max_iters = 7\n  for i in range(max_iters):\n    loss().backward()\n"
                  "    opt.step()\n")
            .fact("max_steps") == "7 code train.py:5");
  CHECK(with_loop("  max_iters = 7\n  for i in range(max_iters):\n    for j in range(9):\n"
                  "      loss().backward()\n      opt.step()\n")
            .fact("max_steps") == "unknown");
  CHECK(with_loop("  max_iters = 7\n  i = 0\n  while i < max_iters:\n    for j in range(9):\n"
                  "      loss().backward()\n      opt.step()\n      i += 1\n")
            .fact("max_steps") == "7 code train.py:5");
}

TEST_CASE("a decay of 0 beside groups that nobody knows says nothing of it") {
  CHECK(with_optimizer("torch.optim.AdamW(groups_of(a), lr=h['fast'], weight_decay=0.)")
            .fact("weight_decay") == "unknown");
  CHECK(with_optimizer("torch.optim.AdamW(a.parameters(), lr=h['fast'], weight_decay=0.)")
            .fact("weight_decay") == "0 code train.py:8");
}

TEST_CASE(
    "a decay that groups nobody knows may bring has no default, and a rate of 0 is set later") {
  CHECK(with_optimizer("torch.optim.AdamW(groups_of(a, h['decay']), lr=h['fast'])")
            .fact("weight_decay") == "unknown");
  CHECK(with_optimizer("torch.optim.AdamW(a.parameters(), lr=h['fast'])").fact("weight_decay") ==
        "0.01 code train.py:8");
  CHECK(with_optimizer("Noam(torch.optim.Adam(a.parameters(), lr=0))").fact("learning_rate") ==
        "unknown");
}

/// A project with an optimizer class of its own, `made` as given.
Project with_own_optimizer(const std::string& name, const std::string& made) {
  return Project(
      {{".git/HEAD", ""},
       {"own.py",
        "from torch.optim import Optimizer\n"
        "class " +
            name +
            "(Optimizer):\n"
            "    def __init__(self, params, lr=1e-3, betas=(0.9, 0.99), weight_decay=0.02):\n"
            "        super().__init__(params, dict(lr=lr, weight_decay=weight_decay))\n"
            "    def step(self, closure=None):\n        return None\n"},
       {"train.py", "import torch\nfrom own import " + name +
                        "\n"
                        "class Trainer(torch.nn.Module):\n    def __init__(self):\n"
                        "        super().__init__()\n        self.net = torch.nn.Linear(8, 8)\n"
                        "        self.optimizer = " +
                        made +
                        "\n"
                        "if __name__ == '__main__':\n    trainer = Trainer()\n"
                        "    for x in data():\n        trainer.net(x).mean().backward()\n"
                        "        trainer.optimizer.step()\n"}},
      "train.py");
}

TEST_CASE("an optimizer class of the project is the published one of its name, with its defaults") {
  const Project own = with_own_optimizer("RAdam", "RAdam(self.net.parameters(), lr=0.3)");
  CHECK(own.fact("optimizer") == "radam code train.py:7");
  CHECK(own.fact("learning_rate") == "0.3 code train.py:7");
  CHECK(own.fact("weight_decay") == "0.02 code own.py:3");
  CHECK(own.fact("gradient_accumulation_steps") == "1 code train.py:12");
  CHECK(own.fact("parameters") == "72 code train.py:3");
  const Project other = with_own_optimizer("Snail", "Snail(self.net.parameters(), 0.3)");
  CHECK(other.fact("optimizer") == "unknown");
  CHECK(other.fact("learning_rate") == "0.3 code train.py:7");
  CHECK(other.fact("parameters") == "72 code train.py:3");
}

TEST_CASE("an optimizer that a network makes in its constructor is one of the run") {
  const Project project =
      with_own_optimizer("RAdam", "torch.optim.SGD(self.net.parameters(), lr=0.3)");
  CHECK(project.fact("optimizer") == "sgd code train.py:7");
  CHECK(project.fact("learning_rate") == "0.3 code train.py:7");
}

TEST_CASE("words of a technique begin a part of a name") {
  const auto read = [](const std::string& before) {
    return Project(loop_around("model = compute()", before), "configs/a.yaml");
  };
  const Project plain = read("  x.clamp_(0); timestamp_of(x); plt.xlabel(acceleration)\n");
  CHECK(plain.fact("mixed_precision") == "none code train.py:9");
  CHECK(plain.fact("world_size") == "1 code train.py:9");
  CHECK(read("  exploration(np.uint8)\n").fact("adapter") == "none code train.py:9");
  CHECK(read("  exploration(np.uint8)\n").fact("quantization") == "none code train.py:9");
  CHECK(read("  with amp_context(): pass\n").fact("mixed_precision") == "unknown");
  CHECK(read("  import torch_xla\n  torch_xla.sync()\n").fact("world_size") == "unknown");
}

TEST_CASE("a run that trains is on the side of a condition on which it does") {
  const auto read = [](const std::string& otherwise) {
    return Project({{".git/HEAD", ""},
                    {"train.py",
                     "import argparse, torch\nfrom torch.utils.data import DataLoader\n"
                     "def train(args):\n"
                     "    loader = DataLoader(make('train'), batch_size=6, num_workers=3)\n"
                     "    opt = torch.optim.SGD(model.parameters(), lr=0.1)\n"
                     "    for x in loader:\n        model(x).backward()\n        opt.step()\n"
                     "def other(args):\n"
                     "    loader = DataLoader(make('train'), batch_size=1, num_workers=0)\n"
                     "if __name__ == '__main__':\n    mode = asked()\n"
                     "    if mode == 'train':\n        train(0)\n" +
                         otherwise}},
                   "train.py");
  };
  CHECK(read("    else:\n        raise ValueError(mode)\n").fact("optimizer") ==
        "sgd code train.py:5");
  const Project trainer = read(
      "    else:\n        from transformers import TrainingArguments\n"
      "        TrainingArguments(learning_rate=0.2, optim='adafactor')\n");
  CHECK(trainer.fact("optimizer") == "no run");
  const Project other = read("    elif mode == 'check':\n        other(0)\n");
  CHECK(other.fact("num_workers") == "3 code train.py:4");
  CHECK(other.fact("per_device_batch_size") == "6 code train.py:4");
}

TEST_CASE("a module that takes all names of a package has its classes") {
  const Project project({{".git/HEAD", ""},
                         {"own/optimizers.py", "from torch.optim import *\n"},
                         {"train.py",
                          "import torch\nimport own.optimizers\nif __name__ == '__main__':\n"
                          "  made = getattr(own.optimizers, 'AdamW')\n"
                          "  torch.utils.data.DataLoader(make('train'), batch_size=6)\n"
                          "  made(model().parameters(), lr=0.25)\n"}},
                        "train.py");
  CHECK(project.fact("optimizer") == "adamw code train.py:6");
  CHECK(project.fact("learning_rate") == "0.25 code train.py:6");
}

/// A project that trains on 4 GPUs by a step function of its own, with `more` in it.
Project with_scaler(const std::string& step, const std::string& schedule = "") {
  return Project({{".git/HEAD", ""},
                  {"train.py",
                   "import argparse, math, torch\nfrom torch.utils.data import DataLoader\n"
                   "class Scaler:\n"
                   "    def __init__(self):\n        self._scaler = torch.cuda.amp.GradScaler()\n"
                   "    def __call__(self, loss, optimizer, update=True):\n"
                   "        self._scaler.scale(loss).backward()\n"
                   "        if update:\n            self._scaler.step(optimizer)\n"
                   "            self._scaler.update()\n"
                   "def adjust(optimizer, epoch, args):\n" +
                       (schedule.empty() ? "    pass\n" : schedule) +
                       "p = argparse.ArgumentParser()\n"
                       "p.add_argument('--accum', type=int, default=4)\n"
                       "p.add_argument('--epochs', type=int, default=50)\n"
                       "p.add_argument('--warm', type=int, default=5)\nargs = p.parse_args()\n"
                       "loader = DataLoader(make('train'), batch_size=8)\nscaler = Scaler()\n"
                       "opt = torch.optim.AdamW(model.parameters(), lr=0.5)\n"
                       "for epoch in range(begin(), args.epochs):\n"
                       "    for i, x in enumerate(loader):\n"
                       "        if i % args.accum == 0:\n"
                       "            adjust(opt, i / len(loader) + epoch, args)\n" +
                       step}},
                 "train.py");
}

TEST_CASE("what happens every n steps is known where the condition is handed on") {
  CHECK(with_scaler("        scaler(model(x), opt, update=(i + 1) % args.accum == 0)\n")
            .fact("gradient_accumulation_steps") == "4 code train.py:14");
  CHECK(with_scaler("        last = not (i + 1) % args.accum\n"
                    "        scaler(model(x), opt, update=last)\n")
            .fact("gradient_accumulation_steps") == "4 code train.py:14");
  CHECK(with_scaler("        scaler(model(x), opt, update=wants(i))\n")
            .fact("gradient_accumulation_steps") == "unknown");
}

TEST_CASE("a schedule that is drawn in some rounds of the loop is the run's") {
  const std::string step = "        scaler(model(x), opt)\n";
  const auto schedule = [&](const std::string& otherwise) {
    return with_scaler(step,
                       "    if epoch < args.warm:\n        rate = 0.5 * epoch / args.warm\n"
                       "    else:\n        rate = 0.5 * " +
                           otherwise +
                           "\n    for group in optimizer.param_groups:\n"
                           "        group['lr'] = rate\n")
        .fact("lr_schedule");
  };
  CHECK(schedule("(1 + math.cos(math.pi * epoch / args.epochs))") == "cosine code train.py:15");
  CHECK(schedule("0.9 ** (epoch - 1)") == "exponential code train.py:15");
  CHECK(schedule("0.9 ** ((epoch - 1) // 1)") == "exponential code train.py:15");
  CHECK(schedule("0.1 ** (epoch // 30)") == "step code train.py:15");
  CHECK(schedule("0.1 ** power()") == "unknown");
  const std::string undecided = "    if wanted():\n        rate = 0.9 ** epoch\n    else:\n"
                                "        rate = 0.5\n    for group in optimizer.param_groups:\n"
                                "        group['lr'] = rate\n";
  CHECK(with_scaler(step, undecided).fact("lr_schedule") == "unknown");
}

TEST_CASE("a round of the loop over epochs that does not train counts no epoch") {
  const auto epochs = [](const std::string& loop, const std::string& condition) {
    return Project({{".git/HEAD", ""},
                    {"train.py",
                     "import argparse, torch\nfrom torch.utils.data import DataLoader\n"
                     "def train(loader, opt):\n    for x in loader:\n"
                     "        model(x).backward()\n        opt.step()\n"
                     "p = argparse.ArgumentParser()\n"
                     "p.add_argument('--epochs', type=int, default=60)\nargs = p.parse_args()\n"
                     "loader = DataLoader(make('train'), batch_size=8)\n"
                     "opt = torch.optim.AdamW(model.parameters(), lr=0.5)\nstart = 0\n"
                     "for epoch in range(start, args.epochs" +
                         loop + "):\n    if " + condition +
                         ":\n        train(loader, opt)\n    check()\n"}},
                   "train.py")
        .fact("epochs");
  };
  CHECK(epochs(" + 1", "epoch > start").starts_with("60 "));
  CHECK(epochs("", "epoch > start") == "unknown");
  CHECK(epochs("", "True").starts_with("60 "));
}

TEST_CASE("what a loader is for is said by the flag that its function is given") {
  const Project project(
      {{".git/HEAD", ""},
       {"train.py",
        "import torch\nfrom torch.utils.data import DataLoader\n"
        "def provide(flag):\n    shuffles = flag == 'train'\n"
        "    return DataLoader(make(), batch_size=24 if shuffles else 6,\n"
        "                      shuffle=shuffles, drop_last=shuffles, num_workers=3)\n"
        "loader, other = provide('train'), provide('val')\n"
        "opt = torch.optim.AdamW(model.parameters(), lr=0.5)\n"
        "for x in loader:\n    model(x).backward()\n    opt.step()\n"}},
      "train.py");
  CHECK(project.fact("per_device_batch_size").starts_with("24 "));
  CHECK(project.fact("eval_batch_size").starts_with("6 "));
  CHECK(project.fact("drop_last").starts_with("true "));
}

/// The steps of a program that is started with these options.
std::string accumulated(const std::string& loop, const std::string& options) {
  const std::string program =
      "import argparse, torch\nparser = argparse.ArgumentParser()\n"
      "parser.add_argument('--batch_size', type=int)\n"
      "parser.add_argument('--device_batch_size', type=int)\n"
      "parser.add_argument('--rate', type=float)\n"
      "args = parser.parse_args()\nnet = torch.nn.Linear(4, 4)\n"
      "optimizer = torch.optim.Adam(net.parameters(), lr=args.rate)\n"
      "loader = make(args.device_batch_size)\nn = args.batch_size // args.device_batch_size\n"
      "def step(x, shows=False):\n    net(x).mean().backward()\n    optimizer.step()\n" +
      loop;
  const Project project({{".git/HEAD", ""},
                         {"train.py", program},
                         {"run.sh", "python train.py --rate 0.1 " + options + "\n"}},
                        "run.sh");
  return project.fact("per_device_batch_size") + ", " +
         project.fact("gradient_accumulation_steps");
}

TEST_CASE("a batch beside that of one device is what its gradients add up to") {
  const std::string rounds =
      "for step in range(1000):\n    for i in range(1, n + 1):\n"
      "        net(loader.next()).mean().backward()\n"
      "    for optimizer in [optimizer]:\n        optimizer.step()\n";
  CHECK(accumulated(rounds, "--batch_size 512 --device_batch_size 32") ==
        "32 stated run.sh:1, 16 code run.sh:1");
}

TEST_CASE("steps on both sides of a condition on the round are one each round") {
  const std::string rounds =
      "for i, x in enumerate(loader):\n    if i % 500 == 0:\n        step(x, True)\n"
      "    else:\n        step(x)\n";
  CHECK(accumulated(rounds, "--device_batch_size 4") == "4 stated run.sh:1, 1 code train.py:13");
}

TEST_CASE("an option that CUDA_VISIBLE_DEVICES is set to lists devices, it does not count them") {
  const auto gpus = [](const std::string& type, const std::string& given) {
    const Project project(
        {{".git/HEAD", ""},
         {"train.py",
          "import argparse, os, torch\nparser = argparse.ArgumentParser()\n"
          "parser.add_argument('--gpus', type=" + type + ")\n"
          "parser.add_argument('--batch_size', type=int)\nargs = parser.parse_args()\n"
          "os.environ['CUDA_VISIBLE_DEVICES'] = str(args.gpus)\n"
          "net = torch.nn.Linear(4, 4)\noptimizer = torch.optim.Adam(net.parameters())\n"
          "for x in make(args.batch_size):\n    net(x).mean().backward()\n    optimizer.step()\n"},
         {"run.sh", "python train.py --batch_size 4 --gpus " + given + "\n"}},
        "run.sh");
    return project.fact("gpus_per_node");
  };
  CHECK(gpus("int", "5") == "1 stated run.sh:1");
  CHECK(gpus("str", "2,3") == "2 stated run.sh:1");
}

TEST_CASE("a program that hides every GPU from itself trains on the CPU") {
  const auto accelerator = [](const std::string& devices) {
    const Project project(
        {{".git/HEAD", ""},
         {"train.py",
          "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '" + devices + "'\nimport torch\n"
          "net = torch.nn.Linear(4, 4)\noptimizer = torch.optim.Adam(net.parameters(), lr=0.1)\n"
          "for x in make():\n    net(x).mean().backward()\n    optimizer.step()\n"}},
        "train.py");
    return project.fact("accelerator");
  };
  CHECK(accelerator("").starts_with("cpu"));
  CHECK(accelerator("-1").starts_with("cpu"));
  CHECK_FALSE(accelerator("0").starts_with("cpu"));
}

TEST_CASE("a batch that code divides by the number of ranks is that of all of them") {
  const auto batches = [](const std::string& part) {
    const Project project(
        {{".git/HEAD", ""},
         {"train.py",
          "import argparse, torch\nfrom elsewhere import read, setup\n"
          "parser = argparse.ArgumentParser()\n"
          "parser.add_argument('--batch_size', type=int)\n"
          "parser.add_argument('--lr', type=float)\nargs = parser.parse_args()\n"
          "rank, world_size = setup()\n"
          "net = torch.nn.Linear(4, 4)\n"
          "optimizer = torch.optim.Adam(net.parameters(), lr=args.lr)\n"
          "for x in read(" + part + "):\n    net(x).mean().backward()\n    optimizer.step()\n"},
         {"run.sh", "torchrun --nproc_per_node 4 train.py --batch_size 512 --lr 0.1\n"}},
        "run.sh");
    return project.fact("per_device_batch_size") + ", " + project.fact("global_batch_size");
  };
  CHECK(batches("args.batch_size // world_size").ends_with("512 stated run.sh:1"));
  CHECK(batches("args.batch_size").starts_with("512 stated run.sh:1"));
  CHECK(batches("1000 // args.batch_size // world_size").starts_with("512 stated run.sh:1"));
}

TEST_CASE("an option that only another program reads states nothing of this one") {
  const std::string head =
      "import argparse, torch\nif __name__ == '__main__':\n"
      "    parser = argparse.ArgumentParser()\n"
      "    parser.add_argument('--batch_size', type=int)\n"
      "    parser.add_argument('--weight_decay', type=float)\n"
      "    args = parser.parse_args()\n    print(args)\n"
      "    net = torch.nn.Linear(4, 4)\n    loader = make(args.batch_size)\n";
  const std::string loop =
      "    for x in loader:\n        net(x).mean().backward()\n        o.step()\n";
  const auto decay = [&](const std::string& started) {
    const Project project(
        {{".git/HEAD", ""},
         {"first.py", head + "    o = torch.optim.AdamW(net.parameters())\n" + loop},
         {"second.py", head + "    o = torch.optim.AdamW(net.parameters(), "
                              "weight_decay=args.weight_decay)\n" + loop},
         {"run.sh", "python " + started + " --batch_size 4 --weight_decay 0.3\n"}},
        "run.sh");
    return project.fact("weight_decay");
  };
  CHECK(decay("second.py") == "0.3 stated run.sh:1");
  CHECK(decay("first.py") == "0.01 code first.py:10");
}

TEST_CASE("a training that ends when a counter is high enough takes so many steps") {
  const auto loop = [](const std::string& lines) {
    return Project({{".git/HEAD", ""},
                    {"run.sh", "python train.py --lr 0.1 --batch 4 --limit 600\n"},
                    {"train.py",
                     "import argparse, torch\nparser = argparse.ArgumentParser()\n"
                     "parser.add_argument('--lr', type=float)\n"
                     "parser.add_argument('--batch', type=int)\n"
                     "parser.add_argument('--limit', type=int)\n"
                     "def main():\n  args = parser.parse_args()\n  net = torch.nn.Linear(2, 2)\n"
                     "  optimizer = torch.optim.Adam(net.parameters(), lr=args.lr)\n"
                     "  loader = torch.utils.data.DataLoader(data(), args.batch)\n"
                     "  goes_on = True\n  done = 0\n" +
                         lines + "main()\n"}},
                   "run.sh");
  };
  const std::string step =
      "    for x in loader:\n      net(x).mean().backward()\n      optimizer.step()\n";
  const auto steps = [&](const std::string& lines) { return loop(lines).fact("max_steps"); };
  CHECK(steps("  while goes_on:\n" + step +
              "      done += 1\n      if done > args.limit:\n"
              "        goes_on = False\n        break\n") == "600 stated run.sh:1");
  CHECK(steps("  while True:\n" + step +
              "      if done >= args.limit:\n        return\n      done = done + 1\n") ==
        "600 stated run.sh:1");
  CHECK(steps("  for k in range(9):\n" + step +
              "      done += 1\n      if done >= args.limit:\n        return\n") ==
        "600 stated run.sh:1");
  // Rounds without an improvement.
  CHECK(steps("  while True:\n" + step +
              "      done += 1\n      if better(net):\n        done = 0\n"
              "      if done >= args.limit:\n        break\n") == "unknown");
}

TEST_CASE("a loop inside a batch goes over parts of it, which add up to the batch") {
  const Project project({{"train.py",
                          "import torch\nnet = torch.nn.Linear(2, 2)\n"
                          "optimizer = torch.optim.Adam(net.parameters(), lr=0.1)\n"
                          "for epoch in range(3):\n"
                          "  for x in torch.utils.data.DataLoader(data(), batch_size=4):\n"
                          "    for k in range(5):\n      net(x[:, k]).mean().backward()\n"
                          "    optimizer.step()\n"}},
                        "train.py");
  CHECK(project.fact("gradient_accumulation_steps").starts_with("1 code"));
  CHECK(project.fact("epochs").starts_with("3 "));
}

TEST_CASE("what a loss counts to is no length of the training") {
  const Project project(
      {{".git/HEAD", ""},
       {"c.yaml", "lr: 0.1\nbatch_size: 4\nmax_grad_step: 900\nmax_iter: 30\n"},
       {"train.py",
        "import torch, yaml\nc = yaml.safe_load(open('c.yaml'))\n"
        "def solve(x):\n  for k in range(c['max_iter']):\n    x = better(x)\n  return x\n"
        "net = torch.nn.Linear(2, 2)\n"
        "optimizer = torch.optim.Adam(net.parameters(), lr=c['lr'])\n"
        "loader = torch.utils.data.DataLoader(data(), batch_size=c['batch_size'])\n"
        "grad_step = 0\nwhile grad_step < c['max_grad_step']:\n  for x in loader:\n"
        "    solve(net(x)).mean().backward()\n    optimizer.step()\n    grad_step += 1\n"}},
      "c.yaml");
  CHECK(project.fact("max_steps") == "900 stated c.yaml:3");
}

TEST_CASE("a network that is loaded once the training is over brings an optimizer of nobody's") {
  const auto rate = [](const std::string& after) {
    return Project({{"train.py",
                     "import json, torch\nfrom transformers import AutoModel\n"
                     "class Tuner:\n"
                     "  def __init__(self, name, rate):\n"
                     "    self.net = AutoModel.from_pretrained(name)\n"
                     "    self.optimizer = torch.optim.AdamW(self.net.parameters(), lr=rate)\n"
                     "  def run(self, batches):\n"
                     "    for epoch in range(3):\n      for x in batches:\n"
                     "        self.net(x).sum().backward()\n        self.optimizer.step()\n"
                     "tuner = Tuner('roberta-base', 0.25)\ntuner.run(load())\n"
                     "again = Tuner(**json.load(open('out/kept.json')))\n" +
                         after}},
                   "train.py")
        .fact("learning_rate");
  };
  CHECK(rate("print(again.net(load()))\n").starts_with("0.25 "));
  CHECK(rate("again.run(load())\n") == "unknown");
}

}  // namespace training_loop_test
