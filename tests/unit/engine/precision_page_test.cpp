// docs/precision.md and the `precision:` of the rule files say the same, and a rule that was read
// and found wanting speaks only when asked for.

#include "base/text.h"
#include "catalog/catalog.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {
namespace {

constexpr std::int64_t kJudgedAtLeast = 20;  // findings, or all where there are fewer
constexpr std::int64_t kPercentOfDefaults = 95;

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::size_t begin = 1;
  while (begin < line.size()) {
    const std::size_t end = std::min(line.find('|', begin), line.size());
    cells.emplace_back(trim(std::string_view(line).substr(begin, end - begin)));
    begin = end + 1;
  }
  return cells;
}

std::int64_t count_in(const std::string& cell) {
  std::int64_t value = -1;
  std::from_chars(cell.data(), cell.data() + cell.size(), value);
  return value;
}

/// Rows of the page's table of findings, by rule.
std::map<std::string, MeasuredPrecision> judged_rows() {
  std::map<std::string, MeasuredPrecision> rows;
  std::ifstream page(std::string(GPULINT_SOURCE_DIR) + "/docs/precision.md");
  bool in_table = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("| rule | findings |")) in_table = true;
    if (line.empty()) in_table = false;
    const std::vector<std::string> cells = line.starts_with('|') ? cells_of(line) : cells_of("|");
    if (!in_table || cells.size() < 4 || count_in(cells[1]) < 0) continue;
    rows[cells[0]] = {count_in(cells[1]), count_in(cells[2]), count_in(cells[3])};
  }
  return rows;
}

const Catalog& shipped() {
  static const Result<Catalog> catalog = Catalog::open(embedded_data());
  REQUIRE(catalog.has_value());
  return *catalog;
}

}  // namespace

TEST_CASE("docs/precision.md and the rule files hold the same counts") {
  std::map<std::string, MeasuredPrecision> rows = judged_rows();
  REQUIRE(rows.size() > 20);
  rows.erase("syntax-error");  // said by the readers, it has no rule file
  for (const Rule& rule : shipped().rules()) {
    INFO(rule.id);
    const auto& measured = shipped().manual(rule).precision;
    const auto row = rows.find(rule.id);
    REQUIRE(measured.has_value() == (row != rows.end()));
    if (!measured) continue;
    CHECK(measured->findings == row->second.findings);
    CHECK(measured->judged == row->second.judged);
    CHECK(measured->right == row->second.right);
    rows.erase(row);
  }
  for (const auto& row : rows) FAIL_CHECK(row.first << " is not a rule");
}

TEST_CASE("a rule that speaks unasked was judged enough and was right at least 95 % of the time") {
  for (const Rule& rule : shipped().rules()) {
    const auto& measured = shipped().manual(rule).precision;
    if (!measured || rule.preview) continue;
    INFO(rule.id);
    CHECK(measured->judged >= std::min(measured->findings, kJudgedAtLeast));
    CHECK(measured->right * 100 >= measured->judged * kPercentOfDefaults);
  }
}

}  // namespace gpulint
