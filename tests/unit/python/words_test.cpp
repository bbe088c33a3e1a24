#include "python/words.h"

#include <doctest/doctest.h>

using gpulint::python::acting_text;
using gpulint::python::words_of;
using Words = std::vector<std::string_view>;

TEST_CASE("words are identifiers and strings that are keys, not prose or comments") {
  CHECK(words_of("a.lr = cfg[\"train.rate\"]  # momentum\n") ==
        Words{"a", "lr", "cfg", "train", "rate"});
  CHECK(words_of("add('--weight_decay', help='how much weight_decay')\n") ==
        Words{"add", "weight_decay", "help"});
  CHECK(words_of("\"\"\"Run with --rate 3\"\"\"\n").empty());
}

TEST_CASE("comments, docstrings and tests for a class only speak of things") {
  CHECK(acting_text("a = 1  # ddp\n").find("ddp") == std::string::npos);
  CHECK(acting_text("x(isinstance(a, (B, c())), d)\n").find('B') == std::string::npos);
  CHECK(acting_text("x(isinstance(a, (B, c())), d)\n").find(", d)") != std::string::npos);
  CHECK(acting_text("def f():\n  '''of DDP'''\n  g('DDP')\n").find("of") == std::string::npos);
  CHECK(acting_text("def f():\n  '''of'''\n  g('DDP')\n").find("g('DDP')") != std::string::npos);
  CHECK(acting_text("isinstance(a").size() == 12);
}
