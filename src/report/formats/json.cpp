#include "report/confirm_report.h"
#include "report/diff_report.h"
#include "report/fit_report.h"
#include "report/format.h"
#include "report/host_report.h"
#include "report/node_report.h"
#include "report/report.h"

namespace gpulint::formats {

extern constinit const OutputFormat json{
    .id = "json",
    .readers = "scripts: one object, schema `gpulint/1`",
    .file_name = "gpulint.json",
    .syntax = Syntax::json,
    .applies_fixes = true,
    .check = findings_json,
    .facts = [](const FileReport& file, const LintResult& result,
                const ReportOptions& options) { return facts_json(file, result, options); },
    .estimate = [](std::span<const FileReport> files,
                   const ReportOptions&) { return estimate_json(files); },
    .fit = [](std::string_view path, std::span<const FitRow> rows,
              const ReportOptions&) { return fit_json(path, rows); },
    .diff = [](const DiffResult& result, const ReportOptions&) { return diff_json(result); },
    .confirm = confirm_json,
    .confirm_host = host_json,
    .confirm_links = node_json,
    .merge = merged_json,
    .runs = [](const LintResult& result, const ReportOptions&) { return runs_json(result); },
    .list = list_json,
    .explain = explain_json,
};

}  // namespace gpulint::formats
