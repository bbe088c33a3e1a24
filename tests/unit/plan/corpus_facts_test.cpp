// Facts of published configs, compared with what a person read in them. The configs are not part of
// the repository: ctest reports the case as skipped unless GPULINT_CORPUS names their folder.

#include "unit/expected_facts.h"
#include "unit/plan/dialect_files.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

using namespace gpulint;

TEST_CASE("facts of published configs are what a reader finds in them" *
          doctest::test_suite("published configs")) {
  const char* corpus = std::getenv("GPULINT_CORPUS");
  if (corpus == nullptr) {
    MESSAGE("skipped: set GPULINT_CORPUS to the folder of the configs");
    return;
  }
  const auto expected =
      test::expected_facts(std::string(GPULINT_SOURCE_DIR) + "/tests/fixtures/facts");
  CHECK(expected.size() >= 40);
  for (const auto& [path, facts] : expected) {
    const Facts found = facts_of(read_text(std::string(corpus) + "/" + path), path);
    for (const auto& [fact, value] : facts) {
      const std::string actual = fact == "dialect" ? found.plan.dialect : found[fact];
      const std::string place = path + ": " + fact;
      CHECK_MESSAGE(actual == (value == "?" ? "" : value), place);
    }
  }
}
