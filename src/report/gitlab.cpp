// GitLab Code Quality: an array of objects, each with an identity that survives shifted lines.

#include "base/text.h"
#include "report/machine.h"

#include <fmt/format.h>

namespace gpulint {
namespace {

std::string_view gitlab_severity(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "info";
    case Severity::warning:
      return "minor";
    case Severity::error:
      return "major";
  }
  return "";
}

}  // namespace

std::string report_gitlab(const LintResult& result, const Surroundings& surroundings) {
  Identities identities;
  Json issues = Json::array();
  for (const Finding& finding : result.findings) {
    const Place place = first_line_place(result, finding.span);
    const std::string path = published_path(place.path, surroundings);
    const Identities::Identity identity = identities.of(result, finding, path);
    // The page does not show check_name, so the description begins with it.
    issues.push_back(
        {{"description", fmt::format("{}: {}", finding.rule, message_of(finding))},
         {"check_name", finding.rule},
         {"fingerprint", fmt::format("{}-{}", identity.hash, identity.occurrence)},
         {"severity", gitlab_severity(finding.severity)},
         {"location",
          {{"path", escape_for_display(path)}, {"lines", {{"begin", place.begin.line}}}}}});
  }
  return ascii_json(issues, 2);
}

}  // namespace gpulint
