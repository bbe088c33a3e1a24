// Ways in which the code of networks works out what it builds. The counts are PyTorch's own.

#include "unit/lint/counted_networks.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace python_idioms_test {

using namespace counted_networks;

namespace {

constexpr const char* kAround = R"(import ast, collections, enum, functools, itertools, math, types, typing
import numpy as np
from collections import abc
from packaging import version
import torch
import torch.nn as nn
from torch.nn.modules.utils import _pair
Size = collections.namedtuple("Size", "width, height", defaults=(8,))
class Typed(typing.NamedTuple):
    width: int
    height: int = 5
class Width(enum.Enum):
    SMALL = 4
    LARGE = 8
class Mixed(enum.Enum):
    ONE = 1
    BOTH = (1, 2)
class Kind(str, enum.Enum):
    CONV = "conv"
    ATTENTION = "attention"
class Frozen:
    def __init__(self, width):
        object.__setattr__(self, "width", width)
def decoded(word):
    try: word = ast.literal_eval(word)
    except ValueError: pass
    except SyntaxError: pass
    return word
def joined(*sets):
    all_of = {1}
    for each in sets:
        all_of.update(each)
        all_of.add(1)
    return all_of
def rest_of(*dims, out):
    first, *middle, last = dims
    return nn.ModuleList([nn.Linear(first, last)] + [nn.Linear(each, out) for each in middle])
def made_one_by_one(count):
    for i in range(count):
        yield nn.Linear(i + 1, 1)
)";

}  // namespace

TEST_CASE("layers and weights are counted however Python puts them together") {
  const std::vector<std::pair<std::string, int>> cases = {
      {"torch.nn.Parameter(torch.Tensor(5, 6))", 30},
      {"nn.Parameter(torch.Tensor(1, 1, 4).fill_(0.1))", 4},
      {"nn.Parameter(torch.tensor([[1.0, 2.0], [1, 2]]))", 4},
      {"nn.Parameter(torch.cat([torch.zeros(2, 3), torch.ones(1, 3)]))", 9},
      {"nn.Parameter(torch.stack([torch.zeros(3), torch.zeros(3)]))", 6},
      {"nn.Parameter(nn.init.trunc_normal_(torch.zeros(1, 4, 4), std=.02))", 16},
      {"nn.Parameter(torch.eye(3).unsqueeze(0).repeat(2, 1, 1))", 18},
      {"nn.Parameter(torch.zeros(1, 3).expand(4, -1).clone())", 12},
      {"nn.Parameter(torch.log(torch.arange(1, 6, 2, dtype=torch.float32).repeat(3, 1)))", 9},
      {"nn.Parameter(-torch.ones(3))", 3},
      {"nn.Parameter(torch.zeros(3)[None, :, None])", 3},
      {"nn.Parameter(torch.zeros(3, 4)[:2])", 8},
      {"nn.Linear(divmod(16, 5)[0], 1 << 2)", 16},
      {"nn.Linear(decoded('[3, 4]')[1], decoded('2'), bias=decoded('False'))", 8},
      {"nn.Linear({'a-2.x': 3}[decoded('a-2.x')], 1)", 4},
      {"nn.Linear(sorted([4, 2, 16])[0], 1)", 3},
      {"nn.Linear(len({1, 2, 2}), 1)", 3},
      {"nn.Linear(16, 1, bias=any([False, True]))", 17},
      {"nn.ModuleList([nn.Linear(i + 1, v) for i, v in enumerate([3, 4], start=1)])", 25},
      {"nn.ModuleList([nn.Linear(a, b) for a, b in itertools.product([1, 2], [3])])", 15},
      {"nn.ModuleList([nn.Linear(v, 1) for k, v in sorted({'b': 4, 'a': 3}.items())])", 9},
      {"nn.ModuleList([nn.Linear(v, 1) for v in [1, 2, 3, 4][::2]])", 6},
      {"nn.Sequential(*filter(None, [nn.Linear(1, 2), None]))", 4},
      {"nn.Linear(functools.reduce(lambda a, b: a * b, [2, 3]), 1)", 7},
      {"nn.Linear(next(iter([4, 5])), next(x for x in [1, 5] if x > 2))", 25},
      {"nn.Linear(len('-'.join(['a', 'b'])), 1)", 4},
      {"nn.Linear(3, 4).__class__(3, 5)", 20},
      {"[nn.Linear(1, 1), nn.Linear(2, 2)][16 > 4]", 6},
      {"nn.Conv2d(3, 4, _pair(3))", 112},
      {"nn.Linear(*Size(3, 4))", 16},
      {"nn.Linear(Size(width=3, height=4).height, Size(3)[1])", 40},
      {"nn.Linear(*Typed(3))", 20},
      {"nn.Linear(Width.LARGE.value, len(Width))", 18},
      {"nn.Linear(3, 4) if Kind('conv') == Kind.CONV and Kind['CONV'].value == 'conv' else "
       "nn.Identity()",
       16},
      {"nn.ModuleList([nn.Linear(each.value, 1) for each in Width])", 14},
      {"rest_of(1, 2, 3, 4, out=3)", 29},
      {"nn.Sequential(*made_one_by_one(3))", 9},
      {"nn.Parameter(torch.arange(4).reshape(1, -1, 1) * torch.zeros(3))", 12},
      {"nn.Parameter(torch.flatten(torch.stack([torch.zeros(2, 3), torch.zeros(2, 3)], dim=-1), start_dim=-2))", 12},
      {"nn.Parameter(torch.outer(torch.arange(4), torch.zeros(3)))", 12},
      {"nn.Parameter(torch.einsum('i,j->ij', torch.arange(4), torch.zeros(3)))", 12},
      {"nn.Parameter(torch.matmul(torch.zeros(2, 3), torch.zeros(3, 4)))", 8},
      {"nn.Parameter(torch.zeros(4, 1) @ torch.zeros(1, 3))", 12},
      {"nn.Parameter(torch.arange(4)[:, None] * torch.arange(3)[None])", 12},
      {"nn.Parameter(torch.linspace(0, 1, 5))", 5},
      {"nn.Parameter(torch.triu(torch.ones(3, 3), diagonal=1))", 9},
      {"nn.Parameter(torch.full((2, 3), 0.1))", 6},
      {"nn.Parameter(torch.randn(2, 3).uniform_(-1, 1))", 6},
      {"nn.Parameter(torch.from_numpy(np.zeros((2, 3))))", 6},
      {"nn.Parameter(torch.rand(2, 3).mul(0.1))", 6},
      {"nn.Parameter(torch.zeros(2, 3).T)", 6},
      {"nn.Parameter(torch.repeat_interleave(torch.zeros(3), 2))", 6},
      {"nn.Parameter(torch.empty(3).normal_(0, 1))", 3},
      {"nn.Parameter(torch.nn.functional.pad(torch.zeros(3), (1, 1)))", 5},
      {"nn.Parameter(torch.tril(torch.ones(3, 3)).view(1, 1, 3, 3))", 9},
      {"nn.Parameter(torch.zeros(2, 3).to('cpu').float())", 6},
      {"nn.Parameter(torch.Tensor([1.0, 2.0]))", 2},
      {"nn.Parameter(torch.FloatTensor(2, 3))", 6},
      {"nn.Parameter(torch.zeros(2, 4).chunk(2, dim=1)[0])", 4},
      {"nn.Parameter(torch.zeros(2, 3).new_zeros(4, 5))", 20},
      {"nn.Parameter(torch.zeros(2, 3) ** 2)", 6},
      {"nn.Parameter(torch.zeros(2, 3).pow(2).sum(dim=-1, keepdim=True))", 2},
      {"nn.Parameter(torch.zeros(4, 2).t().contiguous())", 8},
      {"nn.Parameter(torch.cos(torch.zeros(2, 3)) + 1)", 6},
      {"nn.Parameter(torch.sqrt(1 - torch.zeros(5)))", 5},
      {"nn.Parameter(torch.zeros(5)[1:])", 4},
      {"nn.Parameter(torch.tensor(np.linspace(0, 1, 5)))", 5},
      {"nn.Parameter(torch.zeros(3).repeat(2, 1))", 6},
      {"nn.Parameter(torch.cat((torch.zeros(2, 3), torch.zeros(2, 1)), -1))", 8},
      {"nn.Parameter(torch.rand(1, 1, 4, 4).expand(2, -1, -1, -1))", 32},
      {"nn.Parameter(torch.eye(3).flatten())", 9},
      {"nn.Parameter(torch.zeros(2, 3).abs().clamp(min=0))", 6},
      {"nn.Parameter(torch.exp(torch.arange(0, 6, 2) * -(math.log(10000.0) / 6)))", 3},
      {"nn.Parameter(torch.as_tensor([1, 2, 3]))", 3},
      {"nn.Parameter(torch.zeros(3, 3).masked_fill(torch.ones(3, 3) == 0, 1.0))", 9},
      {"nn.Parameter(torch.ones(2, 3).bool().float())", 6},
      {"nn.Parameter(torch.zeros(2, 3, dtype=torch.float32, device='cpu'))", 6},
      {"nn.Parameter(torch.zeros(torch.Size([2, 3])))", 6},
      {"nn.Parameter(torch.randn(*[2, 3]))", 6},
      {"nn.Parameter(torch.logspace(0, 1, 4))", 4},
      {"nn.Parameter(torch.stack((torch.zeros(3), torch.ones(3)), 1))", 6},
      {"nn.Parameter(torch.zeros(6).reshape(2, 3).permute(1, 0))", 6},
      {"nn.Parameter(torch.zeros(2, 3)[..., None])", 6},
      {"nn.Parameter(torch.nn.init.xavier_uniform_(torch.empty(2, 3)))", 6},
      {"nn.Parameter(torch.zeros(2, 3).transpose(0, 1)[0])", 2},
      {"nn.Linear(3 if torch.__version__ >= '1.5.0' else 4, 1)", 4},
      {"nn.Linear(3 if version.parse(torch.__version__) < version.parse('1.5') else 4, 1)", 5},
      {"nn.Linear(len(joined({1, 2}, [2, 3])), 1)", 4},
      {"nn.Linear(3 if type(1.5) is abc.Mapping else 4, 1)", 5},
      {"nn.Linear(3 if isinstance({}, abc.Mapping) else 4, 1)", 4},
      {"nn.Linear(3 if isinstance([1], (str, bytes)) else 4, 1)", 5},
      {"nn.Linear(3 if isinstance((1,), typing.Sequence) else 4, 1)", 4},
      {"nn.Linear(3 if isinstance(2, abc.Iterable) else 4, 1)", 5},
      {"nn.Linear(len({1, 2} | {2, 3}), len({1, 2} - {2}))", 4},
      {"nn.Linear(3 if {'a'}.issubset(['a', 'b']) else 4, 1)", 4},
      {"nn.Linear(3 if {'a', 'c'} <= {'a', 'b'} else 4, len({1, 2}.union([3])))", 15},
      {"nn.Linear(dict.fromkeys(['a'], 3)['a'], 1)", 4},
      {"nn.Linear(types.MappingProxyType({'a': 3})['a'], 1)", 4},
      {"nn.Linear(Frozen(3).width, 1)", 4},
      {"nn.Linear(len('xaax'.strip('x')), len('a.b'.partition('.')[2]))", 3},
      {"nn.Linear(3 if 'conv1'.startswith(('lin', 'conv')) else 4, 1)", 4},
      {"nn.Linear(len('conv1'.removeprefix('conv')), 1)", 2}};
  for (const auto& [expression, parameters] : cases) {
    const std::string nets = std::string(kAround) +
                             "class Second(nn.Module):\n"
                             "    def __init__(self):\n"
                             "        super().__init__()\n"
                             "        self.part = " +
                             expression + "\n";
    CAPTURE(expression);
    CHECK(counted({{"nets.py", nets},
                   {"train.py", script("from nets import Second", "    net = Second()\n")}}) ==
          std::to_string(parameters));
  }
}

TEST_CASE("an iterator is used up") {
  const std::string nets = std::string(kAround) +
                           "class Second(nn.Module):\n"
                           "    def __init__(self):\n"
                           "        super().__init__()\n"
                           "        widths = iter([2, 3, 4])\n"
                           "        self.a = nn.Linear(next(widths), next(widths))\n"
                           "        self.b = nn.Linear(next(widths), next(widths, 1))\n";
  CHECK(counted({{"nets.py", nets},
                 {"train.py", script("from nets import Second", "    net = Second()\n")}}) == "14");
}

TEST_CASE("yacs reads a text that looks like a tuple as one") {
  const std::string train =
      "import argparse, torch\nfrom yacs.config import CfgNode as CN\n"
      "cfg = CN()\ncfg.gpus = (0,)\ncfg.lr = 0.1\ncfg.epochs = 1\ncfg.batch_size = 1\n"
      "def main():\n"
      "    parser = argparse.ArgumentParser()\n"
      "    parser.add_argument('--config')\n"
      "    cfg.merge_from_file(parser.parse_args().config)\n"
      "    net = torch.nn.Linear(len(cfg.gpus), cfg.gpus[1])\n"
      "    optimizer = torch.optim.Adam(net.parameters(), lr=cfg.lr)\n"
      "    for epoch in range(cfg.epochs):\n"
      "        for x, y in loader:\n"
      "            loss = net(x).mean()\n"
      "            loss.backward()\n"
      "            optimizer.step()\n"
      "if __name__ == '__main__':\n    main()\n";
  const std::string config = "lr: 0.001\nbatch_size: 8\nepochs: 3\ngpus: (0, 2, 4)\n";
  CHECK(counted({{"train.py", train}, {"configs/a.yaml", config}}) == "8");
  const std::string nested = "lr: 0.001\nbatch_size: 8\nepochs: 3\ngpus: ((0, 2), (4, 5))\n";
  CHECK(counted({{"train.py", train}, {"configs/a.yaml", nested}}) == "unknown");
}

TEST_CASE("a matrix that a layer fills number by number leaves time for the layers behind it") {
  const std::string nets =
      "import torch\nimport torch.nn as nn\n"
      "class Part(nn.Module):\n"
      "    def __init__(self, width):\n"
      "        super().__init__()\n"
      "        self.distances = torch.zeros((width, width))\n"
      "        for i in range(width):\n"
      "            for j in range(width):\n"
      "                self.distances[i][j] = abs(i - j)\n"
      "        self.a = nn.Linear(2, 2)\n"
      "class Second(nn.Module):\n"
      "    def __init__(self):\n"
      "        super().__init__()\n"
      "        self.parts = nn.ModuleList([Part(200) for _ in range(12)])\n";
  CHECK(counted({{"nets.py", nets},
                 {"train.py", script("from nets import Second", "    net = Second()\n")}}) == "72");
}

TEST_CASE("sizes that nobody knows are not guessed") {
  for (const char* expression :
       {"nn.Parameter(torch.zeros(unknown()).repeat(2))", "nn.Linear(sorted([3, unknown()])[0], 1)",
        "nn.Parameter(torch.cat([torch.zeros(2), unknown()]))", "nn.Linear(next(unknown()), 1)",
        "nn.Linear(Width(unknown()).value, 1)", "nn.Linear(sorted([4, 3], key=unknown)[0], 1)",
        "nn.Linear(sorted([(2, 5), (2, 4)])[0][1], 1)", "nn.Linear(len(Mixed), 1)",
        "nn.Linear(2, 1) if callable(unknown.part) else nn.Identity()",
        "nn.Linear(1 if {1, 2}.issubset(unknown) else 2, 1)",
        "nn.Linear(3 if torch.__version__ >= '99.5' else 4, 1)"}) {
    const std::string nets = std::string(kAround) +
                             "from elsewhere import unknown\n"
                             "class Second(nn.Module):\n"
                             "    def __init__(self):\n"
                             "        super().__init__()\n"
                             "        self.known = nn.Linear(1, 2)\n"
                             "        self.part = " +
                             expression + "\n";
    CAPTURE(expression);
    const std::string found =
        counted({{"nets.py", nets},
                 {"train.py", script("from nets import Second", "    net = Second()\n")}});
    CHECK((found == "4+" || found == "5+"));  // with the bias of a layer whose width is unknown
  }
}

TEST_CASE("a network is built by a text that is evaluated, a named module and a matching case") {
  const Files nets = {{"nets.py", network("First", 3) + network("Second", 5)}};
  const auto with = [&](const std::string& imports, const std::string& made) {
    Files files = nets;
    files["train.py"] = script(imports, made);
    return counted(files);
  };
  const std::string all = "from nets import First, Second";
  CHECK(with(all, "    net = eval(cfg['network'] + '()')\n") == "55");
  CHECK(with(all, "    size = 3\n    net = eval('First() if size > 4 else Second()')\n") == "55");
  CHECK(with(all, "    net = eval('Second(); First()')\n") == "unknown");
  CHECK(with("import sys\n" + all,
             "    net = getattr(sys.modules[__name__], cfg['network'])()\n") == "55");
  CHECK(with("", "    net = getattr(__import__('nets', fromlist=['']), cfg['network'])()\n") ==
        "55");
  CHECK(with("from importlib.machinery import SourceFileLoader",
             "    net = SourceFileLoader('own', 'nets.py').load_module().Second()\n") == "55");
  CHECK(with("import imp", "    net = imp.load_source('own', 'nets.py').Second()\n") == "55");
  const std::string kinds =
      "from enum import Enum\n" + all +
      "\nclass Kind(Enum):\n    A = 'First'\n    B = 'Second'\n";
  CHECK(with(kinds, "    match Kind(cfg['network']):\n"
                    "        case Kind.A: net = First()\n"
                    "        case Kind.B: net = Second()\n") == "55");
  CHECK(with(kinds, "    match cfg['epochs']:\n"
                    "        case 4 | 5: net = First()\n"
                    "        case 3: net = Second()\n"
                    "        case None: net = First()\n") == "55");
  // Of the sides that nobody can decide, the smaller is sure to be there.
  CHECK(with(kinds, "    match cfg['network']:\n"
                    "        case str(word): net = First()\n"
                    "        case _: net = Second()\n") == "33+");
}

TEST_CASE("what a text that is evaluated calls is stated where it is evaluated") {
  const std::string code =
      "import argparse, torch\nfrom nets import Second\nnet = Second()\n"
      "loader = torch.utils.data.DataLoader(data(), batch_size=4)\n"
      "made = {'adam': 'torch.optim.Adam(net.parameters(), lr=0.25)'}\n"
      "optimizer = eval(made['adam'])\n"
      "for x in loader:\n    net(x).mean().backward()\n    optimizer.step()\n";
  MemoryReader reader({{"train.py", code},
                       {"nets.py", network("Second", 5)},
                       {"train.sh", "python train.py\n"}});
  LintRequest request;
  request.paths = {"train.sh"};
  request.options.keep_plans = true;
  const LintResult result = lint(session_over(reader), request);
  REQUIRE(result.files.size() == 1);
  REQUIRE(result.files.front().plans.size() == 1);
  const Plan& plan = *result.files.front().plans.front().plan;
  REQUIRE(plan.facts.learning_rate);
  CHECK(plan.facts.learning_rate->value == 0.25);
  REQUIRE(plan.facts.parameters);
  CHECK(plan.facts.parameters->value == 55);
}

}  // namespace python_idioms_test
