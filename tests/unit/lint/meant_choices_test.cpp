// What is meant where a program leaves it open: one of its tasks, a loader's defaults, a share of
// steps that nobody can count.

#include "unit/lint/code_project.h"

#include <doctest/doctest.h>

#include <string>

namespace meant_choices_test {

using namespace gpulint;
using Files = MemoryReader::Files;

TEST_CASE("of the tasks of a program the one is meant whose keys the config has") {
  const std::string task =
      "    loader = DataLoader(make('train'), batch_size=h['rows'], shuffle=True)\n"
      "    for epoch in range(h['rounds']):\n        for x in loader:\n"
      "            model(x).backward()\n            opt.step()\n";
  const Files files = {
      {".git/HEAD", ""},
      {"conf/a.yaml", "rows: 6\nrounds: 3\nspeed: 0.1\nedge: 64\n"},
      {"conf/b.yaml", "rows: 8\nrounds: 5\nlr: 0.2\nbatch_size: 8\ndepth: 4\n"},
      {"main.py",
       "import argparse, torch, yaml\nfrom torch.utils.data import DataLoader\n"
       "def train_a(h):\n    use(h['edge'])\n"
       "    opt = torch.optim.AdamW(model.parameters(), lr=h['speed'])\n" +
           task +
           "def train_b(h):\n    use(h['depth'])\n"
           "    opt = torch.optim.SGD(model.parameters(), lr=h['lr'])\n" +
           task +
           "if __name__ == '__main__':\n"
           "    p = argparse.ArgumentParser()\n"
           "    p.add_argument('--task', choices=['a', 'b'])\n    p.add_argument('--config')\n"
           "    args = p.parse_args()\n"
           "    h = yaml.safe_load(open(args.config))\n"
           "    if args.task == 'a':\n        train_a(h)\n"
           "    elif args.task == 'b':\n        train_b(h)\n"}};
  const Project a(files, "conf/a.yaml");
  CHECK(a.fact("optimizer") == "adamw code main.py:5");
  CHECK(a.fact("learning_rate") == "0.1 stated conf/a.yaml:3");
  CHECK(a.fact("mixed_precision").starts_with("none code"));
  const Project b(files, "conf/b.yaml");
  CHECK(b.fact("optimizer") == "sgd code main.py:13");
  CHECK(b.fact("momentum") == "0 code main.py:13");
}

Project with_code(const std::string& made, const std::string& after = "") {
  return Project({{".git/HEAD", ""},
                  {"train.py",
                   "import argparse, math, torch, transformers\n"
                   "from torch.utils.data import DataLoader\n"
                   "def main():\n"
                   "    p = argparse.ArgumentParser()\n"
                   "    p.add_argument('--speed', type=float, default=0.1)\n"
                   "    p.add_argument('--part', type=float, default=0.05)\n"
                   "    p.add_argument('--rounds', type=int, default=4)\n"
                   "    args = p.parse_args()\n" +
                       made +
                       "    for epoch in range(args.rounds):\n        for x in loader:\n"
                       "            model(x).backward()\n            opt.step()\n" +
                       after + "if __name__ == '__main__':\n    main()\n"}},
                 "train.py");
}

const std::string kOptimizer =
    "    opt = torch.optim.AdamW(model.parameters(), lr=args.speed)\n";

TEST_CASE("a list of samples that a loader is given holds no groups of parameters") {
  const Project project = with_code(
      "    kept = []\n    for row in rows:\n        kept.append({'text': row})\n"
      "    loader = DataLoader(kept, batch_size=6, shuffle=True)\n" +
      kOptimizer);
  CHECK(project.fact("num_workers").starts_with("0 code"));
  CHECK(project.fact("pin_memory").starts_with("false code"));
}

TEST_CASE("what turns a network's training mode on after the training trains nothing more") {
  const std::string made =
      "    loader = DataLoader(make('train'), batch_size=6, shuffle=True)\n"
      "    model = transformers.AutoModel.from_pretrained('bert-base-uncased')\n" +
      kOptimizer;
  const Project project = with_code(
      made,
      "    again = transformers.AutoModel.from_pretrained(args.output)\n"
      "    torch.optim.AdamW(again.parameters(), lr=load_rate())\n"
      "    if args.dropout:\n        again.train()\n    else:\n        again.eval()\n");
  CHECK(project.fact("learning_rate") == "0.1 code train.py:5");
}

TEST_CASE("the last transform of a list says how large an image is") {
  const auto size = [](const std::string& transforms) {
    return with_code("    from torchvision import transforms as T\n"
                     "    train_transform = T.Compose([" +
                     transforms +
                     "])\n    loader = DataLoader(make(train_transform), batch_size=6)\n" +
                     kOptimizer)
        .fact("image_size");
  };
  CHECK(size("T.RandomResizedCrop(150), T.RandomHorizontalFlip(), T.Resize((224, 224))") ==
        "224 code train.py:10");
  CHECK(size("T.Resize((256, 256)), T.CenterCrop(224), T.ToTensor()") == "224 code train.py:10");
  CHECK(size("T.Resize((256, 256)), T.RandomCrop(192)") == "192 code train.py:10");
  CHECK(size("T.RandomApply([T.RandomCrop(150)]), T.Resize((224, 224))") ==
        "224 code train.py:10");
}

TEST_CASE("a program that refuses its own default is given another text") {
  const Project project = with_code(
      "    p.add_argument('--name', default='model')\n    args = p.parse_args()\n"
      "    if args.name == 'model':\n        raise ValueError('enter a name')\n"
      "    loader = DataLoader(make('train'), batch_size=6, shuffle=True)\n" +
      kOptimizer);
  CHECK(project.fact("per_device_batch_size") == "6 code train.py:13");
  CHECK(project.fact("learning_rate") == "0.1 code train.py:5");
  CHECK(project.fact("epochs") == "4 code train.py:7");
  const Project at_top(
      {{".git/HEAD", ""},
       {"train.py",
        "import argparse, torch\nfrom torch.utils.data import DataLoader\n"
        "if __name__ == '__main__':\n    p = argparse.ArgumentParser()\n"
        "    p.add_argument('--name', type=str, default='model')\n    args = p.parse_args()\n"
        "    if args.name == 'model':\n        raise ValueError('enter a name')\n"
        "    loader = DataLoader(make('train'), batch_size=6, shuffle=True)\n"
        "    opt = torch.optim.AdamW(model.parameters(), lr=0.1)\n"
        "    for epoch in range(3):\n        for x in loader:\n"
        "            model(x).backward()\n            opt.step()\n"}},
      "train.py");
  CHECK(at_top.fact("per_device_batch_size") == "6 code train.py:9");
}

TEST_CASE("where the commands of a README differ, the program's own default counts") {
  const Files files = {
      {".git/HEAD", ""},
      {"README.md",
       "```bash\npython train.py --rows 8 --speed 0.2\n```\n"
       "```bash\npython train.py --rows 16 --speed 0.2 --rounds $N\n```\n"},
      {"train.py",
       "import argparse, torch\nfrom torch.utils.data import DataLoader\n"
       "def main():\n    p = argparse.ArgumentParser()\n"
       "    p.add_argument('--rows', type=int, default=6)\n"
       "    p.add_argument('--speed', type=float, default=0.1)\n"
       "    p.add_argument('--rounds', type=int, default=3)\n    args = p.parse_args()\n"
       "    loader = DataLoader(make('train'), batch_size=args.rows, shuffle=True)\n"
       "    opt = torch.optim.AdamW(model.parameters(), lr=args.speed)\n"
       "    for epoch in range(args.rounds):\n        for x in loader:\n"
       "            model(x).backward()\n            opt.step()\n"
       "if __name__ == '__main__':\n    main()\n"}};
  const Project project(files, "train.py");
  CHECK(project.fact("per_device_batch_size") == "6 code train.py:5");
  CHECK(project.fact("global_batch_size").starts_with("6 derived"));
  CHECK(project.fact("learning_rate").starts_with("0.2 "));
  CHECK(project.fact("epochs") == "unknown");
}

TEST_CASE("a warm-up that is a share of all steps is one, however many these are") {
  const std::string loader = "    loader = DataLoader(make('train'), batch_size=6, shuffle=True)\n";
  const auto share = [&](const std::string& code) {
    return with_code(loader + kOptimizer + code).fact("warmup_ratio");
  };
  const std::string call = "    transformers.get_linear_schedule_with_warmup(opt, ";
  CHECK(share(call + "num_warmup_steps=int(args.part * len(loader) * args.rounds),\n"
                     "        num_training_steps=len(loader) * args.rounds)\n") ==
        "0.05 code train.py:11");
  CHECK(share("    total = len(loader) * args.rounds\n" + call + "int(total * 0.1), total)\n") ==
        "0.1 code train.py:12");
  CHECK(share("    total = (len(loader) // 2) * args.rounds\n"
              "    first = math.ceil(args.part * total)\n" + call + "first, total)\n") ==
        "0.05 code train.py:13");
  CHECK(share("    total = count_steps(loader)\n" + call + "int(0.2 * total), total)\n") ==
        "0.2 code train.py:12");
  // A share of one epoch, or of another loader.
  CHECK(share(call + "int(0.1 * len(loader)), len(loader) * args.rounds)\n") ==
        "0.025 code train.py:11");
  CHECK(share(call + "int(0.1 * len(other)), len(loader) * args.rounds)\n") == "unknown");
}

TEST_CASE("what a mapping iterates over in Python 2's words is followed") {
  const Files files = {
      {".git/HEAD", ""},
      {"conf/base.yaml", "rows: 6\nspeed: 0.1\nkind: adamw\n"},
      {"conf/own.yaml", "rows: 8\nlr: 0.1\nbatch_size: 8\n"},
      {"train.py",
       "import argparse, torch, yaml\nfrom dotmap import DotMap\n"
       "from torch.utils.data import DataLoader\n"
       "def extend(into, by):\n"
       "    for k, v in by.iteritems():\n        if k not in into:\n            into[k] = v\n"
       "if __name__ == '__main__':\n"
       "    p = argparse.ArgumentParser()\n    p.add_argument('--config')\n"
       "    h = DotMap(yaml.safe_load(open(p.parse_args().config)))\n"
       "    extend(h, DotMap(yaml.safe_load(open('conf/base.yaml'))))\n"
       "    DataLoader(make('train'), batch_size=h.rows, shuffle=True)\n"
       "    if h.kind == 'adamw':\n"
       "        torch.optim.AdamW(model.parameters(), lr=h.speed)\n"
       "    else:\n        raise ValueError(h.kind)\n"}};
  const Project project(files, "conf/own.yaml");
  CHECK(project.fact("optimizer").starts_with("adamw "));
}

TEST_CASE("networks that scikit-learn's interface fits state how they are trained") {
  const auto project = [](const std::string& code) {
    return Project({{".git/HEAD", ""},
                    {"train.py",
                     "import torch, skorch\nfrom pytorch_tabnet.tab_model import TabNetClassifier\n"
                     "def main():\n" +
                         code + "if __name__ == '__main__':\n    main()\n"}},
                   "train.py");
  };
  const Project net = project(
      "    net = skorch.NeuralNetClassifier(Net, max_epochs=20, lr=0.1,\n"
      "        optimizer=torch.optim.Adam, iterator_train__num_workers=4)\n    net.fit(x, y)\n");
  CHECK(net.fact("per_device_batch_size").starts_with("128 code"));
  CHECK(net.fact("eval_batch_size").starts_with("128 code"));
  CHECK(net.fact("optimizer").starts_with("adam "));
  CHECK(net.fact("learning_rate").starts_with("0.1 "));
  CHECK(net.fact("epochs").starts_with("20 "));
  CHECK(net.fact("num_workers").starts_with("4 "));
  const Project own = project(
      "    net = skorch.NeuralNet(Net, Loss, batch_size=32, iterator_train__batch_size=16,\n"
      "        optimizer__lr=0.2)\n    net.fit(x, y)\n");
  CHECK(own.fact("per_device_batch_size").starts_with("16 "));
  CHECK(own.fact("eval_batch_size").starts_with("32 "));
  CHECK(own.fact("learning_rate").starts_with("0.2 "));
  CHECK(own.fact("optimizer").starts_with("sgd code"));
  const Project tab = project(
      "    net = TabNetClassifier(n_d=8)\n    net.fit(x, y, max_epochs=50, batch_size=256)\n");
  CHECK(tab.fact("per_device_batch_size").starts_with("256 "));
  CHECK(tab.fact("learning_rate").starts_with("0.02 code"));
  CHECK(tab.fact("epochs").starts_with("50 "));
}

}  // namespace meant_choices_test
