#include "base/text.h"
#include "report/diff_report.h"
#include "report/style.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpulint {
namespace {

void add_rows(std::string& text, const ConfigDiff& config) {
  const std::vector<DiffRow> rows = diff_rows(config);
  int name = 0;
  int before = 0;
  int after = 0;
  for (const DiffRow& row : rows) {
    name = std::max(name, display_width(row.name));
    before = std::max(before, display_width(row.before));
    after = std::max(after, display_width(row.after));
  }
  for (const DiffRow& row : rows) {
    std::string line = fmt::format("  {}  ", pad_right(row.name, name));
    if (config.before) line += pad_left(row.before, before);
    if (config.before && config.after) line += " -> ";
    if (config.after) line += pad_left(row.after, after);
    if (!row.change.empty()) line += "  " + row.change;
    text += line + "\n";
  }
  const std::string unknown = diff_unknown(config);
  if (!unknown.empty()) text += "  not estimated: " + escape_for_display(unknown) + "\n";
}

void add_findings(std::string& text, std::string_view label,
                  const std::vector<DiffFinding>& findings, bool is_new, bool color) {
  for (const DiffFinding& finding : findings) {
    if (finding.is_new != is_new) continue;
    text += fmt::format("{} {}:{}:{}: {} {}\n", label, escape_for_display(finding.path),
                        finding.at.line, finding.at.column,
                        paint(fmt::format("{}[{}]", name_of(finding.severity), finding.rule),
                              role_of(finding.severity), color),
                        escape_for_display(finding.message));
  }
}

void add_lines(std::string& text, std::string_view label, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    text += fmt::format("{}: {}\n", label, escape_for_display(line));
  }
}

}  // namespace

std::string diff_text(const DiffResult& result, const ReportOptions& options) {
  std::string text =
      fmt::format("{} -> {}\n", escape_for_display(result.base), escape_for_display(result.head));
  if (result.configs.empty()) text += "\nno training config differs\n";
  for (const ConfigDiff& config : result.configs) {
    text += "\n" + paint(diff_title(config), Role::strong, options.color) + "\n";
    add_rows(text, config);
  }
  std::string findings;
  add_findings(findings, "new", result.findings, true, options.color);
  add_findings(findings, "fixed", result.fixed, false, options.color);
  add_lines(findings, "over the limit", result.exceeded);
  add_lines(findings, "limit not judged", result.unjudged);
  add_lines(findings, "left out", result.left_out);
  if (!findings.empty()) text += "\n" + findings;
  const auto fresh = std::count_if(result.findings.begin(), result.findings.end(),
                                   [](const DiffFinding& each) { return each.is_new; });
  const auto total = static_cast<std::int64_t>(result.findings.size());
  text += fmt::format("\n{}: {} new, {} fixed, {} as before\n",
                      counted(std::ssize(result.configs), "comparison"), fresh, result.fixed.size(),
                      total - fresh);
  return text;
}

}  // namespace gpulint
