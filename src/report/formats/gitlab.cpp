// GitLab Code Quality: an array of objects, each with an identity that survives shifted lines.

#include "base/text.h"
#include "report/machine.h"

#include <fmt/format.h>

namespace gpulint {
namespace {

constexpr SeverityWords kGitlabWords{"info", "minor", "major"};

std::string gitlab_report(const FindingsReport& report) {
  const LintResult& result = report.result;
  Identities identities;
  Json issues = Json::array();
  for (const Finding& finding : result.findings) {
    const Place place = first_line_place(result, finding.span);
    const std::string path = published_path(place.path, report.surroundings);
    const Identities::Identity identity = identities.of(result, finding, path);
    // The page does not show check_name, so the description begins with it.
    issues.push_back(
        {{"description", fmt::format("{}: {}", finding.rule, message_of(finding))},
         {"check_name", finding.rule},
         {"fingerprint", fmt::format("{}-{}", identity.hash, identity.occurrence)},
         {"severity", word_of(finding.severity, kGitlabWords)},
         {"location",
          {{"path", escape_for_display(path)}, {"lines", {{"begin", place.begin.line}}}}}});
  }
  return ascii_json(issues, 2);
}

}  // namespace
}  // namespace gpulint

namespace gpulint::formats {

extern constinit const OutputFormat gitlab{
    .id = "gitlab",
    .readers = "GitLab merge requests: Code Quality",
    .file_name = "gl-code-quality.json",
    .syntax = Syntax::json,
    .check = gitlab_report,
};

}  // namespace gpulint::formats
