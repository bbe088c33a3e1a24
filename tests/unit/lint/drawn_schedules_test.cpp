// Schedules that a function of the project's own draws.

#include "unit/lint/code_project.h"

#include <doctest/doctest.h>

namespace drawn_schedules_test {

using namespace gpulint;

std::string schedule(const std::string& before, const std::string& function) {
  return Project({{".git/HEAD", ""},
                  {"train.py",
                   "import functools, math, torch\n" + before +
                       "if __name__ == '__main__':\n"
                       "    torch.utils.data.DataLoader(make('train'), 8)\n"
                       "    optimizer = torch.optim.AdamW(model(), lr=0.1)\n"
                       "    torch.optim.lr_scheduler.LambdaLR(optimizer, " +
                       function + ")\n"}},
                 "train.py")
      .fact("lr_schedule");
}

TEST_CASE("a function that rises and stays is a warm-up to a constant rate") {
  CHECK(schedule("", "lambda step: min(1.0, (step + 1) / 151)")
            .starts_with("constant_with_warmup"));
  CHECK(schedule("", "lambda step: 1.0").starts_with("constant code"));
}

TEST_CASE("a function that falls to its end is a line or half a wave") {
  const std::string cosine =
      "def rate(step, warm, total):\n    if step < warm:\n        return step / warm\n"
      "    done = min(1.0, (step - warm) / (total - warm))\n"
      "    return 0.1 + 0.9 * half(done)\n"
      "def half(done):\n    return 0.5 * (1 + math.cos(math.pi * done))\n";
  CHECK(schedule(cosine, "functools.partial(rate, warm=100, total=5000)").starts_with("cosine"));
  CHECK(schedule("", "lambda e: max(0.0, 1 - e / 90)").starts_with("linear code"));
  CHECK(schedule("", "lambda e: 1.0 if e < 10 else max(0.0, (100 - e) / 90)")
            .starts_with("linear code"));
}

TEST_CASE("a function that draws something else, or that nobody can follow, says no schedule") {
  CHECK(schedule("", "lambda e: 0.95 ** e") == "unknown");
  CHECK(schedule("", "lambda e: 0.1 ** (e // 30)") == "unknown");
  CHECK(schedule("", "lambda e: min(1.0, e / len(loader))") == "unknown");
  CHECK(schedule("", "lambda e: max(0.0, 1 - e / 90) ** 2") == "unknown");
  CHECK(schedule("", "[lambda e: 1.0]") == "unknown");
}

TEST_CASE("half a wave that a function draws only where a setting says so is no schedule") {
  const std::string by_setting =
      "def rate(step, total):\n    if not use_cosine:\n        return 1.0\n"
      "    done = step / total\n    return 0.5 * (1 + math.cos(math.pi * done))\n";
  const std::string by_step =
      "def rate(step, total):\n    if step < 10:\n        return 1.0\n"
      "    done = step / total\n    if done > 1:\n        return 0.0\n"
      "    return 0.5 * (1 + math.cos(math.pi * done))\n";
  const std::string given = "functools.partial(rate, total=len(loader))";
  CHECK(schedule("use_cosine = somebody()\n" + by_setting, given) == "unknown");
  CHECK(schedule(by_step, given).starts_with("cosine"));
}

}  // namespace drawn_schedules_test
