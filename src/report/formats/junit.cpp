// JUnit XML. Errors and warnings are failed tests; a note is a passed one that has something to
// say. A file without findings is one passed test, because a suite without tests
// reads as missing.

#include "report/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace gpulint {
namespace {

struct Suite {
  std::string cases;
  std::size_t tests = 0;
  std::size_t failures = 0;
  std::size_t errors = 0;
};

std::string without_extension(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  const std::size_t slash = path.rfind('/');
  const bool has = dot != std::string_view::npos && dot != 0 &&
                   (slash == std::string_view::npos || dot > slash + 1);
  return std::string(has ? path.substr(0, dot) : path);
}

void add_finding(Suite& suite, const LintResult& result, const Finding& finding,
                 std::string_view path) {
  const Place place = place_of(result, finding.span);
  const std::string message = xml_text(message_of(finding));
  const std::string where = fmt::format("line {}, col {}, ", place.begin.line, place.begin.column);
  suite.cases += fmt::format(
      "    <testcase classname=\"{}\" name=\"org.gpulint.{}\" line=\"{}\" column=\"{}\">\n",
      xml_text(without_extension(path)), xml_text(finding.rule), place.begin.line,
      place.begin.column);
  ++suite.tests;
  if (finding.severity == Severity::note) {
    suite.cases += fmt::format("      <system-out>note: {}{}</system-out>\n", where, message);
  } else {
    ++suite.failures;
    suite.cases += fmt::format("      <failure message=\"{}\" type=\"{}\">{}{}</failure>\n",
                               message, name_of(finding.severity), where, message);
  }
  suite.cases += "    </testcase>\n";
}

void add_clean(Suite& suite, std::string_view path) {
  ++suite.tests;
  suite.cases += fmt::format("    <testcase classname=\"{}\" name=\"No errors found\"/>\n",
                             xml_text(without_extension(path)));
}

/// A file that could not be read is not a passed test.
void add_error(Suite& suite, const Error& error) {
  ++suite.tests;
  ++suite.errors;
  suite.cases += fmt::format(
      "    <testcase classname=\"gpulint\" name=\"environment\">\n"
      "      <error message=\"{}\" type=\"environment\"/>\n    </testcase>\n",
      xml_text(error.to_string()));
}

std::string junit_report(const FindingsReport& report) {
  const LintResult& result = report.result;
  std::map<std::string, Suite> suites;
  for (const Finding& finding : result.findings) {
    const std::string path =
        published_path(place_of(result, finding.span).path, report.surroundings);
    add_finding(suites[path], result, finding, path);
  }
  for (const FileReport& file : result.files) {
    if (file.state != FileState::linted) continue;
    const std::string path = published_path(file.path, report.surroundings);
    if (Suite& suite = suites[path]; suite.tests == 0) add_clean(suite, path);
  }
  for (const Error& error : result.errors) add_error(suites["gpulint"], error);
  if (suites.empty()) add_clean(suites["gpulint"], "gpulint");
  Suite all;
  for (const auto& [path, suite] : suites) {
    all.tests += suite.tests;
    all.failures += suite.failures;
    all.errors += suite.errors;
    all.cases += fmt::format(
        "  <testsuite name=\"{}\" package=\"org.gpulint\" tests=\"{}\" failures=\"{}\">\n{}"
        "  </testsuite>\n",
        xml_text(path), suite.tests, suite.failures, suite.cases);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"gpulint\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n{}</testsuites>\n",
      all.tests, all.failures, all.errors, all.cases);
}

}  // namespace
}  // namespace gpulint

namespace gpulint::formats {

extern constinit const OutputFormat junit{
    .id = "junit",
    .readers = "the test pages of Jenkins, GitLab and others",
    .file_name = "gpulint-junit.xml",
    .syntax = Syntax::markup,
    .check = junit_report,
};

}  // namespace gpulint::formats
