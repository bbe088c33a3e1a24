// Networks that a project chooses by name or from among the modules of a folder.

#include "unit/lint/counted_networks.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>

namespace chosen_networks_test {

using namespace gpulint;
using namespace counted_networks;

TEST_CASE("a class is found among the names of a module by its name and base") {
  const Project project(
      {{".git/HEAD", ""},
       {"nets/__init__.py",
        "import importlib\nfrom nets.base import Base\n"
        "def find(name):\n  found = None\n"
        "  for key, each in importlib.import_module('nets.' + name + '_net').__dict__.items():\n"
        "    if key.lower() == name.replace('_', '') + 'net' and issubclass(each, Base):\n"
        "      found = each\n  return found\n"},
       {"nets/base.py", "from abc import ABC\nclass Base(ABC):\n  pass\n"},
       {"nets/two_way_net.py",
        "import torch\nfrom nets.base import Base\n"
        "class TwoWayNet(Base):\n  def __init__(self, rate):\n"
        "    self.net = torch.nn.Linear(4, 2)\n"
        "    self.optimizer = torch.optim.SGD(self.net.parameters(), lr=rate)\n"},
       {"train.py",
        "import argparse, nets, torch\n"
        "p = argparse.ArgumentParser()\np.add_argument('--net', default='two_way')\n"
        "a = p.parse_args()\nmodel = nets.find(a.net)(0.25)\n"
        "for rows in torch.utils.data.DataLoader(make('train'), batch_size=6):\n"
        "  model.net(rows).sum().backward()\n  model.optimizer.step()\n"
        "if __name__ == '__main__': pass\n"}},
      "train.py");
  CHECK(project.fact("learning_rate") == "0.25 code train.py:5");
  CHECK(project.fact("parameters") == "10 code nets/two_way_net.py:5");
}

TEST_CASE("a class is found among the modules of a folder that are all imported") {
  const std::string with_listing =
      "folder = os.path.dirname(os.path.abspath(__file__))\n"
      "names = [os.path.splitext(v)[0] for v in os.listdir(folder) if v.endswith('_arch.py')]\n"
      "modules = [importlib.import_module(f'archs.{name}') for name in names]\n"
      "def build(name):\n"
      "    for module in modules:\n"
      "        made = getattr(module, name, None)\n"
      "        if made is not None: break\n"
      "    return made()\n";
  const std::string with_generator =
      "def found(folder):\n"
      "    for entry in os.scandir(folder):\n"
      "        if not entry.name.startswith('.') and entry.is_file():\n"
      "            yield os.path.relpath(entry.path, folder)\n" +
      std::string(with_listing).replace(with_listing.find("os.listdir"), 10, "found");
  for (const std::string& listing : {with_listing, with_generator}) {
    CHECK(counted({{"archs/__init__.py", "import importlib, os\n" + listing},
                   {"archs/a_arch.py", network("First", 7)},
                   {"archs/b_arch.py", network("Second", 20)},
                   {"train.py", script("from archs import build",
                                       "    net = build(cfg['network'])\n")}}) == "220");
  }
}

TEST_CASE("a network that is built alike on both sides of a condition is known") {
  const std::string both =
      "    if os.path.exists('last.pt'):\n"
      "        net = Second()\n"
      "        net.load_state_dict(torch.load('last.pt'))\n"
      "    else:\n"
      "        net = Second()\n";
  CHECK(counted({{"nets.py", network("Second", 20)},
                 {"train.py", script("from nets import Second", both)}}) == "220");
  const std::string either =
      "    if os.path.exists('last.pt'):\n        net = First()\n    else:\n        net = "
      "Second()\n";
  CHECK(counted({{"nets.py", network("Second", 20) + network("First", 7)},
                 {"train.py", script("from nets import First, Second", either)}}) == "77+");
}

TEST_CASE("of several networks that an option chooses among, the smallest counts at least") {
  const std::string nets = network("First", 7) + network("Second", 20) + network("Third", 9);
  const auto with = [&](const std::string& chosen) {
    return counted({{"nets.py", nets},
                    {"train.py", script("from nets import First, Second, Third\n"
                                        "from elsewhere import unknown, foreign\n"
                                        "from torch.nn.parallel import DistributedDataParallel",
                                        chosen)}});
  };
  CHECK(with("    if unknown() == 'a':\n        net = Second()\n"
             "    elif unknown() == 'b':\n        net = Third()\n"
             "    elif unknown() == 'c':\n        net = Second()\n") == "99+");
  // Who reads the name came by the side that binds it.
  CHECK(with("    if unknown():\n        net = Second()\n") == "220");
  CHECK(with("    net = Second() if unknown() else Third()\n    net = net.cuda()\n") == "99+");
  // One that nobody knows may be smaller.
  CHECK(with("    if unknown():\n        net = Second()\n    else:\n        net = foreign()\n") ==
        "unknown");
  CHECK(with("    net = Second()\n    if unknown():\n        net = foreign(net)\n") != "220");
}

TEST_CASE("a network is none of a class that only wraps others") {
  const std::string nets = network("Second", 20);
  const std::string unwraps =
      "def bare(net):\n"
      "    from torch.nn.parallel import DistributedDataParallel as DDP\n"
      "    if isinstance(net, (DDP, FullyShardedDataParallel)): return net.module\n"
      "    return net\n";
  const std::string imports = "from torch.distributed.fsdp import FullyShardedDataParallel\n";
  CHECK(counted({{"nets.py", imports + nets + unwraps},
                 {"train.py", script("from nets import Second, bare",
                                     "    net = bare(Second())\n")}}) == "220");
}

TEST_CASE("a network is chosen by None where nothing is given") {
  const std::string chosen =
      "    nets = {'a': First, None: Second}\n    net = nets[cfg.get('other')]()\n";
  CHECK(counted({{"nets.py", network("Second", 20) + network("First", 7)},
                 {"train.py", script("from nets import First, Second", chosen)}}) == "220");
}

TEST_CASE("a class method that a config names builds a network") {
  const std::string made = network("Second", 20) +
                           "    @staticmethod\n"
                           "    def of_size(size): return Second()\n";
  Files files = {
      {"nets.py", made},
      {"train.py", script("import hydra", "    net = hydra.utils.instantiate(cfg['net'])\n")}};
  files.emplace("configs/a.yaml",
                std::string(kConfig) + "net: {_target_: nets.Second.of_size, size: 3}\n");
  CHECK(counted(std::move(files)) == "220");
}

TEST_CASE("layers in a mapping are counted, whichever way it is filled") {
  for (const char* made :
       {"nn.ModuleDict({'a': nn.Linear(10, 20)})", "nn.ModuleDict(dict(a=nn.Linear(10, 20)))",
        "nn.ModuleDict([('a', nn.Linear(10, 20))])", "Named(a=nn.Linear(10, 20))"}) {
    const std::string nets =
        "import torch.nn as nn\n"
        "class Named(nn.ModuleDict):\n"
        "    def __init__(self, **parts): super().__init__(parts)\n"
        "class Second(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.parts = " +
        std::string(made) + "\n";
    CAPTURE(made);
    CHECK(counted({{"nets.py", nets},
                   {"train.py", script("from nets import Second", "    net = Second()\n")}}) ==
          "220");
  }
}

TEST_CASE("parameters that are put into groups by name are counted") {
  const std::string grouped =
      "    net = Second()\n"
      "    groups = defaultdict(lambda: {'params': [], 'lr': cfg['lr']})\n"
      "    for name, each in net.named_parameters():\n"
      "        groups['weights' if 'weight' in name else 'others']['params'].append(each)\n"
      "    optimizer = torch.optim.Adam([{'params': g['params'], 'lr': g['lr']} for g in "
      "groups.values()])\n";
  CHECK(counted({{"nets.py", network("Second", 20)},
                 {"train.py", script("from nets import Second\nfrom collections import defaultdict",
                                     grouped)}}) == "220");
  const std::string sets =
      "    net = Second()\n"
      "    decayed, others, every = set(), [], dict(net.named_parameters())\n"
      "    for name in every: decayed.add(name)\n"
      "    decayed.remove('a.bias')\n"
      "    for name in every: others.append(name)\n"
      "    others.remove('a.weight')\n"
      "    optimizer = torch.optim.Adam([{'params': [every[n] for n in sorted(list(decayed))]},\n"
      "                                  {'params': [every[n] for n in others]}])\n";
  CHECK(counted({{"nets.py", network("Second", 20)},
                 {"train.py", script("from nets import Second", sets)}}) == "220");
  const std::string lists =
      "    net = Second()\n"
      "    lists = defaultdict(list)\n"
      "    for each in net.parameters(): lists[each.ndim].append(each)\n"
      "    optimizer = torch.optim.Adam(lists[2] + lists[1])\n";
  CHECK(counted({{"nets.py", network("Second", 20)},
                 {"train.py", script("from nets import Second\nimport collections\n"
                                     "defaultdict = collections.defaultdict",
                                     lists)}}) == "220");
}

TEST_CASE("Hydra builds what is named in lists and sections of a config, or holds it back") {
  const std::string nets = network("Second", 20) +
                           "class Block(nn.Module):\n"
                           "    def __init__(self, width, rows=0):\n"
                           "        super().__init__()\n"
                           "        self.a = nn.Linear(width, rows)\n"
                           "class Whole(nn.Module):\n"
                           "    def __init__(self, parts, heads):\n"
                           "        super().__init__()\n"
                           "        self.parts = nn.ModuleList(parts)\n"
                           "        self.heads = nn.ModuleDict(heads)\n";
  const std::string parts =
      "net:\n"
      "  parts: [{_target_: nets.Second}, {_target_: nets.Block, width: 4, rows: 2}]\n";
  const std::string whole =
      parts +
      "  _target_: nets.Whole\n"
      "  heads: {first: {_target_: nets.Second}, second: {_target_: nets.Second}}\n";
  const std::string block = "block: {_target_: nets.Block, width: 4}\n";
  const auto built = [&](const std::string& config, const std::string& line) {
    Files files = {{"nets.py", nets},
                   {"train.py", script("import hydra", "    net = " + line + "\n")}};
    files.emplace("configs/a.yaml", kConfig + config);
    return counted(std::move(files));
  };
  CHECK(built(whole, "hydra.utils.instantiate(cfg['net'])") == "670");
  CHECK(built(whole, "hydra.utils.call(cfg['net'])") == "670");
  CHECK(built(block, "hydra.utils.instantiate(cfg['block'], _partial_=True)(rows=3)") == "15");
  CHECK(built(whole, "hydra.utils.instantiate(cfg['net'], _recursive_=False)") != "670");
  CHECK(built(parts, "torch.nn.ModuleList(hydra.utils.instantiate(cfg['net']['parts']))") == "230");
  CHECK(built("name: nets.Second\n", "hydra.utils.get_class(cfg['name'])()") == "220");
}

TEST_CASE("networks of torchvision are counted where a function of the project builds them") {
  const auto built = [](const std::string& net) {
    return counted(
        {{"train.py", script("from torchvision import models", "    net = " + net + "\n")}});
  };
  CHECK(built("models.vgg11()") == "132863336");
  CHECK(built("models.alexnet(num_classes=5)") == "57024325");
  CHECK(built("models.segmentation.fcn_resnet50(num_classes=5)") == "32948805");
  CHECK(built("models.segmentation.deeplabv3_resnet50(num_classes=5)") == "39634757");
}

TEST_CASE("convolutions over sparse volumes are counted") {
  const std::string sparse =
      "import spconv.pytorch as spconv\nimport torch.nn as nn\n"
      "class Second(nn.Module):\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        self.a = spconv.SparseSequential(spconv.SubMConv3d(3, 16, kernel_size=3, "
      "bias=False), nn.ReLU())\n"
      "        self.b = spconv.SparseInverseConv3d(16, 8, kernel_size=2, indice_key='a', "
      "bias=False)\n";
  CHECK(counted({{"nets.py", sparse},
                 {"train.py", script("from nets import Second", "    net = Second()\n")}}) ==
        "2320");
}

TEST_CASE("layers over graphs are counted") {
  const std::string graphs =
      "from torch_geometric.nn import GATConv, GCNConv, SAGEConv\nimport torch.nn as nn\n"
      "class Second(nn.Module):\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        self.a = GCNConv(16, 32)\n"          // 16 x 32 + 32
      "        self.b = GATConv(16, 8, heads=4)\n"  // 16 x 32 + 2 x 32 + 32
      "        self.c = SAGEConv(16, 32)\n";        // 2 x 16 x 32 + 32
  CHECK(counted({{"nets.py", graphs},
                 {"train.py", script("from nets import Second", "    net = Second()\n")}}) ==
        "2208");
}

TEST_CASE("a long list of a network's named weights is gone through to its end") {
  const std::string deep =
      "import torch.nn as nn\nclass Second(nn.Module):\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        self.a = nn.ModuleList([nn.Linear(1, 1) for i in range(200)])\n";
  std::string trains = script("from nets import Second", "    net = Second()\n");
  const std::string list =
      "    trained = []\n"
      "    for name, weight in net.named_parameters():\n"
      "        if weight.requires_grad: trained.append(weight)\n    optimizer = "
      "torch.optim.Adam(trained,";
  trains.replace(trains.find("    optimizer = torch.optim.Adam(net.parameters(),"), 50, list);
  CHECK(counted({{"nets.py", deep}, {"train.py", trains}}) == "400");
}

TEST_CASE("a count of layers stands where the geometry of a config does not tell the parameters") {
  Files files = {{"nets.py", network("Second", 20)},
                 {"train.py", script("from nets import Second", "    net = Second()\n")},
                 {"train_more.py", script("from nets import Second", "    net = Second()\n")}};
  files.emplace("configs/a.yaml",
                std::string(kConfig) +
                    "model: {embed_dim: 512, depth: 12, num_heads: 8}\n");
  CHECK(counted(std::move(files)) == "220+");
}

TEST_CASE("a file that the code of its folder never makes is not there") {
  const std::string net =
      "    words = None\n"
      "    path = os.path.join('data', 'web', 'meta.pkl')\n"
      "    if os.path.exists(path):\n"
      "        words = len(open(path).read())\n"
      "    net = nn.Linear(10, 30 if words is None else words)\n";
  const std::string imports = "import torch.nn as nn\n";
  const std::string program = script(imports, net);
  CHECK(counted({{"train.py", program}, {"data/web/prepare.py", "tokens = 1\n"}}) == "330");
  // It may be there where the folder's code names it, or has none.
  for (const char* const code : {"write('meta.pkl')\n", "write(\"data/web/meta.pkl\")\n"}) {
    CAPTURE(code);
    CHECK(counted({{"train.py", program}, {"data/web/prepare.py", code}}) != "330");
  }
  CHECK(counted({{"train.py", program}}) != "330");
}

}  // namespace chosen_networks_test
