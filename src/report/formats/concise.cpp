#include "base/text.h"
#include "report/format.h"
#include "report/report.h"
#include "report/summary.h"

#include <fmt/format.h>

namespace gpulint {
namespace {

std::string concise_report(const FindingsReport& report) {
  const ReportOptions& options = report.options;
  std::string text = finding_lines(report.result, options.color);
  if (options.verbose) {
    for (const FileReport& file : report.result.files) {
      if (file.state == FileState::linted) continue;
      text += fmt::format("{}: skipped: {}\n", escape_for_display(file.path),
                          escape_for_display(file.reason));
    }
  }
  if (!options.explain_silence.empty()) {
    text += silence_text(report.result, options.explain_silence);
  }
  return text;
}

}  // namespace
}  // namespace gpulint

namespace gpulint::formats {

extern constinit const OutputFormat concise{
    .id = "concise",
    .readers = "people and editors: one `path:line:col: severity[rule] message` per finding",
    .file_name = "gpulint.txt",
    .streams = true,
    .check = concise_report,
};

}  // namespace gpulint::formats
