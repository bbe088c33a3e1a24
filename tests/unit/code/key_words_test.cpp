#include "code/key_words.h"

#include "python/parser.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>

namespace gpulint {
namespace {

KeyWords words_of_code(std::string text) {
  python::Module module;
  module.text = std::move(text);
  module.tree = python::parse(module.text);
  KeyWords words;
  add_key_words(module, words);
  return words;
}

}  // namespace

TEST_CASE("attributes, strings, parameters and fields read keys") {
  CHECK(words_of_code("x = cfg.depth\n").may_read("depth"));
  CHECK(words_of_code("x = cfg[\"depth\"]\n").may_read("depth"));
  CHECK(words_of_code("x = cfg.get('depth', 3)\n").may_read("depth"));
  CHECK(words_of_code("def make(depth): pass\n").may_read("depth"));
  CHECK(words_of_code("class C:\n    depth: int = 3\n").may_read("depth"));
  CHECK(words_of_code("x = get('model.depth')\n").may_read("depth"));
  CHECK(words_of_code("x = f\"{cfg.depth} layers\"\n").may_read("depth"));
}

TEST_CASE("arguments, stores, comments and docstrings read no key") {
  CHECK_FALSE(words_of_code("make(depth=3)\n").may_read("depth"));
  CHECK_FALSE(words_of_code("cfg.depth = 3\n").may_read("depth"));
  CHECK_FALSE(words_of_code("cfg['depth'] = 3\n").may_read("depth"));
  CHECK_FALSE(words_of_code("x = 1  # depth\n").may_read("depth"));
  CHECK_FALSE(words_of_code("\"\"\"depth\"\"\"\n").may_read("depth"));
  CHECK_FALSE(words_of_code("if 'depth' not in cfg:\n    cfg.depth = 1\n").may_read("depth"));
}

TEST_CASE("names put together at run time read all keys that fit") {
  const KeyWords words =
      words_of_code("x = getattr(cfg, f\"use_{name}\")\ny = cfg[kind + '_lr']\n");
  CHECK(words.may_read("use_anything"));
  CHECK(words.may_read("head_lr"));
  CHECK_FALSE(words.may_read("lr_head"));
}

TEST_CASE("a formatted number reads what it shows, and nothing behind it") {
  const KeyWords words =
      words_of_code("print(f\"{cfg.rate:.3f} of {cfg.most!r}\")\nmake(depth=3)\n");
  CHECK(words.may_read("rate"));
  CHECK(words.may_read("most"));
  CHECK_FALSE(words.may_read("depth"));
  CHECK_FALSE(words.may_read("make"));
}

TEST_CASE("what stands behind two stars is unpacked") {
  const KeyWords words = words_of_code("make(**cfg.model)\n");
  CHECK(words.unpacked.contains("model"));
}

TEST_CASE("of a way to what is unpacked only its end is") {
  const KeyWords words =
      words_of_code("params = cfg['model'].kwargs\nmake(**params)\nbuild(**dict(cfg.optim))\n");
  CHECK(words.unpacked.contains("kwargs"));
  CHECK_FALSE(words.unpacked.contains("model"));
  CHECK(words.unpacked.contains("optim"));
}

}  // namespace gpulint
