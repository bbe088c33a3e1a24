// Logging commands of Azure Pipelines (learn.microsoft.com, "Logging commands", task.logissue): an
// issue of the step, linked to its file. There are errors and warnings only, so a note is a plain
// line. A run's summary shows the first ten of each: the worst come first.

#include "base/text.h"
#include "report/log_text.h"
#include "report/machine.h"

#include <fmt/format.h>

namespace gpulint {
namespace {

/// What the agent undoes: "%" in messages and, with `property`, also ";" and "]" in values of
/// properties. Line ends never come so far.
std::string azure_escaped(std::string_view text, bool property) {
  std::string result;
  for (const char c : escape_for_display(text)) {
    if (c == '%') {
      result += "%AZP25";
    } else if (property && (c == ';' || c == ']')) {
      result += c == ';' ? "%3B" : "%5D";
    } else {
      result += c;
    }
  }
  return result;
}

/// Whole paths, as the agent wants them; it finds the repository itself.
std::string source_path(std::string_view path, const Surroundings& surroundings) {
  return published_path(path, {.working_directory = surroundings.working_directory});
}

std::string azure_line(const FindingsReport& report, const Finding& finding) {
  const Place place = first_line_place(report.result, finding.span);
  const std::string where = fmt::format("{}:{}:{}", published_path(place.path, report.surroundings),
                                        place.begin.line, place.begin.column);
  if (finding.severity == Severity::note) {
    const std::string note = fmt::format("{}: note[{}] {}\n", escape_for_display(where),
                                         finding.rule, message_of(finding));
    return safe_in_log(note, Syntax::plain);
  }
  // The log shows the message alone, so the place is said there again.
  return fmt::format(
      "##vso[task.logissue type={};sourcepath={};linenumber={};columnnumber={};code={};]{}: {} "
      "{}\n",
      name_of(finding.severity), azure_escaped(source_path(place.path, report.surroundings), true),
      place.begin.line, place.begin.column, azure_escaped(finding.rule, true),
      azure_escaped(where, false), azure_escaped(finding.rule, false),
      azure_escaped(message_of(finding), false));
}

std::string azure_report(const FindingsReport& report) {
  std::string text;
  for (const Finding* finding : by_severity(report.result)) text += azure_line(report, *finding);
  return text;
}

}  // namespace
}  // namespace gpulint

namespace gpulint::formats {

extern constinit const OutputFormat azure{
    .id = "azure",
    .readers = "the log of an Azure Pipelines step: its errors and warnings",
    .file_name = "gpulint-azure.txt",
    .syntax = Syntax::commands,
    .streams = true,
    .check = azure_report,
};

}  // namespace gpulint::formats
