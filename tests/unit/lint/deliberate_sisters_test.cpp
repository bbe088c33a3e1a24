// What files beside a config know of a switch that is off in it.

#include "unit/lint/code_project.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace deliberate_sisters_test {

using namespace gpulint;

/// Whether a config with `line` is told of by the rule, beside a sister with `sister`.
bool told(const std::string& rule, const std::string& line, const std::string& sister,
          const std::string& others = "") {
  const std::string rest = "epochs: 10\nlr: 0.1\nbatch_size: 8\n";
  const Project project({{".git/HEAD", ""},
                         {".gpulint.yaml", "gpu: a100-sxm4-80gb\n"},
                         {"conf/a.yaml", rest + line + "\n"},
                         {"conf/b.yaml", rest + sister + "\n"},
                         {"conf/d.yaml", rest + others + "\n"},
                         {"conf/e.yaml", rest + others + "\n"},
                         {"conf/c.txt", line + "  # not safe\n"}},
                        "conf/a.yaml");
  return std::any_of(project.result.findings.begin(), project.result.findings.end(),
                     [&](const Finding& each) { return each.rule == rule; });
}

TEST_CASE("a reason that a file beside a config gives holds for it as well") {
  CHECK(told("no-loader-workers", "num_workers: 0", "num_workers: 0"));
  CHECK(told("no-loader-workers", "num_workers: 0", "num_workers: 4  # for windows"));
  CHECK_FALSE(told("no-loader-workers", "num_workers: 0", "num_workers: 0  # Windows stability"));
}

TEST_CASE("a comment that speaks of the value explains it in any language") {
  CHECK_FALSE(told("no-loader-workers", "num_workers: 0  # \xE3\x81\xA7""0\xE3\x81\x8C", ""));
  CHECK(told("no-loader-workers", "num_workers: 0  # workers", ""));
}

TEST_CASE("who turns half precision on in several files and off in several knows the switch") {
  CHECK(told("amp-disabled", "amp: false", "amp: false"));
  CHECK(told("amp-disabled", "amp: false", "amp: true"));
  CHECK(told("amp-disabled", "amp: false", "", "amp: true"));
  CHECK_FALSE(told("amp-disabled", "amp: false", "amp: false", "amp: true"));
}

}  // namespace deliberate_sisters_test
