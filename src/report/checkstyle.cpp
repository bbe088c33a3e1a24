#include "report/machine.h"

#include <fmt/format.h>

namespace gpulint {
namespace {

std::string_view severity_of(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "info";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "";
}

}  // namespace

std::string report_checkstyle(const LintResult& result, const Surroundings& surroundings) {
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<checkstyle version=\"4.3\">\n";
  const Finding* previous = nullptr;
  for (const Finding& finding : result.findings) {
    const Place place = place_of(result, finding.span);
    if (previous == nullptr || previous->span.file != finding.span.file) {
      if (previous != nullptr) text += "  </file>\n";
      text +=
          fmt::format("  <file name=\"{}\">\n", xml_text(published_path(place.path, surroundings)));
    }
    text += fmt::format(
        "    <error line=\"{}\" column=\"{}\" severity=\"{}\" message=\"{}\" "
        "source=\"gpulint.{}\"/>\n",
        place.begin.line, place.begin.column, severity_of(finding.severity),
        xml_text(message_of(finding)), xml_text(finding.rule));
    previous = &finding;
  }
  if (previous != nullptr) text += "  </file>\n";
  return text + "</checkstyle>\n";
}

}  // namespace gpulint
