#include "finding/order.h"

#include <doctest/doctest.h>

using namespace gpulint;

namespace {

Finding at(FileId file, std::uint32_t begin, std::string rule, std::string run = "a.yaml") {
  Finding finding;
  finding.rule = std::move(rule);
  finding.span = {file, begin, begin + 1};
  finding.runs = {std::move(run)};
  return finding;
}

}  // namespace

TEST_CASE("findings are ordered by file, offset and rule") {
  std::vector<Finding> findings{at(1, 0, "a"), at(0, 9, "b"), at(0, 9, "a"), at(0, 3, "z")};
  sort_and_join(findings);
  REQUIRE(findings.size() == 4);
  CHECK(findings[0].rule == "z");
  CHECK(findings[1].rule == "a");
  CHECK(findings[2].rule == "b");
  CHECK(findings[3].span.file == 1);
}

TEST_CASE("one place seen by two runs is one finding that names both") {
  std::vector<Finding> findings{at(0, 3, "a", "run2.yaml"), at(0, 3, "a", "run1.yaml")};
  sort_and_join(findings);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].runs == std::vector<std::string>{"run1.yaml", "run2.yaml"});
}

TEST_CASE("phases of which the same is said at one place are named by one finding") {
  std::vector<Finding> findings{at(0, 3, "a", "1.yaml"), at(0, 3, "a", "1.yaml"),
                                at(0, 3, "a", "2.yaml")};
  findings[0].phase = "pretrain";
  findings[1].phase = "finetune";
  findings[2].phase = "pretrain";
  sort_and_join(findings);
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].phase == "finetune, pretrain");
}

TEST_CASE("phases of which different things are said keep their own findings") {
  std::vector<Finding> findings{at(0, 3, "a"), at(0, 3, "a")};
  findings[0].phase = "finetune";
  findings[0].message = "8 workers";
  findings[1].phase = "pretrain";
  findings[1].message = "4 workers";
  sort_and_join(findings);
  CHECK(findings.size() == 2);
}
