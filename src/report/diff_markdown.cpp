// One pull-request comment: a table of what changed, the findings, and the details folded away.

#include "base/text.h"
#include "report/diff_report.h"
#include "report/machine.h"
#include "report/markdown_text.h"
#include "report/style.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace gpulint {
namespace {

/// GitHub refuses comments over 65,536 characters. Each part takes what the ones before it left.
constexpr std::size_t kMaxBytes = 64'000;
constexpr std::size_t kMaxTableBytes = 30'000;
constexpr std::size_t kMaxLimitsBytes = 36'000;
constexpr std::size_t kMaxFindingsBytes = 48'000;
constexpr std::size_t kMaxUnjudgedBytes = 54'000;
constexpr std::size_t kMaxMessageCharacters = 500;

/// Adds a line unless the text would pass `limit`; counts what it leaves out.
class Bounded {
 public:
  Bounded(std::string& text, std::size_t limit) : text_(text), limit_(limit) {}
  void add(const std::string& line) {
    if (left_out_ != 0 || text_.size() + line.size() > limit_) {
      ++left_out_;
    } else {
      text_ += line;
    }
  }
  void finish(std::string_view what) {
    if (left_out_ != 0)
      text_ += fmt::format("\nand {}\n", counted(left_out_, fmt::format("more {}", what)));
  }

 private:
  std::string& text_;
  std::size_t limit_;
  std::int64_t left_out_ = 0;
};

/// "18.2 GiB → 21.0 GiB, +2.8 GiB (+15 %)" of the named quantity, or a dash.
std::string cell(const std::vector<DiffRow>& rows, std::string_view name) {
  const auto row = std::find_if(rows.begin(), rows.end(),
                                [&](const DiffRow& each) { return each.name == name; });
  if (row == rows.end()) return "–";
  if (row->change == "unchanged") return markdown_text(row->after);
  std::string text = markdown_text(row->before);
  if (!row->before.empty() && !row->after.empty()) text += " → ";
  text += markdown_text(row->after);
  if (!row->change.empty()) text += "<br>" + markdown_text(row->change);
  return text;
}

std::string table_row(const ConfigDiff& config) {
  const std::vector<DiffRow> rows = diff_rows(config);
  std::string line = fmt::format("| {} |", markdown_text(diff_title(config)));
  for (const std::string_view name : {"peak VRAM", "VRAM headroom", "host RAM", "step time",
                                      "run time", "cost", "global batch", "learning rate"}) {
    line += fmt::format(" {} |", cell(rows, name));
  }
  return line + "\n";
}

std::string finding_line(const DiffFinding& finding) {
  return fmt::format(
      "- {} **{}** {}:{}:{} {}\n", name_of(finding.severity), markdown_text(finding.rule),
      markdown_text(finding.path), finding.at.line, finding.at.column,
      markdown_text(shortened(escape_for_display(finding.message), kMaxMessageCharacters)));
}

void add_findings(std::string& text, std::string_view title,
                  const std::vector<DiffFinding>& findings, bool is_new) {
  const auto listed = [&](const DiffFinding& each) { return each.is_new == is_new; };
  if (std::none_of(findings.begin(), findings.end(), listed)) return;
  text += fmt::format("\n#### {}\n\n", title);
  Bounded lines(text, kMaxFindingsBytes);
  for (const Severity severity : {Severity::error, Severity::warning, Severity::note}) {
    for (const DiffFinding& finding : findings) {
      if (listed(finding) && finding.severity == severity) lines.add(finding_line(finding));
    }
  }
  lines.finish("finding");
}

void add_lines(std::string& text, std::string_view title, const std::vector<std::string>& list,
               std::size_t limit) {
  if (list.empty()) return;
  text += fmt::format("\n#### {}\n\n", title);
  Bounded lines(text, limit);
  for (const std::string& line : list) lines.add("- " + markdown_text(line) + "\n");
  lines.finish("line");
}

void add_unknown(std::string& text, const DiffResult& result) {
  std::vector<std::string> list;
  for (const ConfigDiff& config : result.configs) {
    const std::string unknown = diff_unknown(config);
    if (!unknown.empty()) list.push_back(diff_title(config) + ": " + unknown);
  }
  list.insert(list.end(), result.left_out.begin(), result.left_out.end());
  if (list.empty()) return;
  text += "\n<details><summary>Not estimated</summary>\n\n";
  Bounded lines(text, kMaxBytes);
  for (const std::string& line : list) lines.add("- " + markdown_text(line) + "\n");
  lines.finish("config");
  text += "\n</details>\n";
}

/// A commit's full name says no more to people than its beginning.
std::string side_name(std::string_view revision) {
  constexpr std::size_t kFullName = 40;
  constexpr std::size_t kShown = 10;
  const bool is_full = revision.size() == kFullName &&
                       revision.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  return markdown_text(is_full ? revision.substr(0, kShown) : revision);
}

}  // namespace

std::string diff_markdown(const DiffResult& result) {
  std::string text = fmt::format("<!-- gpulint diff -->\n### gpulint: {} → {}\n\n",
                                 side_name(result.base), side_name(result.head));
  if (result.configs.empty()) {
    text += "No training config differs.\n";
  } else {
    text +=
        "| config | peak VRAM | headroom | host RAM | step time | run time | cost | global batch | "
        "learning "
        "rate |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
    Bounded rows(text, kMaxTableBytes);
    for (const ConfigDiff& config : result.configs) rows.add(table_row(config));
    rows.finish("config");
  }
  add_lines(text, "Over the limit", result.exceeded, kMaxLimitsBytes);
  add_findings(text, "New findings", result.findings, true);
  add_findings(text, "Fixed findings", result.fixed, false);
  add_lines(text, "Limits that could not be judged", result.unjudged, kMaxUnjudgedBytes);
  add_unknown(text, result);
  return text;
}

}  // namespace gpulint
