// Every rule file carries configs that must make it speak, at which lines, and configs on which it
// must be silent. They run through the whole pipeline, as `gpulint check` would.

#include "unit/lint/sample_linter.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace gpulint {

using test::lines_of;
using test::lint_sample;
using test::shipped_catalog;

namespace {

std::string all_findings(const LintResult& result) {
  std::string text;
  for (const Error& error : result.errors) text += "error: " + error.to_string() + "\n";
  for (const FileReport& file : result.files) {
    text += fmt::format("{}: {} {}\n", file.path, file.dialect, file.reason);
  }
  for (const Finding& finding : result.findings) {
    text += fmt::format("{}: {}\n", finding.rule, finding.message);
  }
  return text;
}

std::vector<std::string> messages_of(const LintResult& result, const std::string& rule) {
  std::vector<std::string> messages;
  for (const Finding& finding : result.findings) {
    if (finding.rule == rule) messages.push_back(finding.message);
  }
  return messages;
}

bool mentions_unknown(const Finding& finding) {
  const auto says = [](const std::string& text) { return text.find("unknown") != text.npos; };
  return says(finding.message) || (finding.fix && says(finding.fix->advice)) ||
         std::any_of(finding.arithmetic.begin(), finding.arithmetic.end(), says);
}

}  // namespace

TEST_CASE("every rule has a sample that fires and one that is silent") {
  const Catalog& catalog = shipped_catalog();
  REQUIRE(catalog.rules().size() >= 25);
  for (const Rule& rule : catalog.rules()) {
    const RuleManual manual = catalog.manual(rule);
    CHECK_MESSAGE(!manual.bad.empty(), rule.id);
    CHECK_MESSAGE(!manual.ok.empty(), rule.id);
    CHECK_MESSAGE(!manual.why.empty(), rule.id);
    CHECK_MESSAGE(!manual.sources.empty(), rule.id);
  }
}

TEST_CASE("a rule speaks at exactly the lines its bad samples name") {
  const Catalog& catalog = shipped_catalog();
  for (const Rule& rule : catalog.rules()) {
    for (const RuleSample& sample : catalog.manual(rule).bad) {
      const LintResult result = lint_sample(sample);
      INFO(rule.id << "\n" << sample.config << "\n" << all_findings(result));
      CHECK(result.errors.empty());
      CHECK(lines_of(result, rule.id, sample) == sample.expect);
      if (!sample.says.empty()) CHECK(messages_of(result, rule.id) == sample.says);
    }
  }
}

TEST_CASE("a rule is silent on its ok samples, which are read as training configs") {
  const Catalog& catalog = shipped_catalog();
  for (const Rule& rule : catalog.rules()) {
    for (const RuleSample& sample : catalog.manual(rule).ok) {
      const LintResult result = lint_sample(sample);
      INFO(rule.id << "\n" << sample.config << "\n" << all_findings(result));
      CHECK(result.errors.empty());
      CHECK(lines_of(result, rule.id, sample).empty());
      const bool linted = std::any_of(result.files.begin(), result.files.end(), [&](const auto& f) {
        return f.path == "run/" + sample.file_name && f.state == FileState::linted;
      });
      CHECK(linted);
    }
  }
}

TEST_CASE("no finding of a sample prints an unknown value") {
  const Catalog& catalog = shipped_catalog();
  for (const Rule& rule : catalog.rules()) {
    for (const RuleSample& sample : catalog.manual(rule).bad) {
      for (const Finding& finding : lint_sample(sample).findings) {
        INFO(rule.id << ": " << finding.rule << ": " << finding.message);
        CHECK_FALSE(mentions_unknown(finding));
      }
    }
  }
}

}  // namespace gpulint
