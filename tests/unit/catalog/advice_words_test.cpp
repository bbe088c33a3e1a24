#include "catalog/rule.h"

#include <doctest/doctest.h>

namespace gpulint {
namespace {

TEST_CASE("advice without a run shows no template") {
  CHECK(advice_in_words("set it to {lr.suggested:g}") == "set it to \u2026");
  CHECK(advice_in_words("lower the batch ({fit.sentence}{fit.more})") ==
        "lower the batch (\u2026)");
  CHECK(advice_in_words("plain") == "plain");
}

TEST_CASE("of a choice the alternatives stay, not the condition") {
  CHECK(
      advice_in_words(R"({"offload less" if (offload == "cpu") ?? false else "fewer workers"})") ==
      "offload less, or fewer workers");
  CHECK(advice_in_words("{item.fact ?? 'remove it'}") == "remove it");
}

}  // namespace
}  // namespace gpulint
