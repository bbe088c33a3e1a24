// Every rule file carries configs that must make it speak, at which lines, and configs on which it
// must be silent. They run through the whole pipeline, as `gpulint check` would.

#include "catalog/catalog.h"
#include "lint/lint.h"
#include "unit/lint/memory_reader.h"
#include "unit/lint/shared_session.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace gpulint {
namespace {

LintResult lint_sample(const RuleSample& sample) {
  MemoryReader::Files files;
  files["run/" + sample.file_name] = sample.config;
  for (const auto& [name, text] : sample.siblings) files["run/" + name] = text;
  if (!sample.project.empty()) files["run/.gpulint.yaml"] = sample.project;
  const MemoryReader reader(std::move(files));
  LintRequest request;
  // Siblings are linted along, as in a folder.
  request.paths = {sample.siblings.empty() ? "run/" + sample.file_name : "run"};
  if (!sample.gpu.empty()) request.options.gpu = sample.gpu;
  if (!sample.host.empty()) request.options.host = sample.host;
  request.options.previews = true;
  request.options.jobs = 1;
  return lint(session_over(reader), request);
}

const Catalog& shipped_catalog() {
  static const MemoryReader none{MemoryReader::Files{}};
  static const SessionView session = session_over(none);
  return session.catalog();
}

/// Lines of the sample's own file at which `rule` speaks, sorted, once each.
std::vector<std::uint32_t> lines_of(const LintResult& result, const std::string& rule,
                                    const RuleSample& sample) {
  std::vector<std::uint32_t> lines;
  for (const Finding& finding : result.findings) {
    if (finding.rule != rule) continue;
    const SourceText& source = result.sources.at(finding.span.file);
    if (source.path != "run/" + sample.file_name) continue;
    lines.push_back(source.lines.at(source.text, finding.span.begin).line);
  }
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

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
