// What trainings write by hand: curves of the learning rate, and networks that they only load.

#include "unit/lint/code_project.h"

#include <doctest/doctest.h>

namespace code_idioms_test {

using namespace gpulint;
using Files = MemoryReader::Files;

const std::string kMain = "if __name__ == '__main__':\n    main()\n";

Project trained(const std::string& body,
                const std::string& config = "batch_size: 4\nlr: 0.1\nepochs: 9\n") {
  return Project({{".git/HEAD", ""},
                  {"train.yaml", config},
                  {"train.py",
                   "import math, torch, yaml\nimport numpy as np\n"
                   "from torch.optim.lr_scheduler import LambdaLR\n"
                   "from transformers import AutoModelForCausalLM, AutoModel\n" +
                       body + kMain}},
                 "train.yaml");
}

TEST_CASE("a schedule of the project's own is called after the curve in its code") {
  const auto schedule = [](const std::string& curve, const std::string& made) {
    return trained(
               "def main():\n"
               "    c = yaml.safe_load(open('train.yaml'))\n"
               "    model = torch.nn.Linear(3, 3)\n"
               "    loader = torch.utils.data.DataLoader(data(), batch_size=c['batch_size'])\n"
               "    optimizer = torch.optim.AdamW(model.parameters(), lr=c['lr'])\n" +
               curve + "    scheduler = " + made +
               "\n    for epoch in range(c['epochs']):\n"
               "        for x in loader:\n"
               "            model(x).sum().backward()\n"
               "            optimizer.step()\n"
               "            scheduler.step()\n")
        .fact("lr_schedule");
  };
  const std::string curve =
      "    def curve(step):\n"
      "        if step < 10:\n            return (step + 1) / 10\n"
      "        return 0.5 * (1 + math.cos(math.pi * (step - 10) / 90))\n";
  CHECK(schedule(curve, "LambdaLR(optimizer, curve)") == "cosine code train.py:14");
  CHECK(schedule("", "LambdaLR(optimizer, lambda s: 0.5 * (1 + np.cos(s / 90)))") ==
        "cosine code train.py:10");
  CHECK(schedule("    def curve(step):\n        return 0.9 ** step\n",
                 "LambdaLR(optimizer, lr_lambda=curve)") == "unknown");
}

TEST_CASE("a function that sets the rate of each step draws the curve it calls") {
  const auto schedule = [](const std::string& rate) {
    return trained("def adjust(optimizer, step, c):\n" + rate +
                   "    for group in optimizer.param_groups:\n        group['lr'] = lr\n"
                   "def main():\n"
                   "    c = yaml.safe_load(open('train.yaml'))\n"
                   "    model = torch.nn.Linear(3, 3)\n"
                   "    loader = torch.utils.data.DataLoader(data(), batch_size=c['batch_size'])\n"
                   "    optimizer = torch.optim.AdamW(model.parameters(), lr=c['lr'])\n"
                   "    for epoch in range(c['epochs']):\n"
                   "        for i, x in enumerate(loader):\n"
                   "            adjust(optimizer, i / len(loader) + epoch, c)\n"
                   "            model(x).sum().backward()\n"
                   "            optimizer.step()\n")
        .fact("lr_schedule");
  };
  CHECK(schedule("    lr = c['lr'] * 0.5 * (1 + math.cos(math.pi * step / 9))\n") ==
        "cosine code train.py:6");
  CHECK(schedule("    lr = c['lr'] * 0.1 ** (step // 30)\n") == "step code train.py:6");
  CHECK(schedule("    lr = c['lr'] * 0.1 ** (wanted(step) // 30)\n") == "unknown");
}

TEST_CASE("a model that is loaded and frozen is not the model of the run") {
  const auto model = [](const std::string& freeze) {
    return trained(
               "def main():\n"
               "    c = yaml.safe_load(open('train.yaml'))\n"
               "    teacher = AutoModelForCausalLM.from_pretrained('org/big-7b').eval()\n" +
               freeze +
               "    head = torch.nn.Linear(3, 3)\n"
               "    loader = torch.utils.data.DataLoader(data(), batch_size=c['batch_size'])\n"
               "    optimizer = torch.optim.AdamW(head.parameters(), lr=c['lr'])\n"
               "    for epoch in range(c['epochs']):\n"
               "        for x in loader:\n"
               "            head(teacher(x)).sum().backward()\n"
               "            optimizer.step()\n")
        .fact("model");
  };
  CHECK(model("") == "org/big-7b code train.py:7");
  CHECK(model("    teacher.requires_grad_(False)\n") == "unknown");
  CHECK(model("    for p in teacher.parameters():\n        p.requires_grad = False\n") ==
        "unknown");
  CHECK(model("    teacher.requires_grad_(True)\n") == "org/big-7b code train.py:7");
}

TEST_CASE("an adapter that is loaded to be trained on is the run's") {
  const auto adapter = [](const std::string& options) {
    return trained(
               "from peft import PeftModel\n"
               "def main():\n"
               "    c = yaml.safe_load(open('train.yaml'))\n"
               "    base = AutoModelForCausalLM.from_pretrained('org/big-7b')\n"
               "    model = PeftModel.from_pretrained(base, c['adapter_path']" +
               options +
               ")\n"
               "    loader = torch.utils.data.DataLoader(data(), batch_size=c['batch_size'])\n"
               "    optimizer = torch.optim.AdamW(model.parameters(), lr=c['lr'])\n"
               "    for epoch in range(c['epochs']):\n"
               "        for x in loader:\n"
               "            model(x).sum().backward()\n"
               "            optimizer.step()\n")
        .fact("adapter");
  };
  CHECK(adapter(", is_trainable=True") == "lora code train.py:9");
  CHECK(adapter("") == "unknown");
}

TEST_CASE("options of a frozen model say nothing of the run") {
  const auto quantization = [](const std::string& freeze) {
    return trained(
               "from transformers import BitsAndBytesConfig\ndef load(name):\n"
               "    try:\n"
               "        q8 = BitsAndBytesConfig(load_in_8bit=True)\n"
               "        teacher = AutoModelForCausalLM.from_pretrained(name, "
               "quantization_config=q8)\n"
               "    except Exception:\n"
               "        raise RuntimeError('no memory')\n" +
               freeze +
               "    return teacher\n"
               "def main():\n"
               "    c = yaml.safe_load(open('train.yaml'))\n"
               "    teacher = load(unknown)\n"
               "    head = torch.nn.Linear(3, 3)\n"
               "    loader = torch.utils.data.DataLoader(data(), batch_size=c['batch_size'])\n"
               "    optimizer = torch.optim.AdamW(head.parameters(), lr=c['lr'])\n"
               "    for epoch in range(c['epochs']):\n"
               "        for x in loader:\n"
               "            head(x).sum().backward()\n"
               "            optimizer.step()\n")
        .fact("quantization");
  };
  CHECK(quantization("").starts_with("8bit code"));
  CHECK(quantization("    for p in teacher.parameters():\n        p.requires_grad_(False)\n") ==
        "unknown");
}

TEST_CASE("a model that code loads by a name of its own overrules no key") {
  const Project project = trained(
      "def main():\n"
      "    c = yaml.safe_load(open('train.yaml'))\n"
      "    text = AutoModelForCausalLM.from_pretrained('org/text-7b')\n"
      "    model = make(c['model_name'])\n"
      "    optimizer = torch.optim.AdamW(model.parameters(), lr=c['lr'])\n"
      "    for x in torch.utils.data.DataLoader(data(), batch_size=c['batch_size']):\n"
      "        model(x).sum().backward()\n"
      "        optimizer.step()\n",
      "model_name: org/image-2b\nbatch_size: 4\nlr: 0.1\n");
  CHECK(project.fact("model") == "org/image-2b stated train.yaml:1");
}

TEST_CASE("a file that code loads by its name stays what it is beside configs without its keys") {
  const auto rate = [](const std::string& config) {
    return Project({{".git/HEAD", ""},
                    {"configs/devices.yaml", "profiles: {small: 2}\nlr: 0.5\n"},
                    {"configs/pipeline.yaml", config},
                    {"train.py",
                     "import yaml, torch\n"
                     "def main():\n"
                     "    c = yaml.safe_load(open('configs/devices.yaml'))\n"
                     "    torch.utils.data.DataLoader(make('train'), 8)\n"
                     "    torch.optim.SGD(model(), lr=c['lr'])\n" +
                         kMain}},
                   "configs/pipeline.yaml")
        .fact("learning_rate");
  };
  CHECK(rate("training: {learning_rate: 0.1, epochs: 9}\n") ==
        "0.1 stated configs/pipeline.yaml:1");
  CHECK(rate("lr: 0.1\nepochs: 9\nbatch_size: 4\n") == "0.1 stated configs/pipeline.yaml:1");
}

TEST_CASE("a loop whose network a script puts on the CPU runs there") {
  const auto accelerator = [](const std::string& device, const std::string& more = {}) {
    return Project({{".git/HEAD", ""},
                    {"train.py",
                     "import torch\ndevice = " + device +
                         "\nclass Net(torch.nn.Module):\n  def __init__(self):\n"
                         "    super().__init__()\n    self.a = torch.nn.Linear(4, 4)\n"
                         "def main():\n  model = Net().to(device)\n" +
                         more +
                         "  loader = torch.utils.data.DataLoader(data, batch_size=4)\n"
                         "  optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
                         "  for x in loader:\n    model(x.to(device)).sum().backward()\n"
                         "    optimizer.step()\n"
                         "if __name__ == '__main__':\n  main()\n"}},
                   "train.py")
        .fact("accelerator");
  };
  CHECK(accelerator("'cpu'") == "cpu code train.py:2");
  CHECK(accelerator("torch.device('cpu')") == "cpu code train.py:2");
  CHECK(accelerator("'cuda' if torch.cuda.is_available() else 'cpu'").starts_with("gpu"));
  CHECK(accelerator("pick_device()") == "unknown");
  CHECK(accelerator("'cpu'", "  model.cuda()\n") == "unknown");
}

TEST_CASE("what a library's object has is of no class of the project for certain") {
  const Project project({{"train.py",
                          "import torch\n"
                          "class Rows(torch.utils.data.Dataset):\n"
                          "  def __init__(self, a):\n    self.a = a\n"
                          "def run(loader, optimizer, net):\n"
                          "  if not isinstance(loader.dataset, Rows):\n"
                          "    raise TypeError('rows')\n"
                          "  for epoch in range(7):\n    for x in loader:\n"
                          "      net(x).sum().backward()\n      optimizer.step()\n"
                          "net = torch.nn.Linear(2, 2)\n"
                          "run(torch.utils.data.DataLoader(Rows(3), batch_size=4),\n"
                          "    torch.optim.Adam(net.parameters(), lr=0.1), net)\n"}},
                        "train.py");
  CHECK(project.fact("epochs").starts_with("7 "));
}

TEST_CASE("a scaler of losses says in which format a switch of mixed precision computes") {
  const auto precision = [](const std::string& scaler) {
    const Project project({{".git/HEAD", ""},
                           {"run.sh", "python train.py --lr 0.1 --batch_size 4 --amp\n"},
                           {"train.py",
                            "import argparse, torch\nfrom elsewhere import step\n"
                            "parser = argparse.ArgumentParser()\n"
                            "parser.add_argument('--lr', type=float)\n"
                            "parser.add_argument('--batch_size', type=int)\n"
                            "parser.add_argument('--amp', action='store_true')\n"
                            "args = parser.parse_args()\nnet = torch.nn.Linear(2, 2)\n"
                            "optimizer = torch.optim.Adam(net.parameters(), lr=args.lr)\n"
                            "scaler = " + scaler + "\n"
                            "for x in torch.utils.data.DataLoader(data(), args.batch_size):\n"
                            "    step(net, x, args.amp).backward()\n    optimizer.step()\n"}},
                          "run.sh");
    return project.fact("mixed_precision");
  };
  CHECK(precision("torch.cuda.amp.GradScaler(enabled=args.amp)") == "fp16 stated run.sh:1");
  CHECK(precision("torch.amp.GradScaler('cuda')") == "fp16 stated run.sh:1");
  CHECK(precision("None") == "enabled stated run.sh:1");
}

TEST_CASE("a network of a package that nobody describes runs where the script puts it") {
  const Project project({{".git/HEAD", ""},
                         {"train.py",
                          "import torch\nfrom elsewhere import Net\ndef main():\n"
                          "  device = torch.device('cpu')\n"
                          "  network = Net().to(device)\n"
                          "  loader = torch.utils.data.DataLoader(data, batch_size=4)\n"
                          "  optimizer = torch.optim.SGD(network.parameters(), lr=0.1)\n"
                          "  for x in loader:\n    network(x.to(device)).sum().backward()\n"
                          "    optimizer.step()\n"
                          "if __name__ == '__main__':\n  main()\n"}},
                        "train.py");
  CHECK(project.fact("accelerator") == "cpu code train.py:4");
}

TEST_CASE("a config that a program of its name loads and does not train with is idle") {
  const auto is_judged = [](const std::string& config, const std::string& program) {
    const Project project(
        {{".git/HEAD", ""},
         {config, "train: {batch_size: 8, lr: 0.1, epochs: 2, amp: false}\n"},
         {"tools/build_word_lists.py",
          "import sys, yaml\nc = yaml.safe_load(open(sys.argv[1] or 'conf/" + program +
              ".yaml'))\nwrite(c)\nif __name__ == '__main__':\n  pass\n"},
         {"tools/train.py",
          "import sys, yaml, torch\nc = yaml.safe_load(open(sys.argv[1]))['train']\n"
          "torch.utils.data.DataLoader(data, c['batch_size'])\n"
          "torch.optim.SGD(model.parameters(), lr=c['lr'])\n"
          "if __name__ == '__main__':\n  pass\n"}},
        config);
    return project.plan() == nullptr || project.plan()->role.empty();
  };
  CHECK_FALSE(is_judged("conf/build_word_lists.yaml", "build_word_lists"));
  CHECK_FALSE(is_judged("conf/word_lists.yaml", "word_lists"));  // a part of the program's name
  CHECK(is_judged("conf/lists.yaml", "lists"));                  // a word like any other
  CHECK(is_judged("conf/build_word_lists.yaml", "other"));
  CHECK(is_judged("conf/base.yaml", "build_word_lists"));
}

TEST_CASE("loaders that one call makes for each part of the data are told apart by its name") {
  const Project project = trained(
      "def main():\n"
      "    c = yaml.safe_load(open('train.yaml'))\n"
      "    sets = {'train': make(1), 'val': make(2)}\n"
      "    loaders = {k: torch.utils.data.DataLoader(v, num_workers=c['jobs'],\n"
      "               batch_size=c['batch_size'] if k == 'train' else 1) for k, v in sets.items()}\n"
      "    model = torch.nn.Linear(3, 3)\n"
      "    optimizer = torch.optim.AdamW(model.parameters(), lr=c['lr'])\n"
      "    for batch in loaders['train']:\n"
      "        model(batch).sum().backward()\n        optimizer.step()\n",
      "batch_size: 4\nlr: 0.1\njobs: 3\nepochs: 2\n");
  CHECK(project.fact("per_device_batch_size") == "4 stated train.yaml:1");
  CHECK(project.fact("eval_batch_size").starts_with("1 code"));
  CHECK(project.fact("num_workers") == "3 stated train.yaml:3");
  CHECK(project.fact("pin_memory").starts_with("false code"));
}

TEST_CASE("what a function makes is a loader for what its caller names it after") {
  const auto fact = [](const std::string& calls, const char* name) {
    const std::string code =
        "import torch\nfrom torch.utils.data import DataLoader\n"
        "def make(folder, small):\n  rows = Images(folder)\n"
        "  loader = DataLoader(rows, batch_size=1 if small else 8)\n  return rows, loader\n" +
        calls +
        "opt = torch.optim.SGD(model.parameters(), lr=0.5)\n"
        "for x in batches:\n  model(x).backward()\n  opt.step()\n";
    return Project({{".git/HEAD", ""}, {"train.py", code}}, "train.py").fact(name);
  };
  const std::string train = "train_rows, train_loader = make('a', False)\n";
  const std::string test = "test_rows, test_loader = make('b', True)\n";
  CHECK(fact(train + test, "per_device_batch_size").starts_with("8"));
  CHECK(fact(train + test, "eval_batch_size").starts_with("1"));
  CHECK(fact(test, "per_device_batch_size") == "unknown");
  CHECK(fact("test_result, batches = make('a', False)\n", "per_device_batch_size")
            .starts_with("8"));
}

TEST_CASE("a device is of the type in front of its number") {
  const auto fact = [](const std::string& device, const char* name) {
    const std::string code =
        "import torch\nfrom torch.utils.data import DataLoader\ndevice = torch.device(" + device +
        ")\nloader = DataLoader(make('train'), batch_size=8, pin_memory=device.type == 'cuda')\n"
        "opt = torch.optim.SGD(model.parameters(), lr=0.5)\n"
        "for x in loader:\n  with torch.autocast(device_type=device.type,\n"
        "                      enabled=device.type == 'cuda'):\n    loss = model(x)\n"
        "  loss.backward()\n  opt.step()\n";
    return Project({{".git/HEAD", ""}, {"train.py", code}}, "train.py").fact(name);
  };
  CHECK(fact("'cuda:1'", "pin_memory").starts_with("true"));
  CHECK(fact("'cuda' if torch.cuda.is_available() else 'cpu'", "mixed_precision")
            .starts_with("fp16"));
  CHECK(fact("'cpu'", "pin_memory").starts_with("false"));
  CHECK(fact("pick()", "pin_memory") == "unknown");
}

TEST_CASE("the names of an instance have the methods of a dict, whatever its class has") {
  const Project project({{".git/HEAD", ""},
                         {"train.py",
                          "import argparse, json, torch\nclass Params:\n"
                          "  def __init__(self, path):\n    self.update(path)\n"
                          "  def update(self, path):\n    with open(path) as file:\n"
                          "      self.__dict__.update(json.load(file))\n"
                          "p = argparse.ArgumentParser()\np.add_argument('--config_path')\n"
                          "if __name__ == '__main__':\n"
                          "  params = Params(p.parse_args().config_path)\n"
                          "  torch.optim.Adam(model.parameters(), lr=params.speed)\n"},
                         {"config/a.json", "{\"speed\": 0.25,\n\"batch_size\": 8, \"epochs\": 3}\n"}},
                        "config/a.json");
  CHECK(project.fact("learning_rate") == "0.25 stated config/a.json:1");
}

TEST_CASE("a program that looks at one word of its command line is given the config by it") {
  const Project project(
      {{".git/HEAD", ""},
       {"train.py",
        "import os, sys, toml, torch\nif __name__ == '__main__':\n  path = sys.argv[1]\n"
        "  if path.endswith('.toml'):\n    cfg = toml.load(path)\n"
        "  elif os.path.isdir(path):\n    cfg = toml.load(os.path.join(path, 'config.toml'))\n"
        "    cfg['state'] = os.path.join(path, 'last.pt')\n"
        "  else:\n    raise ValueError(path)\n"
        "  torch.optim.Adam(model.parameters(), lr=cfg['speed'])\n"
        "  make(cfg['a'], cfg['b'], cfg['c'], cfg['d'], cfg['e'], cfg['epochs'])\n"},
       {"config/a.toml",
        "speed = 0.25\nbatch_size = 8\nepochs = 3\na = 1\nb = 2\nc = 3\nd = 4\ne = 5\n"}},
      "config/a.toml");
  CHECK(project.fact("learning_rate") == "0.25 stated config/a.toml:1");
}

}  // namespace code_idioms_test
