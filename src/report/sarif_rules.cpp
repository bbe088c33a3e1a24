#include "report/sarif_rules.h"

#include "base/text.h"
#include "finding/own_rules.h"
#include "report/machine.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpulint {
namespace {

/// Longest descriptions and names GitHub takes.
constexpr std::size_t kMaxDescription = 1024;
constexpr std::size_t kMaxName = 255;

/// What a rule's entry is made of.
struct Entry {
  std::string id;
  std::string family;
  std::string summary;
  std::string description;
  std::string help;
  std::string markdown;
  Severity severity = Severity::warning;
  std::string_view precision = "high";
};

std::string_view problem_severity(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "recommendation";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "";
}

Json entry_json(const Entry& entry) {
  return {{"id", entry.id},
          {"name", shortened(entry.id, kMaxName)},
          {"shortDescription", {{"text", shortened(entry.summary, kMaxDescription)}}},
          {"fullDescription", {{"text", shortened(entry.description, kMaxDescription)}}},
          {"help", {{"text", entry.help}, {"markdown", entry.markdown}}},
          {"defaultConfiguration", {{"level", sarif_level(entry.severity)}}},
          {"properties",
           {{"tags", {entry.family, "deep-learning"}},
            {"precision", entry.precision},
            {"problem.severity", problem_severity(entry.severity)}}}};
}

/// Escaped line by line, so that line ends stay.
std::string shown_lines(std::string_view text) {
  std::string shown;
  for (const std::string_view line : split(trim(text), '\n')) {
    shown += escape_for_display(line) + "\n";
  }
  return shown;
}

/// Its lines joined by blanks.
std::string first_paragraph(std::string_view text) {
  std::string paragraph;
  for (const std::string_view line : split(trim(text), '\n')) {
    if (trim(line).empty()) break;
    if (!paragraph.empty()) paragraph += ' ';
    paragraph += escape_for_display(trim(line));
  }
  return paragraph;
}

/// A fence longer than any run of backticks inside.
std::string fenced(std::string_view text, std::string_view language) {
  std::size_t run = 0;
  std::size_t longest = 2;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fmt::format("{}{}\n{}{}\n", fence, language, shown_lines(text), fence);
}

/// A rule that compares an estimate is as sure as the estimate; the others read what is written.
std::string_view precision_of(const Rule& rule) {
  std::string conditions(rule.when.text());
  for (const SeverityLevel& level : rule.severity) conditions.append(" ").append(level.when.text());
  const bool estimates = conditions.find("ram.") != std::string::npos;  // vram. and ram.
  return estimates ? "medium" : "high";
}

std::string help_of(const RuleTexts& texts, const RuleManual& manual) {
  std::string text = shown_lines(manual.why);
  if (!texts.fix_advice.empty()) text += "\nFix: " + shown_lines(texts.fix_advice.text());
  for (const std::string& source : manual.sources) text += "Source: " + shown_lines(source);
  return text;
}

std::string markdown_of(const Rule& rule, const RuleTexts& texts, const RuleManual& manual) {
  std::string text = fmt::format("# {}\n\n{}", rule.id, shown_lines(manual.why));
  if (!rule.when.empty()) text += "\n## Reported when\n\n" + fenced(rule.when.text(), "");
  if (!texts.fix_advice.empty()) {
    text += fmt::format("\n## Fix ({})\n\n{}", texts.fix_kind, fenced(texts.fix_advice.text(), ""));
  }
  if (!manual.bad.empty()) text += "\n## Example\n\n" + fenced(manual.bad.front().config, "yaml");
  if (!manual.sources.empty()) text += "\n## Sources\n\n";
  for (const std::string& source : manual.sources) text += "- " + shown_lines(source);
  return text;
}

Entry entry_of(const Rule& rule, const RuleManual& manual) {
  const RuleTexts texts = rule.texts();
  Entry entry{.id = rule.id,
              .family = rule.family,
              .summary = escape_for_display(texts.summary),
              .description = fmt::format("{}. {}", escape_for_display(texts.summary),
                                         first_paragraph(manual.why)),
              .help = help_of(texts, manual),
              .markdown = markdown_of(rule, texts, manual)};
  if (!rule.severity.empty()) entry.severity = rule.severity.front().severity;
  entry.precision = precision_of(rule);
  return entry;
}

Entry entry_of(const OwnRule& rule) {
  return {.id = std::string(rule.id),
          .family = "source",
          .summary = std::string(rule.summary),
          .description = fmt::format("{}. {}", rule.summary, first_paragraph(rule.why)),
          .help = std::string(rule.why),
          .markdown = std::string(rule.why),
          .severity = rule.severity,
          .precision = "very-high"};
}

Entry unknown_entry(const Finding& finding) {
  const std::string id = escape_for_display(finding.rule);
  return {.id = finding.rule,
          .family = "source",
          .summary = id,
          .description = id,
          .help = id,
          .markdown = id,
          .severity = finding.severity};
}

}  // namespace

std::string sarif_level(Severity severity) { return std::string(name_of(severity)); }

SarifRules sarif_rules(const LintResult& result, const Catalog& catalog) {
  std::vector<Entry> entries;
  for (const Rule& rule : catalog.rules()) entries.push_back(entry_of(rule, catalog.manual(rule)));
  for (const OwnRule& rule : own_rules()) entries.push_back(entry_of(rule));
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.id < b.id; });
  SarifRules rules;
  const auto add = [&](const Entry& entry) {
    if (rules.index.emplace(entry.id, rules.list.size()).second) {
      rules.list.push_back(entry_json(entry));
    }
  };
  for (const Entry& entry : entries) add(entry);
  for (const Finding& finding : result.findings) {
    if (!rules.index.contains(finding.rule)) add(unknown_entry(finding));
  }
  for (const SuppressedFinding& each : result.suppressed) {
    if (!rules.index.contains(each.finding.rule)) add(unknown_entry(each.finding));
  }
  return rules;
}

}  // namespace gpulint
