#include "report/summary.h"

#include "base/text.h"
#include "report/place.h"
#include "report/report.h"
#include "report/style.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpulint {

Summary summarize(const LintResult& result) {
  Summary summary;
  for (const Finding& finding : result.findings) {
    switch (finding.severity) {
      case Severity::note:
        ++summary.notes;
        break;
      case Severity::warning:
        ++summary.warnings;
        break;
      case Severity::error:
        ++summary.errors;
        break;
    }
  }
  for (const FileReport& file : result.files) {
    switch (file.state) {
      case FileState::linted:
        ++summary.files;
        break;
      case FileState::skipped:
        ++summary.skipped;
        break;
      case FileState::unreadable:
        ++summary.unreadable;
        break;
    }
    const bool blind = std::any_of(file.plans.begin(), file.plans.end(), [](const PlanReport& p) {
      return p.gpu == nullptr && p.host == nullptr;
    });
    if (blind) ++summary.without_target;
  }
  return summary;
}

std::string first_line(const LintResult& result, const Finding& finding, bool color) {
  const Place place = place_of(result, finding.span);
  const std::string where = fmt::format("{}:{}:{}:", escape_for_display(place.path),
                                        place.begin.line, place.begin.column);
  const std::string verdict = fmt::format("{}[{}]", name_of(finding.severity), finding.rule);
  std::string line = fmt::format("{} {} {}", paint(where, Role::strong, color),
                                 paint(verdict, role_of(finding.severity), color),
                                 escape_for_display(finding.message));
  if (finding.phase) line += fmt::format(" (phase {})", escape_for_display(*finding.phase));
  return line;
}

std::string finding_lines(const LintResult& result, bool color) {
  std::string text;
  for (const Finding& finding : result.findings) text += first_line(result, finding, color) + "\n";
  return text;
}

}  // namespace gpulint
