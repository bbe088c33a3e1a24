#include "report/machine.h"

#include <fmt/format.h>

namespace gpulint {
namespace {

constexpr SeverityWords kCheckstyleWords{"info", "warning", "error"};

std::string checkstyle_report(const FindingsReport& report) {
  const LintResult& result = report.result;
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle version=\"4.3\">\n";
  const Finding* previous = nullptr;
  for (const Finding& finding : result.findings) {
    const Place place = place_of(result, finding.span);
    if (previous == nullptr || previous->span.file != finding.span.file) {
      if (previous != nullptr) text += "  </file>\n";
      text += fmt::format("  <file name=\"{}\">\n",
                          xml_text(published_path(place.path, report.surroundings)));
    }
    text += fmt::format(
        "    <error line=\"{}\" column=\"{}\" severity=\"{}\" message=\"{}\" "
        "source=\"gpulint.{}\"/>\n",
        place.begin.line, place.begin.column, word_of(finding.severity, kCheckstyleWords),
        xml_text(message_of(finding)), xml_text(finding.rule));
    previous = &finding;
  }
  if (previous != nullptr) text += "  </file>\n";
  return text + "</checkstyle>\n";
}

}  // namespace
}  // namespace gpulint

namespace gpulint::formats {

extern constinit const OutputFormat checkstyle{
    .id = "checkstyle",
    .readers = "Jenkins warnings and older review tools",
    .file_name = "gpulint-checkstyle.xml",
    .syntax = Syntax::markup,
    .check = checkstyle_report,
};

}  // namespace gpulint::formats
