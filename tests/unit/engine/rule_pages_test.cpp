// docs/rules/ is written from rules/ and the symbol table; this test says when it is out of date.
// GPULINT_UPDATE=1 build/<preset>/tests/test_engine -tc="*pages*" writes it anew.

#include "catalog/catalog.h"
#include "engine/engine.h"
#include "plan/fact_table.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

namespace gpulint {
namespace {

using Pages = std::map<std::string, std::string>;  // file name below docs/rules -> text

const char* const kGenerated =
    "<!-- Written by tests/unit/engine/rule_pages_test.cpp from rules/; do not edit. -->\n\n";

std::string severity_words(const Rule& rule) {
  std::string words;
  for (const SeverityLevel& level : rule.severity) {
    if (!words.empty()) words += ", ";
    words += name_of(level.severity);
    if (!level.when.empty() && level.when.text() != "true") {
      words += fmt::format(" when `{}`", level.when.text());
    } else if (rule.severity.size() > 1) {
      words += " otherwise";
    }
  }
  return words;
}

std::string sample_text(const RuleSample& sample, bool bad) {
  std::string text = bad ? "Reported" : "Not reported";
  if (!sample.gpu.empty()) text += fmt::format(", with `--gpu {}`", sample.gpu);
  if (!sample.host.empty()) text += fmt::format(", with `--host {}`", sample.host);
  if (bad) {
    text += " at line";
    for (std::size_t i = 0; i < sample.expect.size(); ++i) {
      text += fmt::format("{}{}", i == 0 ? " " : ", ", sample.expect[i]);
    }
  }
  text += fmt::format(":\n\n```{}\n{}```\n", sample.file_name.ends_with(".json") ? "json" : "yaml",
                      sample.config);
  if (!sample.project.empty()) {
    text += fmt::format("\nwith a `.gpulint.yaml` beside it:\n\n```yaml\n{}```\n", sample.project);
  }
  return text + "\n";
}

/// What the fix writes; of several ways the first that the config can take.
std::string fix_text(const RuleTexts& texts) {
  std::string text;
  for (std::size_t i = 0; i < texts.fix_sets.size(); ++i) {
    if (i > 0) text += "\nor, where that cannot be written:\n\n";
    for (const auto& [fact, expression] : texts.fix_sets[i].set) {
      text += fmt::format("- `{}` := `{}`\n", fact, expression.text());
    }
    for (const std::string& fact : texts.fix_sets[i].remove) {
      text += fmt::format("- take out the key of `{}`\n", fact);
    }
  }
  return text.empty() ? text : text + "\n";
}

std::string rule_page(const Rule& rule, const RuleManual& manual) {
  const RuleTexts texts = rule.texts();
  std::string page = kGenerated;
  page += fmt::format("# {}\n\n{}\n\n", rule.id, texts.summary);
  page += fmt::format("Severity: {}. Family: {}. Since {}.\n\n", severity_words(rule), rule.family,
                      texts.since);
  if (rule.preview) {
    page +=
        "Preview: speaks with `--preview` or where `.gpulint.yaml` names it only; see "
        "[precision](../precision.md).\n\n";
  }
  page += fmt::format("## Why\n\n{}\n", manual.why);
  page += "## Reported when\n\n";
  if (!rule.for_each.empty()) page += fmt::format("For each of `{}`:\n\n", rule.for_each);
  page += fmt::format("```\n{}\n```\n\n",
                      rule.when.empty() ? "one of the severities above holds" : rule.when.text());
  page += fmt::format("## Fix ({})\n\n{}\n\n", texts.fix_kind,
                      advice_in_words(texts.fix_advice.text()));
  page += fix_text(texts);
  page += "## Samples\n\n";
  for (const RuleSample& sample : manual.bad) page += sample_text(sample, true);
  for (const RuleSample& sample : manual.ok) page += sample_text(sample, false);
  page += fmt::format("## Measured precision\n\n{}\n\n", precision_sentence(manual));
  page += "## Sources\n\n";
  for (const std::string& source : manual.sources) page += fmt::format("- {}\n", source);
  return page;
}

std::string index_page(const Catalog& catalog) {
  std::map<std::string, std::string> families;
  for (const Rule& rule : catalog.rules()) {
    families[rule.family] +=
        fmt::format("| [{0}]({0}.md) | {1} |\n", rule.id, rule.texts().summary);
  }
  std::string page = kGenerated;
  page += "# Rules\n\nThe names their conditions may use: [symbols](symbols.md).\n";
  for (const auto& [family, rows] : families) {
    page += fmt::format("\n## {}\n\n| rule | reported when |\n|---|---|\n{}", family, rows);
  }
  return page;
}

std::string symbols_page() {
  std::string page = kGenerated;
  page +=
      "# Symbols\n\nWhat a rule's condition, message and fix may name: every fact "
      "(`gpulint list facts`) and these. A symbol is evaluated when a rule reads it.\n\n"
      "| symbol | type | meaning |\n|---|---|---|\n";
  const auto& symbols = Engine::symbols().symbols();
  for (std::size_t i = fact_table().size(); i < symbols.size(); ++i) {
    page += fmt::format("| `{}` | {} | {} |\n", symbols[i].name, expr::to_string(symbols[i].type),
                        symbols[i].meaning);
  }
  return page;
}

Pages make_pages() {
  const Result<Catalog> catalog = Catalog::open(embedded_data());
  REQUIRE(catalog.has_value());
  Pages pages{{"README.md", index_page(*catalog)}, {"symbols.md", symbols_page()}};
  for (const Rule& rule : catalog->rules()) {
    pages[rule.id + ".md"] = rule_page(rule, catalog->manual(rule));
  }
  return pages;
}

std::filesystem::path pages_folder() {
  return std::filesystem::path(GPULINT_SOURCE_DIR) / "docs" / "rules";
}

Pages read_pages() {
  Pages pages;
  if (!std::filesystem::exists(pages_folder())) return pages;
  for (const auto& entry : std::filesystem::directory_iterator(pages_folder())) {
    std::ifstream file(entry.path(), std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    pages[entry.path().filename().string()] = text.str();
  }
  return pages;
}

void write_pages(const Pages& pages) {
  std::filesystem::remove_all(pages_folder());
  std::filesystem::create_directories(pages_folder());
  for (const auto& [name, text] : pages) {
    std::ofstream(pages_folder() / name, std::ios::binary) << text;
  }
}

}  // namespace

TEST_CASE("the pages of docs/rules are current") {
  const Pages pages = make_pages();
  if (std::getenv("GPULINT_UPDATE") != nullptr) write_pages(pages);
  const Pages written = read_pages();
  for (const auto& page : pages) {
    const std::string& name = page.first;
    INFO(name << ": write it anew with GPULINT_UPDATE=1");
    const auto found = written.find(name);
    REQUIRE(found != written.end());
    CHECK(found->second == page.second);
  }
  for (const auto& page : written) {
    const std::string& name = page.first;
    INFO(name << " belongs to no rule");
    CHECK(pages.count(name) == 1);
  }
}

}  // namespace gpulint
