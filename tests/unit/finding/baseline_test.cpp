#include "finding/baseline.h"

#include "source/read.h"

#include <doctest/doctest.h>

#include <set>

using namespace gpulint;

namespace {

BaselineEntry entry(std::string path, std::string pointer, std::string value = "0",
                    std::string rule = "no-loader-workers") {
  return {.path = std::move(path),
          .pointer = std::move(pointer),
          .rule = std::move(rule),
          .value = std::move(value)};
}

/// For each finding the entry that answers for it, -1 for none.
std::vector<int> match(const Baseline& entries, const Baseline& findings,
                       const std::set<std::string>& gone = {}) {
  std::vector<int> found;
  for (const auto& each : match_baseline(entries, findings, [&](const std::string& path) {
                            return gone.count(path) != 0;
                          }).entry_of) {
    found.push_back(each ? static_cast<int>(*each) : -1);
  }
  return found;
}

Result<Baseline> parse(const std::string& text) {
  const auto document = read_json("b.json", text, 0);
  REQUIRE(document);
  return parse_baseline(*document);
}

}  // namespace

TEST_CASE("a baseline written and read again is the same") {
  const Baseline entries{entry("b.yaml", "/x", "\"quoted\" \\ back"), entry("a.yaml", "/y/0"),
                         entry("a.yaml", "/y/0")};
  const auto read = parse(baseline_text(entries));
  REQUIRE(read);
  CHECK(read->size() == 3);
  CHECK((*read)[0] == entry("a.yaml", "/y/0"));
  CHECK((*read)[2].value == "\"quoted\" \\ back");
}

TEST_CASE("a baseline is one line per entry") {
  CHECK(baseline_text({entry("a.yaml", "/x")}) ==
        "{\n  \"schema\": \"gpulint-baseline/1\",\n  \"entries\": [\n"
        "    {\"rule\": \"no-loader-workers\", \"path\": \"a.yaml\", \"pointer\": \"/x\", "
        "\"value\": \"0\"}\n  ]\n}\n");
  CHECK(baseline_text({}) == "{\n  \"schema\": \"gpulint-baseline/1\",\n  \"entries\": []\n}\n");
}

TEST_CASE("what is not a baseline is refused with its place") {
  CHECK(parse("{}").error().message ==
        "this is not a baseline: \"schema\": \"gpulint-baseline/1\" is missing; write one with "
        "--write-baseline");
  const auto broken =
      parse("{\"schema\": \"gpulint-baseline/1\", \"entries\": [\n  {\"rule\": \"x\"}]}");
  CHECK(broken.error().message == "the entry has no \"path\"");
  CHECK(broken.error().place.line == 2);
}

TEST_CASE("the same rule, path, pointer and value match") {
  const Baseline known{entry("a.yaml", "/x"), entry("a.yaml", "/y")};
  CHECK(match(known, {entry("a.yaml", "/y"), entry("a.yaml", "/x")}) == std::vector<int>{1, 0});
  CHECK(match(known, {entry("a.yaml", "/x", "1")}) == std::vector<int>{-1});
  CHECK(match(known, {entry("a.yaml", "/x", "0", "other")}) == std::vector<int>{-1});
  CHECK(match(known, {entry("b.yaml", "/x")}) == std::vector<int>{-1});
}

TEST_CASE("an entry answers once") {
  CHECK(match({entry("a.yaml", "/x")}, {entry("a.yaml", "/x"), entry("a.yaml", "/x")}) ==
        std::vector<int>{0, -1});
}

TEST_CASE("an item inserted into a list shifts its entries, the exact ones matching first") {
  const Baseline known{entry("a.yaml", "/l/0/x"), entry("a.yaml", "/l/1/x")};
  CHECK(match(known, {entry("a.yaml", "/l/1/x"), entry("a.yaml", "/l/2/x")}) ==
        std::vector<int>{1, 0});
}

TEST_CASE("a renamed file matches only once its old path is gone") {
  const Baseline known{entry("old.yaml", "/x")};
  CHECK(match(known, {entry("new.yaml", "/x")}) == std::vector<int>{-1});
  CHECK(match(known, {entry("new.yaml", "/x")}, {"old.yaml"}) == std::vector<int>{0});
}

TEST_CASE("a value is one line without quotes") {
  CHECK(baseline_value(" \"bf16\" ") == "bf16");
  CHECK(baseline_value("a: 1\nb: 2") == "");
  CHECK(baseline_value("") == "");
  const std::string longest = baseline_value(std::string(500, 'x') + "1");
  CHECK(longest.size() == 40 + 3 + 16);
  CHECK(longest != baseline_value(std::string(500, 'x') + "2"));
}
