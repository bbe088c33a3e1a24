// What is told of programs and commands that cannot do what they say, and what is not.

#include "lint/lint.h"
#include "unit/lint/code_project.h"
#include "unit/lint/memory_reader.h"
#include "unit/lint/shared_session.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace launch_slips_test {

using namespace gpulint;
using Files = MemoryReader::Files;
using Lines = std::vector<std::string>;

/// "path:line message" of a rule's findings over a project on an A10G.
Lines told(Files files, const std::string& rule) {
  files.insert({".git/HEAD", ""});
  const MemoryReader reader(files);
  LintRequest request;
  request.paths = {"."};
  request.options.gpu = "a10g";
  const LintResult result = lint(session_over(reader), request);
  Lines found;
  for (const Finding& each : result.findings) {
    if (each.rule != rule) continue;
    const SourceText& source = result.sources[each.span.file];
    found.push_back(source.path + ":" +
                    std::to_string(source.lines.at(source.text, each.span.begin).line) + " " +
                    each.message);
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// A program that trains with its options; `more` stands among them, `head` above it.
std::string program(const std::string& more = "", const std::string& head = "",
                    const std::string& data = "make('train')") {
  return "import argparse, torch\n" + head +
         "def main():\n"
         "    parser = argparse.ArgumentParser()\n"
         "    parser.add_argument('--lr', type=float, default=0.1)\n"
         "    parser.add_argument('--epochs', type=int, default=10)\n"
         "    parser.add_argument('--batch_size', type=int, default=8)\n" +
         more +
         "    args = parser.parse_args()\n"
         "    model = torch.nn.Linear(2, 2)\n"
         "    loader = torch.utils.data.DataLoader(" +
         data +
         ", batch_size=args.batch_size, num_workers=4, shuffle=True)\n"
         "    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)\n"
         "    for epoch in range(args.epochs):\n"
         "        for x in loader:\n"
         "            model(x).sum().backward()\n"
         "            optimizer.step()\n"
         "if __name__ == '__main__':\n"
         "    main()\n";
}

TEST_CASE("an import of a module that the project's package lacks is told with its place") {
  const std::string head = "from nets import small\nfrom nets.large import Net\n";
  CHECK(told({{"train.py", program("", head)},
              {"nets/__init__.py", ""},
              {"nets/small.py", "x = 1\n"}},
             "import-missing") ==
        Lines{"train.py:3 imports `nets.large`, which the project does not have"});
  // It lies there, or something else of its name is installed.
  CHECK(told({{"train.py", program("", head)},
              {"nets/__init__.py", ""},
              {"nets/small.py", "x = 1\n"},
              {"nets/large.py", "class Net:\n    pass\n"}},
             "import-missing")
            .empty());
  CHECK(told({{"train.py", program("", head)}, {"nets/readme.md", "weights"}}, "import-missing")
            .empty());
}

TEST_CASE("an import behind another one is followed, relative ones too") {
  CHECK(told({{"train.py", program("", "from nets import small\n")},
              {"nets/__init__.py", ""},
              {"nets/small.py", "from .layers import Layer\n"}},
             "import-missing") ==
        Lines{"nets/small.py:1 imports `.layers`, which the project does not have"});
}

TEST_CASE("what git ignores, or fetches into a submodule, may lie elsewhere") {
  const Files files = {{"train.py", program("", "from nets.data import load\n")},
                       {"nets/__init__.py", ""}};
  const auto count = [&](const std::string& file, const std::string& text) {
    Files all = files;
    all.insert({file, text});
    return told(all, "import-missing").size();
  };
  CHECK(count("notes.txt", "") == 1);
  CHECK(count(".gitignore", "data/\n") == 0);
  CHECK(count(".gitignore", "data.py\n") == 0);
  CHECK(count(".gitmodules", "[submodule \"nets\"]\n\tpath = nets\n") == 0);
}

TEST_CASE("a program that imports its own folder by name is started above it") {
  const Files files = {
      {"src/train.py", program("", "from src.data import load\nfrom chess import engine\n")},
      {"src/__init__.py", ""},
      {"src/data.py", "load = 1\n"},
      {"src/chess/__init__.py", ""}};
  CHECK(told(files, "import-missing").empty());
}

TEST_CASE("a folder outside of the program's own is looked in only where it is part of it") {
  const std::string head = "from nets.large import Net\n";
  // Not on the path of a program in another folder.
  CHECK(told({{"tools/train.py", program("", head)}, {"nets/__init__.py", ""}}, "import-missing")
            .empty());
  CHECK(told({{"nets/train.py", program("", head)}, {"nets/__init__.py", ""}}, "import-missing")
            .size() == 1);
  // An installed package of the same name comes first where the folder is no package.
  CHECK(told({{"train.py", program("", "from chess import pgn\nfrom chess.moves import all\n")},
              {"requirements.txt", "chess\n"},
              {"chess/moves.py", "all = 1\n"}},
             "import-missing")
            .empty());
}

TEST_CASE("`False` of a sweep is no text where the program reads what the sweep keeps") {
  const std::string option = "    parser.add_argument('--amp', type=bool, default=False)\n";
  const std::string sweep =
      "program: train.py\nmethod: grid\nparameters:\n  amp:\n    value: false\n  lr:\n    values: "
      "[0.1, 0.01]\n  epochs:\n    value: 5\n";
  const std::string body = program(option, "", "make('train', args.amp)");
  CHECK(told({{"train.py", body}, {"sweep.yaml", sweep}}, "switch-stays-on").size() == 1);
  std::string typed = body;
  typed.insert(typed.find("    model ="),
               "    import wandb\n    wandb.init(config=args)\n    config = wandb.config\n");
  CHECK(told({{"train.py", typed}, {"sweep.yaml", sweep}}, "switch-stays-on").empty());
}

TEST_CASE("a program alone is one of the command's own folder, where training scripts lie there") {
  const std::string command = "python train_b.py --lr 0.1 --epochs 5 --speed 3\n";
  CHECK(told({{"a/train_a.py", program()}, {"a/run.sh", command}, {"b/train_b.py", program()}},
             "option-refused")
            .empty());
  CHECK(told({{"a/run.sh", command}, {"b/train_b.py", program()}}, "option-refused").size() == 1);
}

TEST_CASE("a script that opens one file of another machine says nothing of the project's config") {
  const auto script = [](const std::string& path) {
    return "import yaml, torch\n"
           "def main():\n"
           "    h = yaml.safe_load(open('" +
           path +
           "'))\n"
           "    loader = torch.utils.data.DataLoader(make(), h['batch_size'])\n"
           "    optimizer = torch.optim.SGD(model(), lr=h['tuning']['lr'])\n"
           "    for epoch in range(h['epochs']):\n"
           "        optimizer.step()\n"
           "if __name__ == '__main__':\n"
           "    main()\n";
  };
  const std::string config = "batch_size: 8\nlr: 0.1\nepochs: 10\n";
  CHECK(told({{"configs/a.yaml", config}, {"train.py", script("configs/a.yaml")}},
             "stopped-by-own-code")
            .size() == 1);
  CHECK(told({{"configs/a.yaml", config}, {"other_train.py", script("/mnt/elsewhere/b.yaml")}},
             "stopped-by-own-code")
            .empty());
}

TEST_CASE("samples that the data set puts on the GPU are neither pinned nor made by workers") {
  const auto files = [](const std::string& placed) {
    return Files{
        {"train.py",
         "import torch\n"
         "class Pictures(torch.utils.data.Dataset):\n"
         "    def __getitem__(self, i):\n"
         "        return decode_image(self.paths[i])" +
             placed +
             "\n"
             "def main():\n"
             "    model = torch.nn.Linear(2, 2)\n"
             "    loader = torch.utils.data.DataLoader(Pictures('train'), batch_size=h['b'], "
             "num_workers=0, pin_memory=False)\n"
             "    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
             "    for epoch in range(10):\n"
             "        for x in loader:\n"
             "            model(x).sum().backward()\n"
             "            optimizer.step()\n"
             "if __name__ == '__main__':\n"
             "    main()\n"}};
  };
  const auto fact = [&](const std::string& placed) {
    const MemoryReader reader(files(placed));
    LintRequest request;
    request.paths = {"train.py"};
    request.options.keep_plans = true;
    const LintResult result = lint(session_over(reader), request);
    if (result.files.empty() || result.files.front().plans.empty()) return std::string("no run");
    const auto& on = result.files.front().plans.front().plan->facts.samples_on_gpu;
    return std::string(on ? (on->value ? "yes" : "no") : "unknown");
  };
  CHECK(fact(".cuda(self.gpu)") == "yes");
  CHECK(fact(".to(self.device)") == "yes");
  CHECK(fact(".to(torch.float32)") == "unknown");
  CHECK(fact("  # .cuda() comes later") == "unknown");
}

TEST_CASE("a switch of autocast for the evaluation says nothing of the training") {
  const auto script = [](const std::string& rest) {
    return "import yaml, torch\n"
           "def main():\n"
           "    h = yaml.safe_load(open('configs/a.yaml'))\n"
           "    model = torch.nn.Linear(2, 2)\n"
           "    loader = torch.utils.data.DataLoader(make(), h['batch_size'])\n"
           "    optimizer = torch.optim.SGD(model.parameters(), lr=h['lr'])\n"
           "    for epoch in range(10):\n"
           "        for x in loader:\n" +
           rest +
           "            loss = model(x)\n"
           "            loss.backward()\n"
           "            optimizer.step()\n"
           "    with torch.autocast('cuda', enabled=h['fp16_val']):\n"
           "        model(x)\n"
           "if __name__ == '__main__':\n"
           "    main()\n";
  };
  const std::string config = "batch_size: 8\nlr: 0.1\nfp16_train: true\nfp16_val: false\n";
  const auto precision = [&](const std::string& rest) {
    return Project({{"configs/a.yaml", config}, {"train.py", script(rest)}}, "configs/a.yaml")
        .fact("mixed_precision");
  };
  CHECK(precision("") == "unknown");
  CHECK(precision("            with torch.autocast('cuda', enabled=h['fp16_train']):\n"
                  "                pass\n") == "fp16 stated configs/a.yaml:3");
}

TEST_CASE("a command whose options lead to a training that cannot be followed is a run") {
  const std::string body =
      "import argparse, torch, library\n"
      "parser = argparse.ArgumentParser()\n"
      "parser.add_argument('--lr', type=float, default=0.1)\n"
      "parser.add_argument('--kind', default='plain')\n"
      "args = parser.parse_args()\n"
      "loader = torch.utils.data.DataLoader(make('train'), batch_size=8)\n"
      "optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)\n"
      "def plain():\n"
      "    for x in loader:\n"
      "        model(x).sum().backward()\n"
      "        optimizer.step()\n"
      "train = plain if args.kind == 'plain' else library.training\n"
      "if __name__ == '__main__':\n"
      "    train()\n";
  const Project project({{".git/HEAD", ""},
                         {"train.py", body},
                         {"run.sh", "python train.py --lr 0.1 --kind other\n"}},
                        "run.sh");
  CHECK(project.fact("optimizer").starts_with("sgd "));
}

TEST_CASE("a command that names a program or a config which is not there is told, whatever else") {
  CHECK(told({{"run.sh", "python src/train_net.py --config configs/large.yaml\n"},
              {"src/train_net.py", program("    parser.add_argument('--config')\n")},
              {"configs/small.yaml", "depth: 3\n"}},
             "named-config-missing") ==
        Lines{"run.sh:1 `config` names configs/large.yaml, which does not exist; similar files "
              "are in configs/"});
  CHECK(told({{"run.sh", "python src/train_image.py\n"}, {"src/train_img.py", program()}},
             "program-missing") ==
        Lines{"run.sh:1 starts src/train_image.py, which does not exist"});
  // A program may write the config that it starts another with.
  const auto sweep = [&](const std::string& before) {
    return told({{"sweep.py", "import subprocess\n" + before +
                                  "subprocess.run(['python', 'src/train_net.py', '--config', "
                                  "'configs/large.yaml'])\n"},
                 {"src/train_net.py", program("    parser.add_argument('--config')\n")},
                 {"configs/small.yaml", "depth: 3\n"}},
                "named-config-missing")
        .size();
  };
  CHECK(sweep("") == 1);
  CHECK(sweep("with open('configs/' + name(), 'w') as f: f.write(text())\n") == 0);
}

}  // namespace launch_slips_test
