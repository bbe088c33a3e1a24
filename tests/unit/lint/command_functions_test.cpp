// Functions of a project that are called with the command line as their arguments.

#include "unit/lint/code_project.h"

#include <doctest/doctest.h>

namespace command_functions_test {

using namespace gpulint;
using Files = MemoryReader::Files;

const std::string kFunctions =
    "import fire, torch\nfrom torch.utils.data import DataLoader\n"
    "def train(rows, rate=0.1, workers=3):\n"
    "    loader = DataLoader(make('train'), batch_size=rows, num_workers=workers)\n"
    "    opt = torch.optim.SGD(model.parameters(), lr=rate)\n"
    "    for x in loader:\n        model(x).backward()\n        opt.step()\n"
    "def tune(rows, rate=0.5):\n"
    "    loader = DataLoader(make('train'), batch_size=rows)\n"
    "    opt = torch.optim.Adam(model.parameters(), lr=rate)\n"
    "    for x in loader:\n        model(x).backward()\n        opt.step()\n"
    "if __name__ == '__main__':\n    ";

Project started(const std::string& call, const std::string& words) {
  return Project({{".git/HEAD", ""},
                  {"train.py", kFunctions + call + "\n"},
                  {"run.sh", "python train.py " + words + "\n"}},
                 "run.sh");
}

TEST_CASE("the word in front of all options chooses the function that they are arguments of") {
  for (const char* call : {"fire.Fire()", "fire.Fire({'train': train, 'tune': tune})"}) {
    CAPTURE(call);
    const Project train = started(call, "train --rows=16 --rate=0.25");
    CHECK(train.fact("per_device_batch_size").starts_with("16 stated run.sh:1"));
    CHECK(train.fact("learning_rate").starts_with("0.25"));
    CHECK(train.fact("optimizer") == "sgd code train.py:5");
    CHECK(train.fact("num_workers") == "3 code train.py:3");
    CHECK(started(call, "tune --rows 8").fact("optimizer") == "adam code train.py:11");
  }
  CHECK(started("fire.Fire()", "other --rows 8").fact("optimizer") == "no run");
}

TEST_CASE("a function that is handed over gets the options of the names of its parameters") {
  const Project project = started("fire.Fire(train)", "--rows 4 --workers 7");
  CHECK(project.fact("num_workers") == "7 stated run.sh:1");
  CHECK(project.fact("per_device_batch_size").starts_with("4"));
  CHECK(project.fact("learning_rate") == "0.1 code train.py:3");
  const Project worded = started("fire.Fire(train)", "32 --rate 0.75");
  CHECK(worded.fact("learning_rate").starts_with("0.75"));
}

TEST_CASE("the first word of a command that begins with an option is neither a file nor a mode") {
  const auto rows = [](const std::string& words) {
    return Project({{".git/HEAD", ""},
                    {"train.py",
                     "import sys, torch\nfrom torch.utils.data import DataLoader\n"
                     "def main():\n    rows = 3\n"
                     "    if len(sys.argv) == 2 and sys.argv[1].endswith('.json'):\n"
                     "        rows = size_in(sys.argv[1])\n"
                     "    loader = DataLoader(make('train'), batch_size=rows, num_workers=2)\n"
                     "    opt = torch.optim.SGD(model.parameters(), lr=0.25)\n"
                     "    for x in loader:\n        model(x).backward()\n        opt.step()\n"
                     "if __name__ == '__main__':\n    main()\n"},
                    {"run.sh", "python train.py " + words + "\n"}},
                   "run.sh")
        .fact("per_device_batch_size");
  };
  CHECK(rows("--seed 4") == "3 code train.py:4");
  CHECK(rows("$1 --seed 4") == "unknown");
}

// Decorators that hand a function its options from the command line.

const std::string kDecorated =
    "import torch\nfrom torch.utils.data import DataLoader\n"
    "def fit(rows, rate, workers=0):\n"
    "    loader = DataLoader(make('train'), batch_size=rows, num_workers=workers)\n"
    "    opt = torch.optim.SGD(model.parameters(), lr=rate)\n"
    "    for x in loader:\n        model(x).backward()\n        opt.step()\n";

Project decorated(const std::string& code, const std::string& words) {
  return Project({{".git/HEAD", ""},
                  {"train.py", kDecorated + code},
                  {"run.sh", "python train.py " + words + "\n"}},
                 "run.sh");
}

TEST_CASE("options of click become arguments of the function they stand on") {
  const std::string code =
      "import click\n@click.command()\n@click.pass_context\n"
      "@click.option('--rows', '-r', type=int, required=True)\n"
      "@click.option('--lr', 'rate', default=0.5)\n"
      "@click.option('--wide/--narrow', default=False)\n"
      "def main(ctx, rows, rate, wide):\n    fit(rows, rate, 8 if wide else 2)\n"
      "if __name__ == '__main__':\n    main(obj={})\n";
  const Project given = decorated(code, "--rows 16 --wide");
  CHECK(given.fact("per_device_batch_size").starts_with("16 stated run.sh:1"));
  CHECK(given.fact("learning_rate").starts_with("0.5"));
  CHECK(given.fact("num_workers").starts_with("8"));
  const Project shorter = decorated(code, "-r 4 --lr 0.25 --narrow");
  CHECK(shorter.fact("per_device_batch_size").starts_with("4"));
  CHECK(shorter.fact("learning_rate").starts_with("0.25"));
  CHECK(shorter.fact("num_workers").starts_with("2"));
}

TEST_CASE("the first argument of click takes the word in front of the options") {
  const std::string code =
      "import click\n@click.command()\n@click.argument('rows', type=int)\n"
      "@click.argument('workers', type=int)\n@click.option('--rate', default=0.5)\n"
      "def main(rows, workers, rate):\n    fit(rows, rate, workers)\n"
      "if __name__ == '__main__':\n    main()\n";
  const Project project = decorated(code, "16 2 --rate 0.25");
  CHECK(project.fact("per_device_batch_size").starts_with("16"));
  CHECK(project.fact("num_workers") == "unknown");
  CHECK(project.fact("learning_rate").starts_with("0.25"));
}

TEST_CASE("what a callback makes of an option is unknown") {
  const std::string code =
      "import click\n@click.command()\n"
      "@click.option('--rows', default=4, callback=doubled)\n"
      "@click.option('--rate', default=0.5)\n"
      "def main(**options):\n    fit(options['rows'], options['rate'])\n"
      "if __name__ == '__main__':\n    main()\n";
  CHECK(decorated(code, "--rate 0.1").fact("per_device_batch_size") == "unknown");
  CHECK(decorated(code, "--rate 0.1").fact("learning_rate").starts_with("0.1"));
}

TEST_CASE("the word in front of the options chooses a command of a group or an application") {
  const std::string body = "(rows: int = 4, rate: float = 0.5):\n    fit(rows, rate)\n";
  const std::string other = "(rows: int = 4, rate: float = 0.5):\n    fit(rows, 2 * rate)\n";
  for (const std::string& made :
       {std::string("import typer\ncli = typer.Typer()\n@cli.command()\ndef train") + body +
            "@cli.command('fine-tune')\ndef tune" + other,
        std::string("import click\n@click.group()\ndef cli():\n    pass\n"
                    "@cli.command()\n@click.option('--rows', type=int)\n"
                    "@click.option('--rate', default=0.5)\ndef train") +
            body + "@cli.command('fine-tune')\n@click.option('--rows', type=int)\n"
                   "@click.option('--rate', default=0.5)\ndef tune" + other}) {
    CAPTURE(made);
    const std::string code = made + "if __name__ == '__main__':\n    cli()\n";
    const Project train = decorated(code, "train --rows 16");
    CHECK(train.fact("per_device_batch_size").starts_with("16"));
    CHECK(train.fact("learning_rate").starts_with("0.5"));
    CHECK(decorated(code, "fine-tune --rows 8").fact("learning_rate").starts_with("1"));
    CHECK(decorated(code, "other --rows 8").fact("optimizer") == "no run");
  }
}

TEST_CASE("a decorator fills the class of the first parameter with the options") {
  const std::string code =
      "import draccus\nfrom dataclasses import dataclass\n"
      "@dataclass\nclass Settings:\n    rows: int = 4\n    rate: float = 0.5\n"
      "@draccus.wrap()\ndef main(settings: Settings):\n    fit(settings.rows, settings.rate)\n"
      "if __name__ == '__main__':\n    main()\n";
  const Project project = decorated(code, "--rows 16");
  CHECK(project.fact("per_device_batch_size").starts_with("16"));
  CHECK(project.fact("learning_rate").starts_with("0.5"));
}

TEST_CASE("what is submitted to an executor runs with the arguments behind it") {
  const std::string head =
      "import argparse, submitit\nparser = argparse.ArgumentParser()\n"
      "parser.add_argument('--rows', type=int)\nargs = parser.parse_args()\n";
  for (const std::string& rest :
       {std::string("def job(args, rate):\n    fit(args.rows, rate)\n"
                    "executor = submitit.AutoExecutor(folder='logs')\n"
                    "executor.submit(job, args, 0.5)\n"),
        std::string("class Job:\n    def __init__(self, args):\n        self.args = args\n"
                    "    def __call__(self):\n        fit(self.args.rows, 0.5)\n"
                    "executor = submitit.AutoExecutor(folder='logs')\njob = Job(args)\n"
                    "executor.submit(job)\n")}) {
    CAPTURE(rest);
    const Project project = decorated(head + rest, "--rows 16");
    CHECK(project.fact("per_device_batch_size").starts_with("16"));
    CHECK(project.fact("learning_rate").starts_with("0.5"));
  }
}

TEST_CASE("the word in front of the options chooses the parser whose options and function count") {
  const std::string code =
      "import argparse\ndef train(args):\n    fit(args.rows, 0.5)\n"
      "def tune(args):\n    fit(args.rows, 0.25)\n"
      "parser = argparse.ArgumentParser()\nbelow = parser.add_subparsers(dest='mode')\n"
      "one = below.add_parser('train', aliases=['t'])\none.add_argument('--rows', type=int)\n"
      "one.set_defaults(run=train)\n"
      "two = below.add_parser('tune')\ntwo.add_argument('--rows', type=int, default=3)\n"
      "two.set_defaults(run=tune)\nargs = parser.parse_args()\n";
  const Project train = decorated(code + "args.run(args)\n", "train --rows 16");
  CHECK(train.fact("per_device_batch_size").starts_with("16"));
  CHECK(train.fact("learning_rate").starts_with("0.5"));
  CHECK(decorated(code + "args.run(args)\n", "t --rows 16").fact("learning_rate") ==
        train.fact("learning_rate"));
  CHECK(decorated(code + "args.run(args)\n", "tune --rows 8").fact("learning_rate")
            .starts_with("0.25"));
  CHECK(decorated(code + "fit(args.rows, 1 if args.mode == 'tune' else 2)\n", "tune")
            .fact("learning_rate").starts_with("1"));
  CHECK(decorated(code + "args.run(args)\n", "$1 --rows 8").fact("optimizer") == "no run");
}

TEST_CASE("a class that is handed over is made, and the word is its method") {
  const std::string code =
      "import fire\nclass App:\n    def __init__(self, rate=0.5):\n        self.rate = rate\n"
      "    def train(self, rows=4):\n        fit(rows, self.rate)\n"
      "fire.Fire(App)\n";
  const Project project = decorated(code, "train --rows 16 --rate 0.25");
  CHECK(project.fact("per_device_batch_size").starts_with("16"));
  CHECK(project.fact("learning_rate").starts_with("0.25"));
}

TEST_CASE("a parser takes the fields of a class as its options") {
  const std::string code =
      "from simple_parsing import ArgumentParser\nfrom dataclasses import dataclass\n"
      "@dataclass\nclass Settings:\n    rows: int = 4\n    rate: float = 0.5\n"
      "parser = ArgumentParser()\nparser.add_arguments(Settings, dest='own')\n"
      "args = parser.parse_args()\nfit(args.own.rows, args.own.rate)\n";
  const Project project = decorated(code, "--rows 16");
  CHECK(project.fact("per_device_batch_size").starts_with("16"));
  CHECK(project.fact("learning_rate").starts_with("0.5"));
}

TEST_CASE("the first word of a command is what the program finds in its place") {
  const Project project(
      {{".git/HEAD", ""},
       {"train.py", kDecorated + "import sys, yaml\nconfig = yaml.safe_load(open(sys.argv[1]))\n"
                                 "fit(config['rows'], config['rate'])\n"},
       {"a.yaml", "rows: 16\nrate: 0.25\n"},
       {"run.sh", "python train.py a.yaml\n"}},
      "run.sh");
  CHECK(project.fact("per_device_batch_size").starts_with("16"));
  CHECK(project.fact("learning_rate").starts_with("0.25"));
}

TEST_CASE("a command or a main that nothing in the file starts is started from elsewhere") {
  const auto rows = [](const std::string& code) {
    return Project({{".git/HEAD", ""},
                    {"train.py", kDecorated + code},
                    {"config.yaml", "rows: 16\nrate: 0.25\n"}},
                   "config.yaml")
        .fact("learning_rate");
  };
  const std::string loads =
      "    values = yaml.safe_load(open(config))\n    fit(values['rows'], values['rate'])\n";
  CHECK(rows("import click, yaml\n@click.command()\n"
             "@click.option('--config', default='config.yaml')\ndef train(config):\n" + loads) ==
        "0.25 stated config.yaml:2");
  CHECK(rows("import argparse, yaml\ndef main():\n    parser = argparse.ArgumentParser()\n"
             "    parser.add_argument('--config', default='config.yaml')\n"
             "    config = parser.parse_args().config\n" + loads) ==
        "0.25 stated config.yaml:2");
}

TEST_CASE("a group starts commands of other files") {
  const Project project(
      {{".git/HEAD", ""},
       {"tools.py", kDecorated + "import click\n@click.command()\n"
                                 "@click.option('--rows', type=int)\n"
                                 "def fit_all(rows):\n    fit(rows, 0.25)\n"},
       {"train.py", "import click\nfrom tools import fit_all\n@click.group()\n"
                    "def cli():\n    pass\ncli.add_command(fit_all)\n"
                    "if __name__ == '__main__':\n    cli()\n"},
       {"run.sh", "python train.py fit-all --rows 16\n"}},
      "run.sh");
  CHECK(project.fact("per_device_batch_size").starts_with("16"));
  CHECK(project.fact("learning_rate").starts_with("0.25"));
}

TEST_CASE("the only network that a script loads by name is the one it trains") {
  const auto model = [](const std::string& loads) {
    return Project({{".git/HEAD", ""},
                    {"train.py",
                     "import argparse, torch\nfrom transformers import AutoModel, PreTrainedModel\n"
                     "parser = argparse.ArgumentParser()\nparser.add_argument('--name')\n"
                     "args = parser.parse_args()\n" + loads +
                         "opt = torch.optim.SGD(model.parameters(), lr=0.1)\n"
                         "for x in loader:\n    model(x).backward()\n    opt.step()\n"},
                    {"run.sh", "python train.py --name org/thing-8B-chat\n"}},
                   "run.sh")
        .fact("model");
  };
  const std::string loaded = "model = AutoModel.from_pretrained(args.name)\n";
  CHECK(model(loaded) == "org/thing-8B-chat stated run.sh:1");
  CHECK(model("class Own(PreTrainedModel):\n    pass\n"
              "model = Own.from_pretrained(args.name)\n") == "org/thing-8B-chat stated run.sh:1");
  CHECK(model(loaded + "other = AutoModel.from_pretrained('org/other')\n") == "unknown");
  CHECK(model("part = AutoModel.from_pretrained(args.name)\npart.requires_grad_(False)\n"
              "model = around(part)\n") == "unknown");
}

TEST_CASE(
    "of several commands the one that is named for training is meant where no word is given") {
  const std::string body = "(rows: int = 4, rate: float = 0.5):\n    fit(rows, rate)\n";
  const auto batch = [](const std::string& code) {
    return Project({{".git/HEAD", ""}, {"train.py", kDecorated + code}}, "train.py")
        .fact("per_device_batch_size");
  };
  const std::string app = "import typer\ncli = typer.Typer()\n";
  const std::string start = "if __name__ == '__main__':\n    ";
  const auto command = [&](const std::string& name) {
    return "@cli.command()\ndef " + name + body;
  };
  CHECK(batch(app + command("train") + command("show") + start + "cli()\n").starts_with("4"));
  CHECK(batch(app + command("train_model") + command("show") + start + "cli()\n").starts_with("4"));
  CHECK(batch(app + command("train_a") + command("train_b") + start + "cli()\n") == "no run");
  CHECK(batch("import fire\ndef train" + body + "def show" + body + start + "fire.Fire()\n") ==
        "no run");  // `fit` is one of them
  CHECK(batch("import fire\ndef train" + body + "def show" + body + start +
              "fire.Fire({'train': train, 'show': show})\n")
            .starts_with("4"));
}

TEST_CASE("a parameter may declare under which names its option is given") {
  const std::string code =
      "import typer\ncli = typer.Typer()\n@cli.command()\n"
      "def main(rows: int = typer.Option(4, '--batch', '-b', help='rows'),\n"
      "         rate: float = typer.Option(0.5, help='rate'),\n"
      "         wide: bool = typer.Option(False, '--wide/--narrow'),\n"
      "         name: str = typer.Option(...)):\n"
      "    fit(rows, rate, 8 if wide else 2)\n"
      "if __name__ == '__main__':\n    cli()\n";
  const Project plain({{".git/HEAD", ""}, {"train.py", kDecorated + code}}, "train.py");
  CHECK(plain.fact("per_device_batch_size").starts_with("4 code"));
  CHECK(plain.fact("learning_rate").starts_with("0.5 code"));
  CHECK(plain.fact("num_workers").starts_with("2"));
  const Project given = decorated(code, "-b 16 --rate 0.25 --wide --name x");
  CHECK(given.fact("per_device_batch_size").starts_with("16 stated run.sh:1"));
  CHECK(given.fact("learning_rate").starts_with("0.25"));
  CHECK(given.fact("num_workers").starts_with("8"));
}

}  // namespace command_functions_test
