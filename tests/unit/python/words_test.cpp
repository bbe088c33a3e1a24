#include "python/words.h"

#include <doctest/doctest.h>

using gpulint::python::words_of;
using Words = std::vector<std::string_view>;

TEST_CASE("words are identifiers and strings that are keys, not prose or comments") {
  CHECK(words_of("a.lr = cfg[\"train.rate\"]  # momentum\n") ==
        Words{"a", "lr", "cfg", "train", "rate"});
  CHECK(words_of("add('--weight_decay', help='how much weight_decay')\n") ==
        Words{"add", "weight_decay", "help"});
  CHECK(words_of("\"\"\"Run with --rate 3\"\"\"\n").empty());
}
