// What ends a program for certain, and what only may.

#include "python/interpreter.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>

namespace refusals_test {

using namespace gpulint::python;

namespace {

/// One script that reads the config {"train": {"bs": 32}} with `load()`.
struct Script : Host {
  Module main;
  std::string found;  // the first
  std::string all;    // with those behind it
  bool knows_options = true;

  explicit Script(std::string text) {
    main.path = "train.py";
    main.text = std::move(text);
    main.tree = parse(main.text);
    main.file = 1;
  }
  const Module* module(const std::string&) override { return nullptr; }
  bool is_folder(const std::string&) override { return false; }
  Behaviour behaviour(std::string_view name) override {
    const std::map<std::string, Behaviour, std::less<>> acts = {
        {"load", Behaviour::load},
        {"load_attributes", Behaviour::load_attributes},
        {"argparse.ArgumentParser", Behaviour::parser},
        {"stores", Behaviour::schemas}};
    const auto at = acts.find(name);
    return at == acts.end() ? Behaviour::none : at->second;
  }
  std::optional<Value> load(Interpreter& in, const Value&, std::string_view) override {
    const auto given = [](Value value, std::uint32_t begin) {
      value.origin = Origin::given;
      value.from = {0, begin, begin + 1};
      return value;
    };
    Value made = given(in.make_object(Kind::dict), 0);
    Value train = given(in.make_object(Kind::dict), 10);
    Value number;
    number.kind = Kind::integer;
    number.integer = 32;
    in.set(train.ref, in.intern("bs"), given(number, 20));
    in.set(made.ref, in.intern("train"), train);
    return made;
  }
  std::optional<Value> entry_config(Interpreter&, std::span<const Argument>) override {
    return std::nullopt;
  }
  void called(Interpreter& in, const Call& call) override {
    for (const Argument& each : call.arguments) in.share(each.value);
  }
  void looped(Interpreter&, const Loop&) override {}
  bool knows_option(std::string_view, Unset) override { return knows_options; }
  bool refused(const Refusal& refusal) override {
    if (refusal.is_of_one_side) return true;
    const SyntaxNode& node = main.tree.node(refusal.node);
    const auto lines = std::count(main.text.begin(), main.text.begin() + node.begin, '\n') + 1;
    const std::string told = std::to_string(lines) + " " + std::string(refusal.name);
    if (found.empty()) found = told;
    all += (all.empty() ? "" : ", ") + told;
    return true;
  }
};

std::string refusal(const std::string& text, bool knows_options = true) {
  Script script(text);
  script.knows_options = knows_options;
  Interpreter(script, {}).run(script.main, true);
  return script.found;
}

std::string all_refusals(const std::string& text) {
  Script script(text);
  Interpreter(script, {}).run(script.main, true);
  return script.all;
}

const std::string kLoad = "cfg = load('c.yaml')\n";

}  // namespace

TEST_CASE("a raise that values of the config lead to ends the program") {
  CHECK(refusal(kLoad + "if cfg['train']['bs'] % 5:\n  raise ValueError('five')\n") == "3 ");
  CHECK(refusal(kLoad + "if cfg['train']['bs'] % 8:\n  raise ValueError('eight')\n").empty());
  CHECK(refusal(kLoad + "assert cfg['train']['bs'] == 16, 'sixteen'\n") == "2 ");
  CHECK(refusal(kLoad + "import sys\nif cfg['train']['bs'] > 16:\n  sys.exit('large')\n") == "4 ");
}

TEST_CASE("a raise without a condition of its own function on the config is no refusal") {
  CHECK(refusal(kLoad + "def f():\n  raise NotImplementedError\nif cfg['train']['bs']:\n  f()\n")
            .empty());
  CHECK(refusal(kLoad + "class A:\n  def f(self):\n    raise NotImplementedError\nA().f()\n")
            .empty());
}

TEST_CASE("a missing key ends the program where it is read as the loader refuses it") {
  CHECK(refusal(kLoad + "cfg['train']['lr']\n") == "2 lr");
  CHECK(refusal(kLoad + "cfg.train.lr\n").empty());  // a plain dict has no attributes at all
  CHECK(refusal("cfg = load_attributes('c.yaml')\ncfg.train.lr\n") == "2 lr");
  CHECK(refusal(kLoad + "cfg['train'].get('lr')\n").empty());
  CHECK(refusal(kLoad + "'lr' in cfg['train'] and cfg['train']['lr']\n").empty());
  CHECK(refusal(kLoad + "cfg['train']['lr'] = 1\ncfg['train']['lr']\n").empty());
}

TEST_CASE("an argument of a config that a function does not take ends the program") {
  CHECK(refusal(kLoad + "def f(lr):\n  pass\nf(**cfg['train'])\n") == "2 bs");
  CHECK(refusal(kLoad + "def f(lr, **more):\n  pass\nf(**cfg['train'])\n").empty());
  CHECK(refusal(kLoad + "@wrapped\ndef f(lr):\n  pass\nf(**cfg['train'])\n").empty());
}

TEST_CASE("nothing is certain behind what may leave, be handled or be changed unseen") {
  const std::string lacks = "cfg['train']['lr']\n";
  CHECK(refusal(kLoad + "try:\n  " + lacks + "except KeyError:\n  pass\n").empty());
  CHECK(refusal(kLoad + "if unknown():\n  " + lacks).empty());
  CHECK(refusal(kLoad + "for i in unknown():\n  " + lacks).empty());
  CHECK(refusal(kLoad + "unknown() and " + lacks).empty());
  CHECK(refusal(kLoad + "import sys\nif unknown():\n  sys.exit(0)\n" + lacks).empty());
  CHECK(refusal(kLoad + "def f():\n  if unknown():\n    return\n  " + lacks + "f()\n").empty());
  CHECK(refusal(kLoad + "if unknown():\n  raise ValueError\n" + lacks) == "4 lr");
  CHECK(refusal(kLoad + "fill(cfg)\n" + lacks).empty());
  CHECK(refusal("stores()\n" + kLoad + lacks).empty());
}

TEST_CASE("what both sides of an open condition refuse ends the program") {
  const std::string runs = "def run():\n  return cfg['train']['lr']\n";
  CHECK(refusal(kLoad + runs + "if unknown():\n  run()\nelse:\n  run()\n") == "3 lr");
  CHECK(refusal(kLoad + runs +
                "if unknown():\n  run()\nelif other():\n  run()\nelse:\n  run()\n") == "3 lr");
  CHECK(refusal(kLoad + runs + "if unknown():\n  run()\nelse:\n  raise ValueError\n") == "3 lr");
  CHECK(refusal(kLoad + runs + "if unknown():\n  run()\nelse:\n  pass\n").empty());
  CHECK(refusal(kLoad + runs + "if unknown():\n  run()\nelif other():\n  run()\n").empty());
  CHECK(refusal(kLoad + runs +
                "try:\n  if unknown():\n    run()\n  else:\n    run()\nexcept KeyError:\n  pass\n")
            .empty());
  // What one side gives away, the other still has.
  CHECK(refusal(kLoad + runs + "if unknown():\n  run()\n  fill(cfg)\nelse:\n  run()\n") == "3 lr");
  CHECK(refusal(kLoad + runs + "if unknown():\n  fill(cfg)\nelse:\n  pass\nrun()\n").empty());
}

TEST_CASE("what is refused behind a missing key is told too") {
  CHECK(all_refusals(kLoad + "cfg['train']['lr']\ncfg['data']\n") == "2 lr, 3 data");
  CHECK(all_refusals(kLoad + "assert cfg['train']['bs'] == 16\ncfg['data']\n") == "2 ");
}

TEST_CASE("a condition about types that nobody can decide guesses nothing") {
  CHECK(refusal(kLoad + "for each in unknown():\n  if isinstance(each, Handler):\n    pass\n"
                        "cfg['train']['lr']\n") == "5 lr");
}

TEST_CASE("what hangs on types or registries is a guess") {
  const std::string raises = ":\n  raise ValueError\n";
  CHECK(refusal(kLoad + "if isinstance(cfg['train']['bs'], int)" + raises).empty());
  CHECK(refusal(kLoad + "known = {}\nif cfg['train']['bs'] not in known" + raises).empty());
  CHECK(refusal(kLoad + "if cfg['train']['bs'] not in (16, 64)" + raises) == "3 ");
}

TEST_CASE("an option that nobody gave may be given") {
  const std::string parses =
      "import argparse\np = argparse.ArgumentParser()\np.add_argument('--n', default=0)\n"
      "a = p.parse_args()\n" +
      kLoad;
  const std::string raises = "if a.n < cfg['train']['bs']:\n  raise ValueError\n";
  CHECK(refusal(parses + raises, true) == "7 ");
  CHECK(refusal(parses + raises, false).empty());
}

}  // namespace refusals_test
