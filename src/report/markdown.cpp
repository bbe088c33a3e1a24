// Markdown for a pull-request comment or a step summary.

#include "base/text.h"
#include "report/machine.h"
#include "report/style.h"
#include "report/summary.h"

#include <fmt/format.h>

namespace gpulint {
namespace {

/// GitHub refuses comments over 65,536 characters; what follows the table needs the difference.
constexpr std::size_t kMaxTableBytes = 60'000;
/// One message may not use up the table.
constexpr std::size_t kMaxMessageCharacters = 1'000;

bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || std::string_view(" .,-+%/=()?;").find(c) != std::string::npos;
}

/// Text that stays text: everything Markdown or HTML could read is a character reference, and a
/// zero-width space behind '@' and '#' keeps GitHub from notifying people and linking issues, which
/// it decides after references are resolved. The dot of "www." is broken for the same reason.
std::string markdown_text(std::string_view text) {
  std::string result;
  const std::string shown = escape_for_display(text);
  for (std::size_t at = 0; at < shown.size(); ++at) {
    const char c = shown[at];
    const bool link = c == '.' && at >= 3 && to_lower(shown.substr(at - 3, 3)) == "www";
    if (is_plain(c) && !link) {
      result += c;
      continue;
    }
    result += fmt::format("&#{};", static_cast<unsigned char>(c));
    if (c == '@' || c == '#' || link) result += "&#8203;";
  }
  return result;
}

std::string row_of(const LintResult& result, const Finding& finding,
                   const Surroundings& surroundings) {
  const Place place = place_of(result, finding.span);
  const std::string path = published_path(place.path, surroundings);
  std::string message = markdown_text(shortened(message_of(finding), kMaxMessageCharacters));
  if (finding.fix) {
    message += fmt::format("<br>fix: {}",
                           markdown_text(shortened(finding.fix->advice, kMaxMessageCharacters)));
  }
  return fmt::format("| {} | {}:{}:{} | {} | {} |\n", name_of(finding.severity),
                     markdown_text(path), place.begin.line, place.begin.column,
                     markdown_text(finding.rule), message);
}

}  // namespace

std::string report_markdown(const LintResult& result, const Surroundings& surroundings) {
  const Summary summary = summarize(result);
  // The first line lets a bot find the comment it wrote before.
  std::string text = "<!-- gpulint check -->\n### gpulint\n\n";
  if (result.findings.empty()) {
    return text + fmt::format("No findings in {}.\n", count_of(summary.files, "config"));
  }
  text += fmt::format("{}, {}, {} in {}\n\n", count_of(summary.errors, "error"),
                      count_of(summary.warnings, "warning"), count_of(summary.notes, "note"),
                      count_of(summary.files, "config"));
  text += "| severity | place | rule | message |\n| --- | --- | --- | --- |\n";
  std::int64_t left_out = 0;
  for (const Finding* finding : by_severity(result)) {
    const std::string row = row_of(result, *finding, surroundings);
    if (left_out != 0 || text.size() + row.size() > kMaxTableBytes) {
      ++left_out;
    } else {
      text += row;
    }
  }
  if (left_out != 0) text += fmt::format("\nand {} more\n", count_of(left_out, "finding"));
  return text;
}

}  // namespace gpulint
