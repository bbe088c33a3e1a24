#pragma once

#include "catalog/catalog.h"
#include "lint/lint.h"
#include "report/format.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace gpulint {

struct OwnRule;

/// Of the product; a test compares it with the build's.
inline constexpr std::string_view kVersion = "0.1.0";

// Every function here returns text; only `cli` writes it. Reports of findings are in the table of
// formats (report/format.h).

/// "path:line:col: severity[rule] message" of each finding.
std::string finding_lines(const LintResult& result, bool color);

/// `gpulint check --output json`: one object, schema `gpulint/1`.
std::string findings_json(const FindingsReport& report);

/// Why `rule` said nothing about each run (LintOptions::explain_silence must have been set).
std::string silence_text(const LintResult& result, std::string_view rule);

/// `gpulint facts`: what was understood of one file, for people and as JSON.
std::string facts_text(const FileReport& file, const LintResult& result,
                       const ReportOptions& options);
std::string facts_json(const FileReport& file, const LintResult& result,
                       const ReportOptions& options);

/// `gpulint runs`: which files make one run, and who wins.
std::string runs_text(const LintResult& result, const ReportOptions& options);
std::string runs_json(const LintResult& result);

/// `gpulint estimate`: one file on one or more targets (the same file, linted once for each).
std::string estimate_text(const FileReport& file, const ReportOptions& options);
/// The same config on several GPUs, one line each.
std::string fleet_text(std::span<const FileReport> files);
std::string estimate_json(std::span<const FileReport> files);

/// `gpulint list …` and `gpulint explain`: what the catalog holds.
std::string list_text(const Listing& listing);
std::string list_json(const Listing& listing);
std::string explain_text(const Rule& rule, const RuleManual& manual);
std::string explain_json(const Rule& rule, const RuleManual& manual);
/// A rule that is built in, as a file of rules/ would describe it. `rule` must outlive the texts.
std::pair<Rule, RuleManual> described(const OwnRule& rule);
/// Of the files of knowledge/ and hardware_db/architectures: "" for another topic.
std::string list_knowledge_text(const Listing& listing);

}  // namespace gpulint
