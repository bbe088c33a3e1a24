// Values that a script works out in Python before it trains with them.

#include "unit/lint/code_project.h"

#include <doctest/doctest.h>

namespace python_values_test {

using namespace gpulint;

/// What a script trains with after `code`, which sets `lr`.
Project trained_after(const std::string& code, const std::string& optimizer =
                                                   "torch.optim.Adam(model.parameters(), lr=lr)") {
  return Project({{".git/HEAD", ""},
                  {"train.py", "import torch\nfrom torch.utils.data import DataLoader\n" + code +
                                   "model = torch.nn.Linear(4, 4)\noptimizer = " + optimizer +
                                   "\nloader = DataLoader(make('train'), batch_size=8)\n"
                                   "for epoch in range(3):\n    for x in loader:\n"
                                   "        model(x).sum().backward()\n"
                                   "        optimizer.step()\n"}},
                 "train.py");
}

std::string rate_after(const std::string& code) {
  const std::string fact = trained_after(code).fact("learning_rate");
  return fact.substr(0, fact.find(' '));
}

TEST_CASE("the kind of a device is what stands before its number") {
  const std::string device = "d = torch.device('cuda:0' if torch.cuda.is_available() else 'cpu')\n";
  CHECK(rate_after(device + "lr = 0.5 if d.type == 'cuda' else 0.1\n") == "0.5");
  CHECK(rate_after(device + "lr = 0.5 if d.type.startswith('cuda') else 0.1\n") == "0.5");
  CHECK(rate_after("d = torch.device('cpu')\nlr = 0.5 if d.type != 'cpu' else 0.1\n") == "0.1");
}

TEST_CASE("a number format is something, and no format is not") {
  const std::string rate = "lr = 0.5 if form is not None else 0.1\n";
  CHECK(rate_after("form = torch.bfloat16\n" + rate) == "0.5");
  CHECK(rate_after("form = None\n" + rate) == "0.1");
  CHECK(rate_after("lr = 0.5 if torch.float16 else 0.1\n") == "0.5");
}

TEST_CASE("texts show numbers and what is true as Python writes them") {
  CHECK(rate_after("lr = float('{}'.format(0.5))\n") == "0.5");
  CHECK(rate_after("lr = float(f'{0.5}')\n") == "0.5");
  CHECK(rate_after("lr = float('%s' % 0.5)\n") == "0.5");
  CHECK(rate_after("lr = {'1.0': 0.5}[f'{1.0}']\n") == "0.5");
  CHECK(rate_after("lr = {'True': 0.5}[str(1 < 2)]\n") == "0.5");
  CHECK(rate_after("lr = {'a-True': 0.5}['a-{}'.format(True)]\n") == "0.5");
}

TEST_CASE("a class that extends a dict keeps its items by what a dict does itself") {
  const std::string settings =
      "class Settings(dict):\n"
      "    def __init__(self, given):\n        super().__init__()\n"
      "        for key in given:\n            super().__setitem__(key, given[key])\n"
      "    def __setitem__(self, key, value):\n        raise Exception('constant')\n"
      "    def __getattr__(self, key):\n        return super().__getitem__(key)\n"
      "    def changed(self, key):\n        super().update({key: 0.3})\n        return self\n";
  CHECK(rate_after(settings + "lr = Settings({'lr': 0.5}).lr\n") == "0.5");
  CHECK(rate_after(settings + "lr = Settings({'lr': 0.5}).changed('lr')['lr']\n") == "0.3");
}

TEST_CASE("a name that nobody knows chooses the only class or function that there is") {
  const std::string choices = "def slow():\n    return 0.5\ndef fast():\n    return 0.1\n";
  CHECK(rate_after(choices + "lr = {'slow': slow}[name()]()\n") == "0.5");
  CHECK(rate_after(choices + "lr = {'slow': slow, 'fast': fast}[name()]()\n") == "unknown");
  CHECK(rate_after(choices + "lr = {'slow': slow, name(): fast}[name()]()\n") == "unknown");
  CHECK(rate_after("lr = {'slow': 0.5}[name()]\n") == "unknown");
}

TEST_CASE("a path is made of all parts that it is given") {
  CHECK(rate_after("from pathlib import Path\nlr = {'a/b': 0.5}[str(Path('a', 'b'))]\n") == "0.5");
  CHECK(rate_after("from pathlib import Path\n"
                   "lr = {'a/b/c': 0.5}[str(Path('a').joinpath('b', 'c'))]\n") == "0.5");
  CHECK(rate_after("from pathlib import Path\n"
                   "lr = 0.5 if str(Path('a', name())) == 'a' else 0.1\n") == "unknown");
}

TEST_CASE("rounds for each weight of a deep network leave the script its steps") {
  const std::string sorted =
      "    for name, p in net.named_parameters():\n"
      "        if p.ndim >= 2 and 'embed' not in name and 'head' not in name:\n"
      "            wide.append(p)\n"
      "        elif not name.endswith('.gain') and not name.startswith('norm'):\n"
      "            narrow.append(p)\n";
  CHECK(rate_after("class Net(torch.nn.Module):\n    def __init__(self):\n"
                   "        super().__init__()\n        self.parts = torch.nn.ModuleList(\n"
                   "            [torch.nn.Linear(2, 2) for _ in range(600)])\n"
                   "net = Net()\nwide, narrow = [], []\nfor again in [1, 2, 3, 4, 5]:\n" +
                   sorted + "count = sum([p.numel() for p in net.parameters()])\nlr = 0.5\n") ==
        "0.5");
}

TEST_CASE("statements in a text run where the code runs them") {
  CHECK(rate_after("exec('lr = 0.5')\n") == "0.5");
  CHECK(
      rate_after("given = {}\nfor key in ['lr']:\n    exec('given[\\'{0}\\'] = 0.5'.format(key))\n"
                 "lr = given['lr']\n") == "0.5");
  CHECK(rate_after("lr = 0.5\nexec('this is no code')\n") == "0.5");
  CHECK(rate_after("import argparse\np = argparse.ArgumentParser()\nh = {'lr': 0.5}\nfor k in h:\n"
                   "    exec('p.add_argument(\\'--{0}\\', default=h[\\'{0}\\'])'.format(k))\n"
                   "lr = vars(p.parse_args())['lr']\n") == "0.5");
}

TEST_CASE("an instance of a class of fields as a mapping holds mappings") {
  const std::string classes =
      "from dataclasses import dataclass, asdict, field, is_dataclass, replace\n"
      "@dataclass\nclass Inner:\n    lr: float = 0.5\n"
      "@dataclass\nclass Outer:\n    inner: Inner = field(default_factory=Inner)\n    rows: int = "
      "8\n";
  CHECK(rate_after(classes + "lr = asdict(Outer())['inner']['lr']\n") == "0.5");
  CHECK(rate_after(classes +
                   "def flat(s):\n    out = {}\n"
                   "    for k, v in (asdict(s) if is_dataclass(s) else s).items():\n"
                   "        if isinstance(v, dict): out.update(flat(v))\n        else: out[k] = v\n"
                   "    return out\nlr = flat(Outer())['lr']\n") == "0.5");
  CHECK(rate_after(classes + "lr = replace(Inner(lr=0.1), lr=0.25).lr\n") == "0.25");
  CHECK(rate_after(classes + "a = Inner(lr=0.1)\nreplace(a, lr=0.25)\nlr = a.lr\n") == "0.1");
}

TEST_CASE("the names of a class of settings are a mapping") {
  const std::string settings = "class Settings:\n    lr = 0.5\n    rows = 8\n";
  CHECK(rate_after(settings + "lr = vars(Settings)['lr']\n") == "0.5");
  CHECK(rate_after(settings +
                   "lr = {k: v for k, v in Settings.__dict__.items() if k[0] != '_'}['lr']\n") ==
        "0.5");
}

TEST_CASE("a bunch of values has them as attributes") {
  CHECK(rate_after("from bunch import Bunch\nlr = Bunch({'lr': 0.5}).lr\n") == "0.5");
}

TEST_CASE("groups of parameters leave what they do not state to the optimizer") {
  const std::string group = "torch.optim.AdamW([{'params': list(model.parameters()), 'lr': 0.2";
  const Project plain = trained_after("", group + "}])");
  CHECK(plain.fact("learning_rate").starts_with("0.2 "));
  CHECK(plain.fact("weight_decay") == "0.01 code train.py:4");
  const Project stated =
      trained_after("", group + "}, {'params': [], 'lr': 0.2, 'weight_decay': 0.3}])");
  CHECK(stated.fact("weight_decay") == "unknown");
  const Project set = trained_after(
      "def adjust(optimizer):\n    for group in optimizer.param_groups:\n"
      "        group['weight_decay'] = 1e-3\n",
      group + "}])\nadjust(optimizer)");
  CHECK(set.fact("weight_decay") == "unknown");
}

TEST_CASE("a class of the project loads the network that its library's class loads by that name") {
  const Project project({{".git/HEAD", ""},
                         {"train.py",
                          "import transformers\n"
                          "class Own(transformers.WhisperForConditionalGeneration):\n"
                          "    def forward(self, extra=None, **rest):\n"
                          "        return super().forward(**rest)\n"
                          "model = Own.from_pretrained('openai/whisper-small')\n"
                          "args = transformers.TrainingArguments('out', learning_rate=0.1)\n"
                          "transformers.Trainer(model=model, args=args).train()\n"}},
                        "train.py");
  CHECK(project.fact("model").starts_with("openai/whisper-small "));
}

TEST_CASE("a network that splits its batch among GPUs in its constructor is given all of it") {
  const auto project = [](const std::string& condition) {
    return Project({{".git/HEAD", ""},
                    {"train.py",
                     "import torch\nfrom torch import nn\nfrom torch.utils.data import DataLoader\n"
                     "class Net(nn.Module):\n    def __init__(self, several):\n"
                     "        super().__init__()\n        self.layer = nn.Linear(4, 4)\n"
                     "        if several: self.layer = nn.DataParallel(self.layer)\n"
                     "    def forward(self, x): return self.layer(x)\n"
                     "net = Net(" +
                         condition +
                         ")\noptimizer = torch.optim.Adam(net.parameters(), lr=0.1)\n"
                         "for x in DataLoader(make('train'), batch_size=8, shuffle=True):\n"
                         "    net(x).sum().backward()\n    optimizer.step()\n"}},
                   "train.py");
  };
  CHECK(project("True").fact("global_batch_size") == "8 code train.py:12");
  CHECK(project("True").fact("per_device_batch_size") == "unknown");
  CHECK(project("False").fact("per_device_batch_size") == "8 code train.py:12");
}

}  // namespace python_values_test
