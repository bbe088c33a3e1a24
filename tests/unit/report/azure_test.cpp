#include "unit/report/golden.h"
#include "unit/report/sample_result.h"
#include "unit/report/written.h"

#include <doctest/doctest.h>

using namespace gpulint;

TEST_CASE("Azure Pipelines gets an issue per error and warning, and notes as lines") {
  check_golden("report_azure.txt", written("azure", sample().result));
}

TEST_CASE("an issue names its file by the whole path, and in its words by that in the repository") {
  LintResult result = sample().result;
  result.findings = {result.findings[0]};
  const std::string text =
      written("azure", result, {.root = "/repo", .working_directory = "/repo/jobs"});
  CHECK(text.find(";sourcepath=/repo/jobs/configs/a.yaml;") != std::string::npos);
  CHECK(text.find(";]jobs/configs/a.yaml:") != std::string::npos);
}

TEST_CASE("a value can neither end a property nor begin a command of Azure Pipelines") {
  LintResult result = sample().result;
  result.findings = {result.findings[0], result.findings[0]};
  result.sources[0].path = "a];b%.yaml";
  for (Finding& finding : result.findings) {
    finding.span.file = 0;
    finding.message = "100 %\n##vso[task.complete result=Failed]x";
  }
  result.findings[0].severity = Severity::error;
  result.findings[1].severity = Severity::note;
  const std::string text = written("azure", result);
  CHECK(text.find("##vso[task.logissue type=error;sourcepath=a%5D%3Bb%AZP25.yaml;") == 0);
  CHECK(text.find("100 %AZP25\\x0a##vso[task.complete result=Failed]x\n") != std::string::npos);
  CHECK(text.find("100 %\\x0a##vso\\x5btask.complete result=Failed]x\n") != std::string::npos);
}
