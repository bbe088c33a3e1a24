#include "cli/ci.h"
#include "cli/commands.h"
#include "cli/fix_run.h"
#include "cli/lint_request.h"
#include "cli/output.h"
#include "lint/lint.h"
#include "report/outputs.h"
#include "report/report.h"
#include "report/style.h"
#include "report/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>

namespace gpulint::cli {
namespace {

std::string report_of(const LintResult& result, const Arguments& arguments,
                      const OutputTarget& target, const Catalog& catalog,
                      const Surroundings& surroundings) {
  const ReportOptions options{.color = wants_color(arguments.color, target),
                              .verbose = arguments.verbose,
                              .width = terminal_width()};
  switch (target.format) {
    case OutputFormat::text: {
      std::string text = report_text(result, options);
      if (arguments.explain_silence)
        text += "\n" + silence_text(result, *arguments.explain_silence);
      return text;
    }
    case OutputFormat::concise: {
      std::string text = report_concise(result, options);
      if (arguments.explain_silence) text += silence_text(result, *arguments.explain_silence);
      return text;
    }
    case OutputFormat::json:
      return report_json(result);
    case OutputFormat::jsonl:
      return report_jsonl(result);
    case OutputFormat::sarif:
      return report_sarif(result, catalog, surroundings);
    case OutputFormat::github:
      return report_github(result, surroundings);
    case OutputFormat::gitlab:
      return report_gitlab(result, surroundings);
    case OutputFormat::junit:
      return report_junit(result, surroundings);
    case OutputFormat::checkstyle:
      return report_checkstyle(result, surroundings);
    case OutputFormat::rdjson:
      return report_rdjson(result, surroundings);
    case OutputFormat::markdown:
      return report_markdown(result, surroundings);
  }
  return {};
}

/// Annotations, unless they were asked for and so are written already, and the step's summary.
Result<void> tell_github(const LintResult& result, const Arguments& arguments,
                         const Surroundings& surroundings) {
  const bool asked =
      std::any_of(arguments.outputs.begin(), arguments.outputs.end(),
                  [](const OutputTarget& each) { return each.format == OutputFormat::github; });
  if (!asked && !on_github()) return {};
  if (!asked) print_annotations(report_github(result, surroundings));
  return append_step_summary(report_markdown(result, surroundings));
}

/// A run that looked at nothing is most likely a wrong path.
void note_if_nothing_was_linted(const LintResult& result, bool verbose) {
  const Summary summary = summarize(result);
  if (summary.files != 0 || !result.errors.empty()) return;
  if (result.files.empty()) {
    print_note(
        "no .yaml, .yml, .json or .env file was found (git-ignored ones are left out); name files "
        "or folders that hold them");
  } else {
    print_note(fmt::format("no training config among {}{}",
                           count_of(static_cast<std::int64_t>(result.files.size()), "file"),
                           verbose ? "" : "; --verbose says why"));
  }
}

bool fails(const LintResult& result, const std::optional<Severity>& fail_on) {
  return fail_on && std::any_of(result.findings.begin(), result.findings.end(),
                                [&](const Finding& each) { return each.severity >= *fail_on; });
}

/// Formats whose readers may apply an edit on their own: what they are given must hold.
bool offers_edits(const Arguments& arguments) {
  constexpr std::array kFormats = {OutputFormat::json, OutputFormat::jsonl, OutputFormat::sarif,
                                   OutputFormat::rdjson};
  return std::any_of(
      arguments.outputs.begin(), arguments.outputs.end(), [&](const OutputTarget& target) {
        return std::find(kFormats.begin(), kFormats.end(), target.format) != kFormats.end();
      });
}

/// The findings to report, after whatever was to be fixed.
FixedRun lint_and_fix(const Arguments& arguments, const LintRequest& request) {
  if (arguments.fixes != FixMode::offered) return run_fixes(arguments, request);
  FixedRun run{lint(request)};
  if (offers_edits(arguments)) prove_fixes(request, run.lint);
  return run;
}

/// Standard output belongs to the fixed text where standard input was fixed.
Result<void> write_report(const OutputTarget& target, const std::string& text, bool stdout_taken) {
  if (!stdout_taken || !target.path.empty()) return write_results(target, text);
  std::fwrite(text.data(), 1, text.size(), stderr);
  return {};
}

}  // namespace

int check(const Arguments& arguments, const FileReader& reader, const Workspace& workspace) {
  auto request = lint_request(arguments, reader, workspace);
  if (!request) {
    print_error(request.error());
    return kUsage;
  }
  const FixedRun run = lint_and_fix(arguments, *request);
  const LintResult& result = run.lint;
  if (arguments.fixes == FixMode::diff || arguments.fixes == FixMode::only) {
    return print_errors(result) ? kUsage : run.code;
  }
  int code = std::max(run.code, fails(result, arguments.fail_on) ? kFindings : kClean);
  const bool stdout_taken = arguments.fixes == FixMode::written && request->standard_input;
  const Surroundings surroundings = surroundings_of_run(result.errors.empty() ? code : kUsage);
  for (const OutputTarget& target : arguments.outputs) {
    const std::string text = report_of(result, arguments, target, workspace.catalog, surroundings);
    if (auto written = write_report(target, text, stdout_taken); !written) {
      print_error(written.error());
      code = kUsage;
    }
  }
  if (auto told = tell_github(result, arguments, surroundings); !told) {
    print_error(told.error());
    code = kUsage;
  }
  if (print_errors(result)) code = kUsage;
  note_if_nothing_was_linted(result, arguments.verbose);
  return code;
}

}  // namespace gpulint::cli
