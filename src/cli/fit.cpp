// `gpulint fit`: what of one config fits on which GPU.

#include "catalog/catalog.h"
#include "cli/commands.h"
#include "cli/lint_request.h"
#include "cli/output.h"
#include "lint/lint.h"
#include "lint/target.h"
#include "report/fit_report.h"
#include "run/known_models.h"

#include <optional>
#include <utility>
#include <vector>

namespace gpulint::cli {
namespace {

/// The one plan a config states, or an exit code with its reason printed.
std::optional<LintResult> read_config(const SessionView& session, const LintRequest& request,
                                      int& code) {
  LintResult result = lint(session, request);
  code = kUsage;
  if (print_errors(result)) return std::nullopt;
  if (result.files.size() != 1) {
    print_error("name one config, not a folder");
    return std::nullopt;
  }
  const FileReport& file = result.files.front();
  if (file.plans.empty()) {
    print_error(file.reason.empty() ? "the file states no training run" : file.reason);
    code = kFindings;
    return std::nullopt;
  }
  return result;
}

}  // namespace

int fit(const Arguments& arguments, Session& session) {
  auto request = lint_request(arguments, session);
  if (!request) {
    print_error(request.error());
    return kUsage;
  }
  const SessionView view = session.now();
  request->options.keep_plans = true;
  int code = kClean;
  std::vector<FitRow> rows;
  std::string path;
  const auto add = [&](const PlanReport& plan, const Gpu& gpu, FitDetail detail) {
    const EstimateRequest asked{.run = plan.run->on({&gpu, plan.host}),
                                .measurements = plan.measurements,
                                .headroom = plan.headroom};
    rows.push_back({&gpu, gpulint::fit(asked, detail)});
  };
  std::vector<std::optional<std::string>> targets(arguments.gpus.begin(), arguments.gpus.end());
  const bool matrix = targets.empty();
  if (matrix) targets.emplace_back();
  for (std::optional<std::string>& gpu : targets) {
    request->options.gpu = std::move(gpu);
    const auto result = read_config(view, *request, code);
    if (!result) return code;
    path = result->files.front().path;
    // A file with several phases: the first decides, as the largest of a run.
    const PlanReport& plan = result->files.front().plans.front();
    if (!matrix && plan.gpu != nullptr) add(plan, *plan.gpu, FitDetail::whole);
    if (!matrix) continue;
    for (const Gpu* each : view.catalog().gpus()) {
      if (!each->usable_memory) continue;
      add(plan, arguments.measured ? *with_measured(each, view.measured()) : *each,
          FitDetail::matrix);
    }
  }
  const bool written =
      write_outputs(arguments, [&](const OutputFormat& format, const ReportOptions& options) {
        return format.fit(path, rows, options);
      });
  return written ? kClean : kUsage;
}

}  // namespace gpulint::cli
