// `gpulint runs`: which files make one run.

#include "cli/commands.h"
#include "cli/lint_request.h"
#include "cli/output.h"
#include "lint/lint.h"
#include "report/report.h"

namespace gpulint::cli {

int runs(const Arguments& arguments, Session& session) {
  auto request = lint_request(arguments, session);
  if (!request) {
    print_error(request.error());
    return kUsage;
  }
  request->options.keep_plans = true;
  const SessionView view = session.now();
  const LintResult result = lint(view, *request);
  if (print_errors(result)) return kUsage;
  const bool written =
      write_outputs(arguments, [&](const OutputFormat& format, const ReportOptions& options) {
        return format.runs(result, options);
      });
  return written ? kClean : kUsage;
}

}  // namespace gpulint::cli
