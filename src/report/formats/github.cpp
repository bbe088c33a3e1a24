// GitHub workflow commands. A step shows ten annotations of each level and drops the rest without a
// word (actions/toolkit, pull request 734), so the worst come first and one notice counts the rest.

#include "base/text.h"
#include "report/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace gpulint {
namespace {

constexpr std::size_t kAnnotationsPerLevel = 10;

std::string_view command_of(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "notice";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "";
}

/// What the runner undoes in messages and, with `property`, in values of properties
/// (actions/runner, ActionCommand.cs).
std::string escaped(std::string_view text, bool property) {
  std::string result;
  for (const char c : escape_for_display(text)) {
    if (c == '%' || (property && (c == ':' || c == ','))) {
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result;
}

std::string annotation(const LintResult& result, const Finding& finding,
                       const Surroundings& surroundings) {
  const Place place = first_line_place(result, finding.span);
  const std::string path = published_path(place.path, surroundings);
  std::string properties;
  if (!path.empty() && is_inside(path)) {
    properties =
        fmt::format("file={},line={},endLine={},col={},endColumn={},", escaped(path, true),
                    place.begin.line, place.end.line, place.begin.column, place.end.column);
  }
  // The log shows only the message, so the place is said there again.
  return fmt::format("::{} {}title={}::{}:{}:{}: {} {}\n", command_of(finding.severity), properties,
                     escaped(finding.rule, true), escaped(path, false), place.begin.line,
                     place.begin.column, escaped(finding.rule, false),
                     escaped(message_of(finding), false));
}

std::string remainder(std::int64_t count) {
  return fmt::format("::notice title=gpulint::and {}; the job summary and the log list all\n",
                     counted(count, "more finding"));
}

std::string github_report(const FindingsReport& report) {
  const LintResult& result = report.result;
  std::array<std::size_t, 3> total{};
  for (const Finding& finding : result.findings)
    ++total[static_cast<std::size_t>(finding.severity)];
  const bool overflows = std::any_of(total.begin(), total.end(),
                                     [](std::size_t n) { return n > kAnnotationsPerLevel; });
  std::array<std::size_t, 3> room{};
  room.fill(kAnnotationsPerLevel);
  // The notice that counts the rest is a notice too.
  if (overflows) --room[static_cast<std::size_t>(Severity::note)];
  std::string text;
  std::int64_t left_out = 0;
  for (const Finding* finding : by_severity(result)) {
    std::size_t& free = room[static_cast<std::size_t>(finding->severity)];
    if (free == 0) {
      ++left_out;
    } else {
      --free;
      text += annotation(result, *finding, report.surroundings);
    }
  }
  if (left_out != 0) text += remainder(left_out);
  return text;
}

}  // namespace
}  // namespace gpulint

namespace gpulint::formats {

extern constinit const OutputFormat github{
    .id = "github",
    .readers = "the log of a GitHub Actions step: annotations",
    .file_name = "gpulint-annotations.txt",
    .syntax = Syntax::commands,
    .streams = true,
    .check = github_report,
};

}  // namespace gpulint::formats
