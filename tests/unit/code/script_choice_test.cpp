#include "code/script_choice.h"

#include <doctest/doctest.h>

using namespace gpulint;

TEST_CASE("a folder or file is named after configs by a word, not by letters inside another") {
  ScriptMarks marks;
  marks.config_places = {"conf", "cfg", "exp", "experiment"};
  CHECK(names_config_place("configs/train", marks));
  CHECK(names_config_place("traincfgs", marks));
  CHECK(names_config_place("exp_12/a.yaml", marks));
  CHECK(names_config_place("Exps", marks));
  CHECK(names_config_place("my_experiments", marks));
  CHECK_FALSE(names_config_place("tests/gpt_8experts_tp2", marks));
  CHECK_FALSE(names_config_place("explanations", marks));
}
