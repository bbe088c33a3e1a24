// Markdown for a pull-request comment or a step summary.

#include "base/text.h"
#include "report/diff_report.h"
#include "report/machine.h"
#include "report/markdown_text.h"
#include "report/style.h"
#include "report/summary.h"

#include <fmt/format.h>

namespace gpulint {
namespace {

/// GitHub refuses comments over 65,536 characters; what follows the table needs the difference.
constexpr std::size_t kMaxMarkdownBytes = 60'000;
/// One message may not use up the table.
constexpr std::size_t kMaxMarkdownMessage = 1'000;

std::string row_of(const LintResult& result, const Finding& finding,
                   const Surroundings& surroundings) {
  const Place place = place_of(result, finding.span);
  const std::string path = published_path(place.path, surroundings);
  std::string message = markdown_text(shortened(message_of(finding), kMaxMarkdownMessage));
  if (finding.fix) {
    message += fmt::format("<br>fix: {}",
                           markdown_text(shortened(finding.fix->advice, kMaxMarkdownMessage)));
  }
  return fmt::format("| {} | {}:{}:{} | {} | {} |\n", name_of(finding.severity),
                     markdown_text(path), place.begin.line, place.begin.column,
                     markdown_text(finding.rule), message);
}

std::string markdown_report(const FindingsReport& report) {
  const LintResult& result = report.result;
  const Summary summary = summarize(result);
  // The first line lets a bot find the comment it wrote before.
  std::string text = "<!-- gpulint check -->\n### gpulint\n\n";
  if (result.findings.empty()) {
    return text + fmt::format("No findings in {}.\n", counted(summary.files, "config"));
  }
  text += fmt::format("{}, {}, {} in {}\n\n", counted(summary.errors, "error"),
                      counted(summary.warnings, "warning"), counted(summary.notes, "note"),
                      counted(summary.files, "config"));
  text += "| severity | place | rule | message |\n| --- | --- | --- | --- |\n";
  std::int64_t left_out = 0;
  for (const Finding* finding : by_severity(result)) {
    const std::string row = row_of(result, *finding, report.surroundings);
    if (left_out != 0 || text.size() + row.size() > kMaxMarkdownBytes) {
      ++left_out;
    } else {
      text += row;
    }
  }
  if (left_out != 0) text += fmt::format("\nand {}\n", counted(left_out, "more finding"));
  return text;
}

}  // namespace
}  // namespace gpulint

namespace gpulint::formats {

extern constinit const OutputFormat markdown{
    .id = "markdown",
    .readers = "a pull-request comment or a step summary",
    .file_name = "gpulint.md",
    .syntax = Syntax::markup,
    .check = markdown_report,
    .diff = [](const DiffResult& result, const ReportOptions&) { return diff_markdown(result); },
};

}  // namespace gpulint::formats
