#include "cli/ci.h"
#include "cli/commands.h"
#include "cli/lint_request.h"
#include "cli/output.h"
#include "lint/lint.h"
#include "report/outputs.h"
#include "report/report.h"
#include "report/style.h"
#include "report/summary.h"

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace

int check(const Arguments& arguments, const FileReader& reader, const Workspace& workspace) {
  auto request = lint_request(arguments, reader, workspace);
  if (!request) {
    print_error(request.error());
    return kUsage;
  }
  const LintResult result = lint(*request);
  int code = fails(result, arguments.fail_on) ? kFindings : kClean;
  const Surroundings surroundings = surroundings_of_run(result.errors.empty() ? code : kUsage);
  for (const OutputTarget& target : arguments.outputs) {
    const std::string text = report_of(result, arguments, target, workspace.catalog, surroundings);
    if (auto written = write_results(target, text); !written) {
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
