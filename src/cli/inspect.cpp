// `gpulint facts` and `gpulint estimate`: one config, looked at closely.

#include "base/text.h"
#include "cli/commands.h"
#include "cli/lint_request.h"
#include "cli/output.h"
#include "lint/lint.h"
#include "report/report.h"
#include "report/why.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace gpulint::cli {
namespace {

Result<LintRequest> inspect_request(const Arguments& arguments, Session& session) {
  auto request = lint_request(arguments, session);
  if (request) request->options.keep_plans = true;
  return request;
}

/// Files joined to a run by hand are shown in its facts, not for themselves.
LintResult lint_one(const SessionView& session, const LintRequest& request) {
  LintResult result = lint(session, request);
  std::erase_if(result.files, [](const FileReport& file) { return !file.part_of.empty(); });
  return result;
}

/// What keeps a result from being shown, printed; kClean when there is one config to show. A config
/// that cannot be parsed has findings instead of facts.
int refuse(const LintResult& result) {
  if (print_errors(result)) return kUsage;
  if (result.files.size() != 1) {
    print_error("name one config, not a folder");
    return kUsage;
  }
  const FileReport& file = result.files.front();
  if (file.state == FileState::linted && file.dialect.empty()) {
    print_error(finding_lines(result, false));
    return kFindings;
  }
  return kClean;
}

/// A file that only adds to runs of other files (a launcher's settings, a DeepSpeed JSON) has no
/// memory and no time of its own.
bool only_adds(const FileReport& file, const SessionView& session) {
  const std::vector<Dialect>& dialects = session.catalog().dialects();
  const auto dialect = std::find_if(dialects.begin(), dialects.end(),
                                    [&](const Dialect& each) { return each.id == file.dialect; });
  return dialect != dialects.end() && dialect->supplement &&
         std::none_of(file.plans.begin(), file.plans.end(),
                      [](const PlanReport& plan) { return counts_network(plan.estimate); });
}

int refuse_part(const FileReport& file) {
  print_error(
      fmt::format("{0}: adds to a run that another file describes ({1}); name both: gpulint "
                  "estimate --run CONFIG,{0}",
                  file.path, file.dialect));
  return kUsage;
}

}  // namespace

int facts(const Arguments& arguments, Session& session) {
  const auto request = inspect_request(arguments, session);
  if (!request) {
    print_error(request.error());
    return kUsage;
  }
  const LintResult result = lint_one(session, *request);
  if (const int code = refuse(result); code != kClean) return code;
  const FileReport& file = result.files.front();
  if (!arguments.why.empty() && why_of(file, result, arguments.why).empty()) {
    print_error(
        fmt::format("{}: no key \"{}\", and no fact of this name is known; --unread lists all "
                    "keys that state no fact",
                    file.path, escape_for_display(arguments.why)));
    return kUsage;
  }
  const bool written =
      write_outputs(arguments, [&](const OutputFormat& format, const ReportOptions& options) {
        return format.facts(file, result, options);
      });
  return written ? kClean : kUsage;
}

int estimate(const Arguments& arguments, Session& session) {
  auto request = inspect_request(arguments, session);
  if (!request) {
    print_error(request.error());
    return kUsage;
  }
  std::vector<std::optional<std::string>> targets(arguments.gpus.begin(), arguments.gpus.end());
  if (targets.empty()) targets.emplace_back();
  request->options.suppose = true;
  std::vector<FileReport> files;
  for (std::optional<std::string>& gpu : targets) {
    request->options.gpu = std::move(gpu);
    LintResult result = lint_one(session, *request);
    if (const int code = refuse(result); code != kClean) return code;
    if (only_adds(result.files.front(), session)) return refuse_part(result.files.front());
    files.push_back(std::move(result.files.front()));
  }
  const bool written =
      write_outputs(arguments, [&](const OutputFormat& format, const ReportOptions& options) {
        return format.estimate(files, options);
      });
  return written ? kClean : kUsage;
}

}  // namespace gpulint::cli
