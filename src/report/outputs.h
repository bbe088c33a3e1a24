#pragma once

// Reports for other programs: code scanning, merge requests, CI servers, review bots. Each returns
// text and is deterministic; values of a config are escaped for the reader of that format.

#include "catalog/catalog.h"
#include "lint/lint.h"

#include <string>
#include <string_view>

namespace gpulint {

/// Where the run took place; CI systems want paths relative to the repository.
struct Surroundings {
  std::string root = {};               // absolute folder of the repository; "" = unknown
  std::string working_directory = {};  // absolute; paths of a result are relative to it
  int exit_code = 0;
};

/// SARIF 2.1.0 with every rule of the catalog, fired or not, so that closed alerts close.
std::string report_sarif(const LintResult& result, const Catalog& catalog,
                         const Surroundings& surroundings);
/// GitHub workflow commands, at most ten per level.
std::string report_github(const LintResult& result, const Surroundings& surroundings);
/// `text` so that no line of it is a workflow command when a GitHub runner reads it; "##[" gets its
/// bracket written as `bracket` ("\\x5b" in plain text, "\\u005b" in JSON, "&#91;" in XML).
std::string defuse_workflow_commands(std::string_view text, std::string_view bracket);
/// GitLab Code Quality.
std::string report_gitlab(const LintResult& result, const Surroundings& surroundings);
std::string report_junit(const LintResult& result, const Surroundings& surroundings);
std::string report_checkstyle(const LintResult& result, const Surroundings& surroundings);
/// reviewdog diagnostic format, with suggestions.
std::string report_rdjson(const LintResult& result, const Surroundings& surroundings);
/// The findings of `report_json`, one per line.
std::string report_jsonl(const LintResult& result);
/// A table for pull-request comments and step summaries, short enough for both.
std::string report_markdown(const LintResult& result, const Surroundings& surroundings);

/// One self-contained page: a matrix of configs and GPUs, the budget and the step of every config,
/// and the findings. Wants LintOptions::keep_plans and a fleet.
std::string report_html(const LintResult& result);

}  // namespace gpulint
