// Facts of published configs, compared with what a person read in them. The configs are not part of
// the repository: ctest reports the case as skipped unless GPULINT_CORPUS names their folder. A
// line of tests/fixtures/facts/*.tsv is path, fact and value; "?" = must be unknown, and the fact
// `dialect` is the dialect's id.

#include "unit/plan/dialect_files.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using namespace gpulint;

namespace {

using Expectations = std::map<std::string, std::vector<std::pair<std::string, std::string>>>;

Expectations expectations() {
  Expectations expected;
  const std::filesystem::path folder = std::string(GPULINT_SOURCE_DIR) + "/tests/fixtures/facts";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".tsv") continue;
    std::istringstream lines(read_text(entry.path().string()));
    std::string path;
    std::string fact;
    std::string value;
    while (std::getline(lines, path, '\t') && std::getline(lines, fact, '\t') &&
           std::getline(lines, value)) {
      expected[path].emplace_back(fact, value);
    }
  }
  return expected;
}

}  // namespace

TEST_CASE("facts of published configs are what a reader finds in them" *
          doctest::test_suite("published configs")) {
  const char* corpus = std::getenv("GPULINT_CORPUS");
  if (corpus == nullptr) {
    MESSAGE("skipped: set GPULINT_CORPUS to the folder of the configs");
    return;
  }
  const Expectations expected = expectations();
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
