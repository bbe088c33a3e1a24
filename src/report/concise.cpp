#include "base/text.h"
#include "report/report.h"
#include "report/summary.h"

#include <fmt/format.h>

namespace gpulint {

std::string report_concise(const LintResult& result, const ReportOptions& options) {
  std::string text;
  for (const Finding& finding : result.findings) {
    text += first_line(result, finding, options.color);
    text += '\n';
  }
  if (!options.verbose) return text;
  for (const FileReport& file : result.files) {
    if (file.state == FileState::linted) continue;
    text += fmt::format("{}: skipped: {}\n", escape_for_display(file.path),
                        escape_for_display(file.reason));
  }
  return text;
}

}  // namespace gpulint
