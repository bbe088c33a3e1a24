// Networks of a project's own: what their constructors make is counted, layer by layer.

#include "lint/lint.h"
#include "plan/fact_table.h"
#include "unit/lint/counted_networks.h"
#include "unit/lint/memory_reader.h"
#include "unit/lint/shared_session.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>

namespace networks_test {

using namespace gpulint;

namespace {

/// Parameters of a run whose script trains what `network` defines: "value origin, trained".
struct Counted {
  std::string parameters = "unknown";
  std::string trained = "all";
  std::string place;
  std::string detail;
};

std::string training(const std::string& network, const std::string& body) {
  return "import argparse, copy, itertools, math\nimport torch, yaml\nimport torch.nn as nn\n" +
         network +
         "\n\ndef main():\n"
         "    parser = argparse.ArgumentParser()\n"
         "    parser.add_argument('--config')\n"
         "    args = parser.parse_args()\n"
         "    cfg = yaml.safe_load(open(args.config))\n" +
         body + "\n\nif __name__ == '__main__':\n    main()\n";
}

Counted counted_in(const std::string& script, const std::string& config) {
  MemoryReader reader({{"train.py", script}, {"configs/a.yaml", config}});
  LintRequest request;
  request.paths = {"configs/a.yaml"};
  request.options.keep_plans = true;
  const LintResult result = lint(session_over(reader), request);
  Counted made;
  if (result.files.empty() || result.files.front().plans.empty()) return made;
  const Plan& plan = *result.files.front().plans.front().plan;
  const auto shown = [&](const Maybe<std::int64_t>& fact) {
    return std::to_string(fact->value) + " " + name_of(fact->from.origin);
  };
  if (plan.facts.parameters) {
    made.parameters = shown(plan.facts.parameters);
    const Provenance& from = plan.facts.parameters->from;
    made.detail = from.detail;
    if (from.span.known()) {
      const SourceText& source = result.sources[from.span.file];
      made.place =
          source.path + ":" + std::to_string(source.lines.at(source.text, from.span.begin).line);
    }
  }
  if (plan.facts.trainable_parameters) made.trained = shown(plan.facts.trainable_parameters);
  return made;
}

constexpr const char* kConfig = "lr: 0.001\nbatch_size: 8\nwidth: 64\ndepth: 3\nkind: big\n";

Counted counted(const std::string& network, const std::string& made,
                const std::string& optimized = "net.parameters()") {
  return counted_in(training(network, "    net = " + made +
                                          "\n    loader = torch.utils.data.DataLoader(data(), "
                                          "batch_size=cfg['batch_size'])\n"
                                          "    optimizer = torch.optim.Adam(" +
                                          optimized + ", lr=cfg['lr'])\n"),
                    kConfig);
}

}  // namespace

TEST_CASE("a network's parameters are those of the layers that its constructor makes") {
  const Counted made = counted(R"(
class Net(nn.Module):
    def __init__(self, width, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(3, width, kernel_size=3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(width)
        self.act = nn.ReLU(inplace=True)
        self.head = nn.Linear(width, classes)
)",
                               "Net(cfg['width'])");
  CHECK(made.parameters == "2506 code");  // 3*64*9 + 2*64 + 64*10 + 10
  CHECK(made.trained == "all");
  CHECK(made.place == "train.py:5");
}

TEST_CASE("loops, lists and classes of the project are followed") {
  const Counted made = counted(R"(
class Block(nn.Module):
    def __init__(self, width, ratio=4):
        super(Block, self).__init__()
        self.norm = nn.LayerNorm(width)
        self.attention = nn.MultiheadAttention(width, 4)
        self.mlp = nn.Sequential(nn.Linear(width, ratio * width), nn.GELU(),
                                 nn.Linear(ratio * width, width))

class Net(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.position = nn.Parameter(torch.zeros(1, 16, width))
        self.blocks = nn.ModuleList([Block(width) for _ in range(depth)])
        for i in range(depth):
            setattr(self, f"side{i}", nn.Linear(width, 1))
)",
                               "Net(cfg['width'], depth=cfg['depth'])");
  // 16*64; each block: 2*64 + (3*64*64 + 3*64 + 64*64 + 64) + (64*256 + 256 + 256*64 + 64); 3 * 65
  CHECK(made.parameters == "150787 code");
}

TEST_CASE("recurrent layers and convolutions count as PyTorch documents them") {
  CHECK(counted("", "nn.LSTM(10, 20)").parameters == "2560 code");
  const std::string around = R"(
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = )";
  const auto of = [&](const std::string& layer) {
    return counted(around + layer + "\n", "Net()").parameters;
  };
  CHECK(of("nn.LSTM(10, 20, num_layers=2, bidirectional=True)") == "15040 code");
  CHECK(of("nn.GRU(10, 20)") == "1920 code");
  CHECK(of("nn.ConvTranspose1d(8, 4, 16, stride=8)") == "516 code");
  CHECK(of("nn.Conv1d(8, 8, 5, groups=8)") == "48 code");
  CHECK(of("nn.Embedding(100, 32)") == "3200 code");
  CHECK(of("nn.TransformerEncoderLayer(512, 8)") == "3152384 code");
  CHECK(of("nn.Transformer()") == "44140544 code");
  CHECK(of("nn.utils.weight_norm(nn.Conv1d(4, 8, 3))") == "112 code");
  CHECK(of("nn.InstanceNorm2d(8)") == "unknown");
  CHECK(of("nn.PReLU()") == "1 code");
}

TEST_CASE("what a tensor is computed from counts, under the name PyTorch gives it") {
  const auto with = [](const std::string& word) {
    return counted(R"(
from torch.nn.utils import parametrize
class LowRank(nn.Module):
    def __init__(self, rows, columns):
        super().__init__()
        self.a = nn.Parameter(torch.zeros(2, columns))
        self.b = nn.Parameter(torch.zeros(rows, 2))
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(16, 8)
        parametrize.register_parametrization(self.layer, 'weight', LowRank(8, 16))
        for name, weight in self.named_parameters():
            weight.requires_grad = ')" +
                       word + R"(' in name
)",
                   "Net()");
  };
  CHECK(with("parametrizations.weight.0.").parameters == "184 code");
  CHECK(with("parametrizations.weight.0.").trained == "48 code");
  CHECK(with("layer.bias").trained == "8 code");
}

TEST_CASE("a layer that is put in front of others counts") {
  const Counted made = counted(R"(
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = nn.ModuleList()
        for i in range(3):
            up = nn.Module()
            up.block = nn.Linear(width, 1)
            self.up.insert(0, up)
        self.apply(start)
)",
                               "Net(cfg['width'])");
  CHECK(made.parameters == "195 code");
}

TEST_CASE("a width that the config decides by its name is followed through a builder") {
  const Counted made = counted(R"(
class Big(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.head = nn.Linear(width, width)

class Small(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.head = nn.Linear(width, 1)

NETWORKS = {"big": Big, "small": Small}

def build(cfg):
    if cfg["kind"] not in NETWORKS:
        raise ValueError(cfg["kind"])
    return NETWORKS[cfg["kind"]](cfg["width"])
)",
                               "build(cfg)");
  CHECK(made.parameters == "4160 code");
}

TEST_CASE("weights that two layers share count once") {
  const Counted made = counted(R"(
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.embedding = nn.Embedding(100, width)
        self.head = nn.Linear(width, 100, bias=False)
        self.head.weight = self.embedding.weight
)",
                               "Net(cfg['width'])");
  CHECK(made.parameters == "6400 code");
}

TEST_CASE("frozen parts are weights and not trained") {
  const std::string network = R"(
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.encoder = nn.Linear(width, width)
        self.head = nn.Linear(width, 1)
        for p in self.encoder.parameters():
            p.requires_grad = False
)";
  const Counted made = counted(network, "Net(cfg['width'])");
  CHECK(made.parameters == "4225 code");
  CHECK(made.trained == "65 code");
  CHECK(counted(network, "Net(cfg['width'])", "net.head.parameters()").trained == "65 code");
  CHECK(counted(network, "Net(cfg['width'])", "filter(lambda p: p.requires_grad, net.parameters())")
            .trained == "65 code");
}

TEST_CASE("what may be frozen is not taken for trained") {
  const Counted made = counted(R"(
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.encoder = nn.Linear(width, width)
        self.head = nn.Linear(width, 1)
        if somebody_says_so():
            self.encoder.requires_grad_(False)
)",
                               "Net(cfg['width'])");
  CHECK(made.parameters == "4225 assumed");
  CHECK(made.trained == "65 assumed");
}

TEST_CASE("a part that nobody knows makes the count a lower bound that says so") {
  const Counted made = counted(R"(
from somewhere import Encoder

class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.encoder = Encoder(width)
        self.head = nn.Linear(width, 1)
)",
                               "Net(cfg['width'])");
  CHECK(made.parameters == "65 assumed");
  CHECK(made.detail.find("Net.encoder is not known") != std::string::npos);
}

TEST_CASE("of the only network weights count where nobody knows what is trained of it") {
  const Counted made = counted(R"(
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Linear(width, width)
        self.head = nn.Linear(width, 1)
)",
                               "Net(cfg['width'])", "somewhere.groups(net)");
  CHECK(made.parameters == "4225 assumed");
  CHECK(made.trained == "0 assumed");
}

TEST_CASE("a width that nobody knows makes no exact count") {
  const Counted made = counted(R"(
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Linear(width, vocabulary())
        self.head = nn.Linear(width, 1)
)",
                               "Net(cfg['width'])");
  CHECK(made.parameters == "65 assumed");
}

TEST_CASE("layers of an unknown number of rounds are not counted as one") {
  const Counted made = counted(R"(
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        layers = []
        for _ in range(rounds()):
            layers.append(nn.Linear(width, width))
        self.body = nn.Sequential(*layers)
        self.head = nn.Linear(width, 1)
)",
                               "Net(cfg['width'])");
  CHECK(made.parameters == "65 assumed");
}

TEST_CASE("generator and discriminator add up") {
  const Counted made = counted_in(training(R"(
class Generator(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Linear(width, width)

class Critic(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Linear(width, 1)
)",
                                           R"(
    g = Generator(cfg['width']).cuda()
    d = nn.parallel.DistributedDataParallel(Critic(cfg['width']))
    unused = copy.deepcopy(g)
    loader = torch.utils.data.DataLoader(data(), batch_size=cfg['batch_size'])
    opt_g = torch.optim.AdamW(g.parameters(), lr=cfg['lr'])
    opt_d = torch.optim.AdamW([{'params': d.parameters(), 'lr': 0.01}], lr=cfg['lr'])
)"),
                                  kConfig);
  CHECK(made.parameters == "4225 code");
}

TEST_CASE("of two networks one of which is trained the smaller counts") {
  const Counted made = counted_in(training(R"(
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.body = nn.Linear(width, width)
)",
                                           R"(
    loader = torch.utils.data.DataLoader(data(), batch_size=cfg['batch_size'])
    if unknown():
        net = Net(64)
        optimizer = torch.optim.Adam(net.parameters(), lr=cfg['lr'])
    else:
        net = Net(32)
        optimizer = torch.optim.Adam(net.parameters(), lr=cfg['lr'])
)"),
                                  kConfig);
  CHECK(made.parameters == "1056 assumed");
}

TEST_CASE("a network whose constructor never ends costs a limited number of steps") {
  const Counted made = counted(R"(
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        while True:
            width = width + 1
            self.body = nn.Linear(width, width)
)",
                               "Net(cfg['width'])");
  CHECK(made.parameters.find("code") == std::string::npos);
}

TEST_CASE("a builder whose name is put together with % is followed") {
  const Counted made = counted(R"(
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        for name in ["head", "neck"]:
            self.add_module(name, getattr(self, "build_%s" % name)(width))
    def build_head(self, width):
        return nn.Linear(width, 10)
    def build_neck(self, width):
        return None
)",
                               "Net(cfg['width'])");
  CHECK(made.parameters == "650 code");
}

TEST_CASE("weights handed to an optimizer that nobody knows are counted as a lower bound") {
  const std::string network = R"(
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.head = nn.Linear(width, 10)

class Mine(torch.optim.Optimizer):
    def __init__(self, params, lr):
        super().__init__(params, dict(lr=lr))
)";
  const auto with = [&](const std::string& made) {
    return counted_in(training(network, "    model = Net(cfg['width'])\n" + made), kConfig);
  };
  const Counted own = with("    opt = Mine(model.parameters(), lr=cfg['lr'])\n");
  CHECK(own.parameters == "650 code");
  CHECK(own.trained == "all");
  for (const char* made : {"    import zoo\n    optimizer = zoo.make(cfg, model)\n",
                           "    import zoo\n    o = zoo.create_optimizer(model.parameters())\n"}) {
    CAPTURE(made);
    CHECK(with(made).parameters == "650 assumed");
    CHECK(with(made).trained == "0 assumed");
  }
  // A factory that is known trains the whole of the network.
  for (const char* made :
       {"    import timm\n    o = timm.optim.create_optimizer_v2(model, 'adamw', lr=1e-3)\n",
        "    from timm.optim import create_optimizer\n"
        "    o = create_optimizer(argparse.Namespace(opt='adamw', lr=1e-3), model)\n",
        "    from mmcv.runner import build_optimizer\n"
        "    o = build_optimizer(model, dict(type='AdamW', lr=1e-3))\n"}) {
    CAPTURE(made);
    CHECK(with(made).parameters == "650 code");
    CHECK(with(made).trained == "all");
  }
  // What is no optimizer by any name trains nothing: the larger network counts, as it is built.
  CHECK(with("    import zoo\n    ema = zoo.Average(model.parameters())\n    two = Net(128)\n")
            .parameters == "1290 assumed");
}

TEST_CASE("a config that is merged into a copy of its defaults is the network's") {
  const std::string script =
      "import argparse, torch\nimport torch.nn as nn\nfrom yacs.config import CfgNode\n"
      "_C = CfgNode()\n_C.width = 8\n"
      "class Net(nn.Module):\n"
      "    def __init__(self, width):\n"
      "        super().__init__()\n"
      "        self.head = nn.Linear(width, 10)\n"
      "def main():\n"
      "    parser = argparse.ArgumentParser()\n"
      "    parser.add_argument('--config')\n"
      "    cfg = _C.clone()\n"
      "    cfg.defrost()\n"
      "    cfg.merge_from_file(parser.parse_args().config)\n"
      "    cfg.freeze()\n"
      "    model = Net(cfg.width)\n"
      "    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)\n"
      "if __name__ == '__main__':\n    main()\n";
  CHECK(counted_in(script, kConfig).parameters == "650 code");
}

TEST_CASE("layers that a helper puts together again are not a second network") {
  const Counted made = counted_in(training(R"(
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.head = nn.Linear(width, 10)

def groups_of(model):
    flatten = lambda m: sum(map(flatten, m.children()), []) if len(list(m.children())) else [m]
    return [nn.Sequential(*flatten(model))]
)",
                                           "    model = Net(cfg['width'])\n"
                                           "    optimizer = torch.optim.Adam([{'params': g} for g "
                                           "in elsewhere(groups_of(model))])\n"),
                                  kConfig);
  CHECK(made.parameters == "650 assumed");
}

TEST_CASE("a network that a library's registry builds by its name is counted") {
  const std::string network =
      "from mmcv import Config, Registry\nMODELS = Registry('models')\n\n"
      "class Net(nn.Module):\n"
      "    def __init__(self, width=10):\n"
      "        super().__init__()\n"
      "        self.a = nn.Linear(width, 100, bias=False)\n\n"
      "@MODELS.register_module()\n"
      "def wide_net(**options):\n"
      "    return Net(width=50, **options)\n";
  const std::string script = training(network,
                                      "    model = MODELS.build(dict(type=cfg['network']))\n"
                                      "    torch.optim.SGD(model.parameters(), lr=cfg['lr'])\n");
  CHECK(counted_in(script, "network: wide_net\nlr: 0.1\nbatch_size: 4\n").parameters ==
        "5000 code");
  CHECK(counted_in(script, "network: another\nlr: 0.1\nbatch_size: 4\n").parameters == "unknown");
}

TEST_CASE("a config in Python is read by the scripts of a loop of its own") {
  const std::string script = training("from mmcv import Config\n", "");
  std::string loads = script;
  const std::string yaml = "yaml.safe_load(open(args.config))";
  loads.replace(loads.find(yaml), yaml.size(), "Config.fromfile(args.config)");
  const std::string body = "Config.fromfile(args.config)\n";
  loads.replace(
      loads.find(body), body.size(),
      body +
          "    loader = torch.utils.data.DataLoader([], batch_size=cfg.train_batch_size)\n"
          "    model = nn.Linear(10, 20)\n"
          "    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.optimizer.lr)\n");
  MemoryReader reader({{"train.py", loads},
                       {"configs/base.py", "train_batch_size = 32\n"},
                       {"configs/a.py",
                        "_base_ = ['base.py']\ntrain_batch_size = 4\n"
                        "optimizer = dict(type='AdamW', lr=2e-5)\n"}});
  LintRequest request;
  request.paths = {"configs/a.py"};
  request.options.keep_plans = true;
  const LintResult result = lint(session_over(reader), request);
  REQUIRE_FALSE(result.files.front().plans.empty());
  const Plan& plan = *result.files.front().plans.front().plan;
  REQUIRE(plan.facts.per_device_batch_size);
  CHECK(plan.facts.per_device_batch_size->value == 4);
}

TEST_CASE("hyperparameters that a module takes as **kwargs are saved by their names") {
  const std::string script =
      "import argparse, torch, yaml\nimport pytorch_lightning as pl\n"
      "class Net(pl.LightningModule):\n"
      "    def __init__(self, **kwargs):\n"
      "        super().__init__()\n"
      "        self.save_hyperparameters()\n"
      "        self.a = torch.nn.Linear(self.hparams.width, 5)\n"
      "    def configure_optimizers(self):\n"
      "        return torch.optim.Adam(self.parameters(), lr=self.hparams['lr'])\n"
      "def main():\n"
      "    parser = argparse.ArgumentParser()\n"
      "    parser.add_argument('--config')\n"
      "    cfg = yaml.safe_load(open(parser.parse_args().config))\n"
      "    net = Net(width=12, **cfg)\n"
      "    trainer = pl.Trainer(max_epochs=cfg['epochs'])\n"
      "    net.trainer = trainer\n"
      "    trainer.fit(net, torch.utils.data.DataLoader(data(), batch_size=cfg['batch_size']))\n"
      "if __name__ == '__main__':\n    main()\n";
  CHECK(counted_networks::counted({{"train.py", script}}) == std::to_string(12 * 5 + 5));
}

TEST_CASE("a trainer that is made on both sides of a condition fits its module") {
  const std::string imports =
      "import inspect\nimport pytorch_lightning as pl\n" + counted_networks::network("Inner", 5) +
      "class Net(pl.LightningModule):\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        self.inner = Inner()\n"
      "    def configure_optimizers(self):\n"
      "        return torch.optim.Adam(self.parameters(), lr=0.1)\n";
  const std::string made =
      "    if 'strategy' in inspect.signature(pl.Trainer).parameters:\n"
      "        trainer = pl.Trainer(strategy='ddp', max_epochs=cfg['epochs'])\n"
      "    else:\n"
      "        trainer = pl.Trainer(accelerator='ddp', max_epochs=cfg['epochs'])\n"
      "    trainer.fit(Net(), torch.utils.data.DataLoader(data(), cfg['batch_size']))\n";
  const std::string script = "import argparse, torch, yaml\n" + imports +
                             "def main():\n"
                             "    parser = argparse.ArgumentParser()\n"
                             "    parser.add_argument('--config')\n"
                             "    cfg = yaml.safe_load(open(parser.parse_args().config))\n" +
                             made + "if __name__ == '__main__':\n    main()\n";
  CHECK(counted_networks::counted({{"train.py", script}}) == std::to_string(10 * 5 + 5));
}

TEST_CASE("an engine that finds its optimizer in a config of its own trains what it is given") {
  const std::string script =
      "import argparse, deepspeed, torch, yaml\n" + counted_networks::network("Net", 5) +
      "def main():\n"
      "    parser = argparse.ArgumentParser()\n"
      "    parser.add_argument('--config')\n"
      "    cfg = yaml.safe_load(open(parser.parse_args().config))\n"
      "    loader = torch.utils.data.DataLoader(data(), batch_size=cfg['batch_size'])\n"
      "    engine, optimizer, _, _ = deepspeed.initialize(model=Net(), config='ds.json')\n"
      "    for epoch in range(cfg['epochs']):\n"
      "        for x, y in loader:\n"
      "            engine.backward(engine(x).mean())\n"
      "            engine.step()\n"
      "if __name__ == '__main__':\n    main()\n";
  CHECK(counted_networks::counted(
            {{"train.py", script},
             {"ds.json", "{\"optimizer\": {\"type\": \"AdamW\", \"params\": {\"lr\": 0.1}}}"}}) ==
        std::to_string(10 * 5 + 5));
}

TEST_CASE("blocks may be described by a class of their own that extends a named tuple") {
  const std::string imports =
      "from collections import namedtuple\nimport torch.nn as nn\n"
      "class Block(namedtuple('Block', ['inside', 'outside'])):\n"
      "    'One layer.'\n"
      "class Net(nn.Module):\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        blocks = [Block(10, 20), Block(20, outside=5)]\n"
      "        self.a = nn.Sequential(*[nn.Linear(b.inside, b.outside) for b in blocks])\n"
      "    def forward(self, x): return self.a(x)\n";
  CHECK(counted_networks::counted(
            {{"train.py", counted_networks::script(imports, "    net = Net()\n")}}) ==
        std::to_string(10 * 20 + 20 + 20 * 5 + 5));
}

TEST_CASE("an option may be converted to the class of a network by a function of the program") {
  const std::string script =
      "import argparse, torch\nimport nets\n"
      "def main():\n"
      "    parser = argparse.ArgumentParser()\n"
      "    parser.add_argument('--network', type=lambda word: getattr(nets, word), required=True)\n"
      "    parser.add_argument('--batch_size', type=int)\n"
      "    args = parser.parse_args()\n"
      "    net = args.network()\n"
      "    loader = torch.utils.data.DataLoader(data(), batch_size=args.batch_size)\n"
      "    optimizer = torch.optim.Adam(net.parameters(), lr=0.1)\n"
      "    for x in loader:\n"
      "        net(x).mean().backward()\n"
      "        optimizer.step()\n"
      "if __name__ == '__main__':\n    main()\n";
  MemoryReader reader({{"train.py", script},
                       {"nets.py", counted_networks::network("First", 3) +
                                       counted_networks::network("Second", 5)},
                       {"train.sh", "python train.py --network Second --batch_size 8\n"}});
  LintRequest request;
  request.paths = {"train.sh"};
  request.options.keep_plans = true;
  const LintResult result = lint(session_over(reader), request);
  REQUIRE(result.files.size() == 1);
  REQUIRE(result.files.front().plans.size() == 1);
  const auto& facts = result.files.front().plans.front().plan->facts;
  REQUIRE(facts.parameters);
  CHECK(facts.parameters->value == 10 * 5 + 5);
}

TEST_CASE("of networks that are made and trained one after the other the last one counts") {
  const auto trained_in = [](const std::string& rounds) {
    const std::string script =
        "import torch, yaml\nimport torch.nn as nn\n"
        "def train(net, rate):\n"
        "    optimizer = torch.optim.Adam(net.parameters(), lr=rate)\n"
        "    for x in torch.utils.data.DataLoader(data(), batch_size=4):\n"
        "        net(x).mean().backward()\n        optimizer.step()\n"
        "if __name__ == '__main__':\n    cfg = yaml.safe_load(open('configs/a.yaml'))\n" +
        rounds;
    return counted_in(script, kConfig).parameters;
  };
  const std::string search =
      "    for rate in [0.1, 0.01, 0.001]:\n"
      "        net = nn.Sequential(nn.Linear(cfg['width'], 2))\n"
      "        train(net, rate)\n";
  CHECK(trained_in(search) == "130 assumed");
}

TEST_CASE("a long table that is worked out number by number has its size") {
  const Counted made = counted(R"(
import math, numpy as np
def angles(position, width):
    def angle(place):
        return position / math.pow(10000, 2 * (place // 2) / width)
    return [angle(place) for place in range(width)]
class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        table = np.array([angles(position, width) for position in range(5000)])
        self.positions = nn.Parameter(torch.FloatTensor(table).unsqueeze(0), requires_grad=False)
        self.head = nn.Linear(width, 1)
)",
                               "Net(cfg['width'])");
  CHECK(made.parameters == std::to_string(5000 * 64 + 65) + " code");
}

TEST_CASE("widths in an array of numbers are known after arithmetic and slices") {
  const Counted made = counted(R"(
import numpy as np
class Net(nn.Module):
    def __init__(self, deep):
        super().__init__()
        inside = np.array([4, 6, 8])
        if deep:
            inside[1:] *= 2
        outside = 2 * np.array([1, 3])
        outside += 1
        self.first = nn.Linear(int(inside[0]), inside[-1])
        self.second = nn.Linear(inside[1], outside[1] + inside[0])
)",
                               "Net(cfg['depth'] > 2)");
  CHECK(made.parameters == std::to_string(4 * 16 + 16 + 12 * 11 + 11) + " code");
}

TEST_CASE("a number that is written to an unknown place of a list leaves the others unknown") {
  const Counted made = counted(R"(
class Net(nn.Module):
    def __init__(self, at):
        super().__init__()
        widths = [4, 6]
        widths[at] = 8
        self.first = nn.Linear(3, 5)
        self.second = nn.Linear(widths[0], widths[1])
)",
                               "Net(unknown())");
  CHECK(made.parameters != std::to_string(3 * 5 + 5 + 4 * 6 + 6) + " code");
}

}  // namespace networks_test
