#include "python/interpreter.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>

using namespace gpulint::python;

namespace {

/// Files of a project, and what is called outside of it.
struct Files : Host {
  std::map<std::string, std::unique_ptr<Module>> modules;
  std::map<std::string, Behaviour, std::less<>> acts;
  std::vector<std::string> calls;

  void add(const std::string& path, std::string text) {
    auto module = std::make_unique<Module>();
    module->path = path;
    module->text = std::move(text);
    module->tree = parse(module->text);
    module->file = static_cast<gpulint::FileId>(modules.size());
    modules[path] = std::move(module);
  }
  const Module* module(const std::string& path) override {
    const auto found = modules.find(path);
    return found == modules.end() ? nullptr : found->second.get();
  }
  bool is_folder(const std::string& path) override {
    for (const auto& [name, each] : modules) {
      if (name.starts_with(path + "/")) return true;
    }
    return false;
  }
  Behaviour behaviour(std::string_view name) override {
    const auto found = acts.find(name);
    return found == acts.end() ? Behaviour::none : found->second;
  }
  std::optional<Value> load(Interpreter& in, const Value&, std::string_view) override {
    Value made = in.make_object(Kind::dict);
    Value train = in.make_object(Kind::dict);
    Value number;
    number.kind = Kind::integer;
    number.integer = 32;
    number.origin = Origin::given;
    in.set(train.ref, in.intern("bs"), number);
    in.set(made.ref, in.intern("train"), train);
    return made;
  }
  std::optional<Value> entry_config(Interpreter& in, std::span<const Argument>) override {
    return load(in, {}, {});
  }
  void called(Interpreter& in, const Call& call) override;
  void looped(Interpreter&, const Loop&) override {}
};

std::string shown(const Interpreter& in, const Value& value) {
  switch (value.kind) {
    case Kind::unknown:
      return "?";
    case Kind::none:
      return "None";
    case Kind::boolean:
      return value.integer != 0 ? "True" : "False";
    case Kind::integer:
      return std::to_string(value.integer);
    case Kind::real:
      return fmt::format("{}", value.real);
    case Kind::text:
      return "'" + std::string(in.text(value.ref)) + "'";
    case Kind::external:
      return std::string(in.text(value.ref));
    case Kind::list:
    case Kind::tuple:
    case Kind::set: {
      std::string made = "[";
      for (const Value& item : in.object(value.ref).items) {
        made += (made.size() > 1 ? " " : "") + shown(in, item);
      }
      return made + (in.object(value.ref).open ? " …]" : "]");
    }
    case Kind::dict: {
      std::string made = "{";
      for (const Entry& entry : in.object(value.ref).entries) {
        made += (made.size() > 1 ? " " : "") + std::string(in.text(entry.key)) + ":" +
                shown(in, entry.value);
      }
      return made + (in.object(value.ref).open ? " …}" : "}");
    }
    default:
      return "object";
  }
}

void Files::called(Interpreter& in, const Call& call) {
  std::string made(call.name);
  made += "(";
  for (const Argument& each : call.arguments) {
    if (made.back() != '(') made += " ";
    if (each.name != kNone) made += std::string(in.text(each.name)) + "=";
    made += shown(in, each.value);
  }
  made += ")";
  if (!call.sides.empty()) made += "?";
  calls.push_back(made);
}

/// Value of `x` behind a text.
std::string x_of(std::string source) {
  Files files;
  files.add("main.py", std::move(source));
  Interpreter in(files, {""});
  const ObjectId scope = in.run(*files.module("main.py"), true);
  const Entry* found = in.find(scope, in.intern("x"));
  return found == nullptr ? "undefined" : shown(in, found->value);
}

std::vector<std::string> calls_of(Files& files, const std::string& main) {
  Interpreter in(files, {""});
  in.run(*files.module(main), true);
  return files.calls;
}

using Calls = std::vector<std::string>;

}  // namespace

TEST_CASE("regular expressions find what Python finds, and leave open what may differ or take long") {
  CHECK(x_of("import re\nx = re.findall(r'\\$\\{[a-zA-Z\\d_.]*\\}', 'a${b.c}d${e}')") ==
        "['${b.c}' '${e}']");
  CHECK(x_of("import re\np = re.compile('(\\\\d+)px')\nx = p.findall('2px 30px')") == "['2' '30']");
  CHECK(x_of("import re\nx = re.sub('[aeiou]', '.', 'model')") == "'m.d.l'");
  CHECK(x_of("import re\nx = re.match('b', 'abc')") == "None");
  CHECK(x_of("import re\nx = 1 if re.match('a', 'abc') else 2") != "2");
  CHECK(x_of("import re\nx = re.findall('(?P<n>a)', 'a')") == "?");
  CHECK(x_of("import re\nx = re.findall('(a+)+$', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab')") == "?");
  CHECK(x_of("import re\nx = re.findall('(a)(b)', 'ab')") == "?");
}

TEST_CASE("literals and what is worked out from them are known") {
  CHECK(x_of("x = 2 * 3 + 1") == "7");
  CHECK(x_of("x = 7 // 2, -7 // 2, 7 % 3, 2 ** 10, 1 / 4") == "[3 -4 1 1024 0.25]");
  CHECK(x_of("a = 'b'\nx = f'{a}-{1 + 1}'") == "'b-2'");
  CHECK(x_of("x = {'a': 1, **dict(b=2)}") == "{a:1 b:2}");
  CHECK(x_of("x = [i * 2 for i in [1, 2, 3] if i != 2]") == "[2 6]");
  CHECK(x_of("x = 1 if 2 > 1 else 3") == "1");
  CHECK(x_of("x = None or 5") == "5");
  CHECK(x_of("x = int('8') + float('0.5')") == "8.5");
  CHECK(x_of("x = dict(a=1)\nx.update(b=2)\nx['c'] = 3\nx.d = 4") == "{a:1 b:2 c:3 d:4}");
  CHECK(x_of("x = 1e-4") == "0.0001");
}

TEST_CASE("texts and lists are searched and taken apart") {
  CHECK(x_of("x = 'gcr'.index('c'), 'gcr'.find('x'), 'a.b.c'.count('.')") == "[1 -1 2]");
  CHECK(x_of("x = 'a b -> c'.split('->')") == "['a b ' ' c']");
  CHECK(x_of("x = ' a  b '.split()") == "['a' 'b']");
  CHECK(x_of("x = [3, 5, 5].index(5), [3, 5, 5].count(5)") == "[1 2]");
  CHECK(x_of("x = [3]\nif unknown(): x.append(5)\nx = x.index(3)") == "?");
  CHECK(x_of("x = '12'.isdigit(), 'a1'.isdigit(), 'Ab'.isalpha()") == "[True False True]");
  CHECK(x_of("x = '\u00e9'.isalpha()") == "?");
  CHECK(x_of("import os\nx = os.path.splitext('a/b.py')") == "['a/b' '.py']");
  CHECK(x_of("x = [a for a, b in zip([1], [2], strict=False)]") == "[1]");
  CHECK(x_of("import numbers\nx = isinstance(3, numbers.Integral), isinstance(.5, "
             "numbers.Integral)") == "[True False]");
}

TEST_CASE("a generator makes the items it is certain to yield") {
  CHECK(x_of("def f():\n  for i in [1, 2]:\n    yield i\nx = list(f())") == "[1 2]");
  CHECK(x_of("def f():\n  yield 0\n  yield from [1, 2]\nx = list(f())") == "[0 1 2]");
  CHECK(x_of("def f():\n  if unknown():\n    yield 0\nx = f()") == "?");
  CHECK(x_of("def f():\n  while unknown():\n    yield 0\nx = f()") == "?");
}

TEST_CASE("lists are zipped with those that nobody knows") {
  CHECK(x_of("x = [(b, w) for d, b, w in zip(unknown(), [4, 8], [1, 2])]") == "[[4 1] [8 2]]");
  CHECK(x_of("x = [a for a, b in zip([1, 2, 3], [4])]") == "[1]");
  CHECK(x_of("x = zip(unknown(), other())") == "?");
}

TEST_CASE("a cast for the type checker hands on what it is given") {
  Files files;
  files.acts["yaml.safe_load"] = Behaviour::load;
  files.acts["typing.cast"] = Behaviour::cast;
  files.add(
      "main.py",
      "import yaml\nfrom typing import cast\nfrom torch.utils.data import DataLoader\n"
      "cfg = cast(dict, yaml.safe_load(open('c.yaml')))\nDataLoader([], cfg['train']['bs'])\n");
  CHECK(calls_of(files, "main.py").back() == "torch.utils.data.DataLoader([] 32)");
}

TEST_CASE("what is not known stays unknown") {
  CHECK(x_of("x = y + 1") == "?");
  CHECK(x_of("import os\nx = os.environ.get('N', 1)") == "?");
  CHECK(x_of("import os\nx = int(os.environ['N'])") == "?");
  CHECK(x_of("x = 2 ** 100000") == "?");
  CHECK(x_of("x = 1 // 0") == "?");
}

TEST_CASE("two sides of an undecided condition leave what they agree on") {
  CHECK(x_of("x = 1\nif unknown():\n  x = 2") == "?");
  CHECK(x_of("x = 1\nif unknown():\n  x = 2\nelse:\n  x = 2") == "2");
  CHECK(x_of("if unknown():\n  raise E\nx = 3") == "3");
  CHECK(x_of("x = 1\nif unknown():\n  x = 2\n  raise E") == "1");
  CHECK(x_of("x = {'a': 1}\nif unknown():\n  x['b'] = 2") == "{a:1 b:?}");
}

TEST_CASE("of a mapping and a copy that something was laid over, what they agree on is known") {
  CHECK(x_of("import copy\nx = {'a': 1, 'b': {'c': 2, 'd': [3, 4]}, 'e': 5}\n"
             "if unknown():\n  y = {**x}\n  y['b'] = {'c': 7, 'd': [3, 4]}\n  x = y") ==
        "{a:1 b:{c:? d:[3 4] …} e:5 …}");
  CHECK(x_of("x = {'a': 1, 'b': 2}\nif unknown():\n  x = {'a': 1, 'c': 3}") == "{a:1 c:? …}");
  CHECK(x_of("x = [1, 2]\nif unknown():\n  x = [1, 2, 3]") == "?");
}

TEST_CASE("functions and classes of the project are entered") {
  CHECK(x_of("def f(a, b=2, *c, **d):\n  return a + b\nx = f(1), f(1, 5), f(b=3, a=4)") ==
        "[3 6 7]");
  CHECK(x_of("class A:\n  k = 3\n  def __init__(self, n):\n    self.n = n\n  @property\n  def "
             "p(self):\n"
             "    return self.n * self.k\nx = A(2).p") == "6");
  CHECK(
      x_of("class A:\n  def f(self): return 1\nclass B(A):\n  def f(self): return super().f() + 1\n"
           "x = B().f()") == "2");
  CHECK(x_of("def f(n): return f(n + 1)\nx = f(0)") == "?");
  CHECK(x_of("def f():\n  if unknown():\n    return 1\n  return 1\nx = f()") == "1");
  CHECK(x_of("def f():\n  if unknown():\n    return 1\n  return 2\nx = f()") == "?");
}

TEST_CASE("a config class that copies a dict into its attributes can be asked for them") {
  CHECK(x_of("class C:\n  def __init__(self, d):\n    for k, v in d.items():\n"
             "      setattr(self, k, C(v) if isinstance(v, dict) else v)\n"
             "x = C({'train': {'bs': 4}}).train.bs") == "4");
}

TEST_CASE("dataclasses take their arguments and their defaults") {
  Files files;
  files.acts["dataclasses.dataclass"] = Behaviour::fields;
  files.add("main.py",
            "from dataclasses import dataclass, field\n@dataclass\nclass T:\n  lr: float = 1e-3\n"
            "  tags: list = field(default_factory=list)\n@dataclass\nclass C:\n  n: int\n"
            "  t: T = field(default_factory=T)\nc = C(3)\nuse(c.n, c.t.lr, c.t.tags)\n");
  CHECK(calls_of(files, "main.py") == Calls{"use(3 0.001 [])"});
}

TEST_CASE("fields of a dataclass have the types that its class gives them") {
  const std::string rest =
      "import dataclasses\nclass Own:\n  pass\n@dataclasses.dataclass\nclass C:\n"
      "  n: int\n  own: Own\n"
      "types = {f.name: f.type for f in dataclasses.fields(C)}\n"
      "use(types['n'] is int, types['n'] is float, types['own'] is Own, types['n'] == 'int')\n";
  Files files;
  files.acts["dataclasses.dataclass"] = Behaviour::fields;
  files.add("main.py", rest);
  files.add("late.py", "from __future__ import annotations\n" + rest);
  CHECK(calls_of(files, "main.py") == Calls{"use(True False True False)"});
  files.calls.clear();
  CHECK(calls_of(files, "late.py") == Calls{"use(False False False True)"});
}

TEST_CASE("the default of an option that must be given is never taken") {
  Files files;
  files.acts["argparse.ArgumentParser"] = Behaviour::parser;
  files.add("main.py",
            "import argparse\np = argparse.ArgumentParser()\n"
            "p.add_argument('--model', required=True, default='a')\n"
            "p.add_argument('--width', default=8)\n"
            "a = p.parse_args()\nuse(a.model, a.width)\n");
  CHECK(calls_of(files, "main.py") == Calls{"use(? 8)"});
}

TEST_CASE("options made of a dataclass's fields have their defaults") {
  Files files;
  files.acts["dataclasses.dataclass"] = Behaviour::fields;
  files.acts["argparse.ArgumentParser"] = Behaviour::parser;
  files.add("main.py",
            "import argparse\nfrom dataclasses import dataclass, field, fields\n@dataclass\n"
            "class C:\n  name: str = 'a'\n  lr: float = field(default=0.5)\n  n: int = 4\n"
            "p = argparse.ArgumentParser()\nfor f in fields(C):\n"
            "  p.add_argument(f'--{f.name}', type=f.type, default=f.default)\n"
            "c = C(**vars(p.parse_args()))\nuse(c.name, c.lr, c.n)\n");
  CHECK(calls_of(files, "main.py") == Calls{"use('a' 0.5 4)"});
}

TEST_CASE("keys of a dict may be numbers") {
  CHECK(x_of("d = {}\nfor i, n in enumerate(['a', 'b']):\n  d[i] = n\n"
             "x = [0 in d, 5 in d, d[1], [k + 1 for k in d], [k for k, v in d.items()]]\n") ==
        "[True False 'b' [1 2] [0 1]]");
  CHECK(x_of("g = {}\nfor n, w in [('a', 2), ('b', 1), ('a', 3)]:\n"
             "  g.setdefault((n, w > 1), []).append(w)\n"
             "x = [[n, big, p] for (n, big), p in g.items()]\n") ==
        "[['a' True [2 3]] ['b' False [1]]]");
  CHECK(x_of("g = {}\ng.setdefault(unknown, []).append(1)\nx = [p for p in g]\n") == "[ …]");
  CHECK(x_of("d = {'1': 2}\nx = [k for k in d]\n") == "['1']");
  CHECK(x_of("d = {n: n * n for n in range(3)}\nx = [k for k in {**d} if k not in {1: 0}]\n") ==
        "[0 2]");
}

TEST_CASE("a list over a range has the length that the config says, a loop one round") {
  Files files;
  files.acts["yaml.safe_load"] = Behaviour::load;
  files.add("main.py",
            "import yaml\ncfg = yaml.safe_load(open('c.yaml'))\n"
            "use(len([i for i in range(cfg['train']['bs'])]))\n"
            "for i in range(cfg['train']['bs']):\n  use(i)\n");
  CHECK(calls_of(files, "main.py") == Calls{"use(32)", "use(?)"});
}

TEST_CASE("a word that is converted to a number raises where that is handled") {
  const std::string read =
      "def read(v):\n  try:\n    return int(v)\n  except ValueError:\n    try:\n      v = float(v)\n"
      "    except ValueError:\n      pass\n  return v\n";
  CHECK(x_of(read + "x = [read('flex'), read('7'), read('0.5'), read('nan')]\n") ==
        "['flex' 7 0.5 ?]");
  CHECK(x_of("v = 'auto'\nx = int(v)\n") == "?");
}

TEST_CASE("a package may import its parts when they are asked for") {
  Files files;
  files.acts["importlib.import_module"] = Behaviour::import_named;
  files.add("own/io.py", "def load(): return 7\n");
  files.add("own/__init__.py",
            "from importlib import import_module\nfrom typing import TYPE_CHECKING\n"
            "if TYPE_CHECKING:\n  from own.io import load\ndef __getattr__(name):\n"
            "  if name == 'load':\n    return import_module('own.io').load\n"
            "  raise AttributeError(name)\n");
  files.add("main.py", "from own import load\nuse(load())\n");
  CHECK(calls_of(files, "main.py") == Calls{"use(7)"});
}

TEST_CASE("a defaultdict that may hold any key has no empty value for one") {
  CHECK(x_of("from collections import defaultdict\ng = defaultdict(list)\n"
             "for r in unknown:\n  g[r.id].append(r)\n"
             "x = []\nfor k in sorted(g):\n  x.append(len(g[k]))\n") == "[?]");
  CHECK(x_of("from collections import defaultdict\ng = defaultdict(list)\n"
             "g['a'].append(1)\nx = [len(g['a']), len(g['b'])]\n") == "[1 0]");
}

TEST_CASE("what a call is tried for is not known, where it stands alone") {
  CHECK(x_of("def below(path, root):\n  try:\n    path.relative_to(root)\n"
             "  except ValueError:\n    return False\n  return True\n"
             "x = below(unknown, '/a')\n") == "?");
  CHECK(x_of("def read():\n  try:\n    v = unknown()\n  except ValueError:\n    return 1\n"
             "  return 2\nx = read()\n") == "2");
}

TEST_CASE("options of the command line have their defaults") {
  Files files;
  files.acts["argparse.ArgumentParser"] = Behaviour::parser;
  files.add("main.py",
            "import argparse\np = argparse.ArgumentParser()\n"
            "p.add_argument('-b', '--batch-size', type=int, default='8')\n"
            "p.add_argument('--amp', action='store_true')\np.add_argument('--lr', dest='rate')\n"
            "a = p.parse_args()\nuse(a.batch_size, a.amp, a.rate)\n");
  CHECK(calls_of(files, "main.py") == Calls{"use(8 False None)"});
}

TEST_CASE("what a config holds is followed to the call that takes it") {
  Files files;
  files.acts["yaml.safe_load"] = Behaviour::load;
  files.add("data/loader.py",
            "from torch.utils.data import DataLoader\ndef build(cfg, workers=2):\n"
            "  return DataLoader(object(), batch_size=cfg['bs'], num_workers=workers)\n");
  files.add("main.py",
            "import yaml\nfrom data.loader import build\ndef main():\n"
            "  with open('c.yaml') as f:\n    cfg = yaml.safe_load(f)\n"
            "  loader = build(cfg['train'], workers=cfg['train'].get('workers', 4))\n"
            "if __name__ == '__main__':\n  main()\n");
  CHECK(calls_of(files, "main.py") ==
        Calls{"object()", "torch.utils.data.DataLoader(? batch_size=32 num_workers=4)"});
}

TEST_CASE("classes that a parser makes of the config have its values and their own defaults") {
  Files files;
  files.acts["dataclasses.dataclass"] = Behaviour::fields;
  files.acts["transformers.HfArgumentParser"] = Behaviour::class_parser;
  files.add(
      "main.py",
      "from dataclasses import dataclass\n"
      "from transformers import HfArgumentParser, TrainingArguments\n"
      "@dataclass\nclass Args:\n  train: dict = None\n  workers: int = 7\n"
      "class Parser(HfArgumentParser):\n  def parse(self):\n    return unknown()\n"
      "args, more = HfArgumentParser((Args, TrainingArguments)).parse_args_into_dataclasses()\n"
      "use(args.train['bs'], args.workers, more.train['bs'])\n"
      "use(Parser(Args).parse().workers)\n");
  CHECK(calls_of(files, "main.py") ==
        Calls{"transformers.TrainingArguments()", "use(32 7 32)", "use(7)"});
}

TEST_CASE("a call in a branch that may not be taken is reported as such") {
  Files files;
  files.add("main.py", "if unknown:\n  use(1)\nelse:\n  use(2)\nuse(3)\n");
  CHECK(calls_of(files, "main.py") == Calls{"use(1)?", "use(2)?", "use(3)"});
}

TEST_CASE("a class of another file that extends something outside is made where it is called") {
  Files files;
  files.acts["functools.partial"] = Behaviour::partial;
  files.add(
      "parts.py",
      "import lib, functools\nx = [1, 2, 3, 4, 5, 6, 7, 8]\nclass Loader(lib.Loader):\n  pass\n"
      "make = functools.partial(lib.Make, 1, k=2)\n");
  files.add("main.py", "from parts import Loader, make\nLoader(4, rows=2)\nmake(3)\n");
  CHECK(calls_of(files, "main.py") == Calls{"lib.Loader(4 rows=2)", "lib.Make(1 k=2 3)"});
}

TEST_CASE("modules that import each other end, and so does every loop") {
  Files files;
  files.add("a.py", "from b import y\nz = 1\n");
  files.add("b.py", "from a import z\ny = 2\n");
  files.add("main.py",
            "import a, b\nwhile True:\n  use(b.y)\nwhile unknown:\n  while True:\n    use(a.z)\n");
  CHECK(calls_of(files, "main.py") == Calls{"use(2)", "use(1)"});
}

TEST_CASE("a module without end of work is cut at the limit") {
  Files files;
  std::string text = "def f(n):\n";
  for (int i = 0; i < 6; ++i) text += "  f(n + 1)\n";
  files.add("main.py", text + "for i in range(1000):\n  f(0)\n");
  Interpreter in(files, {""}, {.max_steps = 5'000});
  in.run(*files.module("main.py"), true);
  CHECK(in.truncated());
}

TEST_CASE("what modules do when they are imported leaves the program its steps") {
  Files files;
  std::string library;
  for (int i = 0; i < 200; ++i) library += "register(1)\n";
  files.add("library.py", library);
  files.add("main.py", "import library\nuse(1)\n");
  Interpreter in(files, {""}, {.max_steps = 50, .max_import_steps = 5'000});
  in.run(*files.module("main.py"), true);
  CHECK_FALSE(in.truncated());
  Interpreter cut(files, {""}, {.max_steps = 50, .max_import_steps = 500});
  cut.run(*files.module("main.py"), true);
  CHECK(cut.truncated());
}

TEST_CASE("a list that a loop works off is worked off item by item") {
  CHECK(x_of("todo = [('', {'a': {'b': 1}, 'c': 2})]\n"
             "x = {}\n"
             "while len(todo):\n"
             "  prefix, part = todo[0]\n"
             "  todo = todo[1:]\n"
             "  for key, value in part.items():\n"
             "    key = '{}.{}'.format(prefix, key) if prefix else key\n"
             "    if isinstance(value, dict):\n"
             "      todo.append((key, value))\n"
             "      continue\n"
             "    x[key] = value\n") == "{c:2 a.b:1}");
  CHECK(x_of("todo = [1, 2]\nx = []\nwhile todo:\n  x.append(todo.pop())\n") == "[2 1]");
}

TEST_CASE("str.format fills in texts and whole numbers, and knows nothing of other forms") {
  CHECK(x_of("x = 'conf/{}-{}.yaml'.format('a', 3)") == "'conf/a-3.yaml'");
  CHECK(x_of("x = '{1}{0}{name}'.format('a', 'b', name='c')") == "'bac'");
  CHECK(x_of("x = '{{{}}}'.format('a')") == "'{a}'");
  CHECK(x_of("x = '{:03d}'.format(3)") == "'003'");
  CHECK(x_of("x = '{:>3}'.format(3)") == "?");
  CHECK(x_of("x = '{:03d}'.format(-3)") == "?");
  CHECK(x_of("i = 3\nx = f'unit{i:d} {i:02d}'") == "'unit3 03'");
  CHECK(x_of("x = 'unit%03d' % 3") == "'unit003'");
  CHECK(x_of("i = 3\nx = f'{i:.2f}'") == "?");
  CHECK(x_of("x = '{}'.format(y)") == "?");
}

TEST_CASE("defaults that nobody knows may be of any option, what the command states is known") {
  CHECK(x_of("import argparse\n"
             "p = argparse.ArgumentParser()\n"
             "p.add_argument('--rows', type=int, default=4)\n"
             "p.set_defaults(**unknown)\n"
             "x = p.parse_args().rows\n") == "?");
}

TEST_CASE("sys.path names folders in which modules are looked up") {
  Files files;
  files.add("code/main.py",
            "import sys\nsys.path.append('../configs')\nimport Rates\nx = Rates.rate\n");
  files.add("configs/Rates.py", "rate = 3\n");
  Interpreter in(files, {"code"});
  const ObjectId scope = in.run(*files.module("code/main.py"), true);
  CHECK(shown(in, in.find(scope, in.intern("x"))->value) == "3");
}

TEST_CASE("a function that may have returned before it raises stops nothing") {
  Files files;
  files.add("main.py", "def f():\n  if unknown: return 1\n  raise ValueError('no')\nx = f()\n");
  Interpreter in(files, {""});
  in.run(*files.module("main.py"), true);
  CHECK_FALSE(in.stopped());
}
