#include "base/text.h"
#include "catalog/catalog.h"
#include "cli/add_ignore.h"
#include "cli/baseline.h"
#include "cli/ci.h"
#include "cli/commands.h"
#include "cli/fix_run.h"
#include "cli/git_scope.h"
#include "cli/lint_request.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "lint/lint.h"
#include "lint/target.h"
#include "report/format.h"
#include "report/report.h"
#include "report/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace gpulint::cli {
namespace {

/// Annotations, unless they were asked for and so are written already, and the step's summary.
Result<void> tell_github(const LintResult& result, const Arguments& arguments,
                         const Catalog& catalog, const Surroundings& surroundings) {
  const OutputFormat* annotations = find_format("github");
  const bool asked =
      std::any_of(arguments.outputs.begin(), arguments.outputs.end(),
                  [&](const OutputTarget& each) { return each.format == annotations; });
  if (!asked && !on_github()) return {};
  const FindingsReport report{result, catalog, surroundings, {}};
  if (!asked) print_annotations(annotations->check(report));
  return append_step_summary(find_format("markdown")->check(report));
}

/// A run that looked at nothing is most likely a wrong path.
void note_if_nothing_was_linted(const LintResult& result, const Arguments& arguments) {
  const Summary summary = summarize(result);
  if (summary.files != 0 || !result.errors.empty()) return;
  if (arguments.review.uses_git()) {
    print_note("no training config differs");
  } else if (result.files.empty()) {
    print_note(
        "no .yaml, .yml, .json or .env file, and no training script with options or a config, was "
        "found (git-ignored ones are left out); name files or folders that hold them");
  } else {
    print_note(fmt::format("no training config among {}{}",
                           counted(std::ssize(result.files), "file"),
                           arguments.verbose ? "" : "; --verbose says why"));
  }
}

void note_programs_left_out(std::size_t count) {
  if (count == 0) return;
  print_note(fmt::format("{} more {} not looked at; name {} or a folder that holds fewer", count,
                         count == 1 ? "training script was" : "training scripts were",
                         count == 1 ? "it" : "them"));
}

bool fails(const LintResult& result, const std::optional<Severity>& fail_on) {
  return fail_on && std::any_of(result.findings.begin(), result.findings.end(),
                                [&](const Finding& each) { return each.severity >= *fail_on; });
}

/// Readers of a format may apply an edit on their own: what they are given must hold.
bool offers_edits(const Arguments& arguments) {
  return std::any_of(arguments.outputs.begin(), arguments.outputs.end(),
                     [](const OutputTarget& target) { return target.format->applies_fixes; });
}

/// The findings to report, after whatever was to be fixed.
FixedRun lint_and_fix(const Arguments& arguments, const SessionView& session,
                      const LintRequest& request) {
  if (arguments.fixes != FixMode::offered) return run_fixes(arguments, session, request);
  FixedRun run{lint(session, request)};
  if (offers_edits(arguments)) prove_fixes(session, request, run.lint);
  return run;
}

/// Standard output belongs to the fixed text where standard input was fixed.
Result<void> write_report(const OutputTarget& target, const std::string& text, bool stdout_taken) {
  if (!stdout_taken || !target.path.empty()) return write_results(target, for_people(text, target));
  std::fwrite(text.data(), 1, text.size(), stderr);
  return {};
}

/// The GPUs named, or one of each common size.
void add_fleet(LintOptions& options, const Arguments& arguments, const Catalog& catalog) {
  options.keep_plans = true;
  for (const std::string& name : arguments.gpus) options.fleet.push_back(catalog.find_gpu(name));
  if (arguments.gpus.size() > 1) return;
  const GpuFleet* common = catalog.described<GpuFleet>("common");
  if (common == nullptr) return;
  for (const std::string& id : common->gpus) {
    const Gpu* gpu = catalog.gpu(id);
    if (gpu != nullptr && std::count(options.fleet.begin(), options.fleet.end(), gpu) == 0) {
      options.fleet.push_back(gpu);
    }
  }
}

void use_measured(LintOptions& options, std::span<const Gpu> measured) {
  for (const Gpu*& gpu : options.fleet) {
    if (options.use_measured || options.local_gpu == gpu->id) {
      gpu = with_measured(gpu, measured);
    }
  }
}

/// The scope of git laid over a request and the session it is made to.
Result<GitScope> narrow(const Arguments& arguments, SessionView& session, LintRequest& request) {
  if (!arguments.review.uses_git()) return GitScope{};
  if (arguments.review.staged && arguments.fixes != FixMode::offered) {
    return fail("--staged: what is staged cannot be fixed in place; fix the working files");
  }
  auto scope = git_scope(arguments.review);
  if (!scope) return scope;
  if (scope->reader) session = session.behind_buffers(*scope->reader);
  request.only = possibly_touched(session.files(), request, scope->changes);
  return scope;
}

/// Leaves in the result what the command line wants to see of it. Returns the exit code of the
/// ratchet.
Result<int> review(const Arguments& arguments, const FileReader& disk, const SessionView& session,
                   const LintRequest& request, const GitScope& scope, LintResult& result) {
  const FileReader& files = session.files();
  if (arguments.review.uses_git()) keep_touched(result, files, scope.changes, scope.unchanged);
  if (arguments.review.add_ignore) {
    const int code = write_ignores(arguments, session, request, result);
    if (arguments.review.uses_git()) keep_touched(result, files, scope.changes, scope.unchanged);
    return code;
  }
  if (!arguments.review.uses_baseline()) return kClean;
  return use_baseline(arguments.review, disk, files, result);
}

/// "chekc train.yaml" lints a file of that name; where there is none, a command was meant.
std::optional<std::string> mistaken_command(const Arguments& arguments, const FileReader& files) {
  if (arguments.command_named || arguments.paths.empty()) return std::nullopt;
  const std::string& word = arguments.paths.front();
  if (word.find_first_of("./") != std::string::npos || files.kind(word) != FileKind::missing) {
    return std::nullopt;
  }
  std::vector<std::string_view> names{"help", "version"};
  for (const CommandName& each : command_names()) names.push_back(each.name);
  const std::string_view meant = closest(word, names);
  if (meant.empty()) return std::nullopt;
  return fmt::format(
      "\"{}\" is neither a command nor a file (did you mean \"gpulint {}\"?); gpulint help lists "
      "the commands",
      escape_for_display(word), meant);
}

}  // namespace

int check(const Arguments& arguments, const FileReader& disk, Session& session) {
  auto request = lint_request(arguments, session);
  if (!request) {
    print_error(request.error());
    return kUsage;
  }
  SessionView view = session.now();
  if (has_matrix(arguments.outputs)) add_fleet(request->options, arguments, view.catalog());
  use_measured(request->options, view.measured());
  if (const auto slip = mistaken_command(arguments, view.files())) {
    print_error(*slip);
    return kUsage;
  }
  std::optional<ProgressLine> progress(std::in_place, !arguments.quiet);
  request->progress = progress->counts();
  const auto scope = narrow(arguments, view, *request);
  if (!scope) {
    print_error(scope.error());
    return kUsage;
  }
  request->options.keep_undecided = arguments.review.uses_baseline();
  FixedRun run = lint_and_fix(arguments, view, *request);
  progress.reset();
  request->progress = nullptr;
  LintResult& result = run.lint;
  const auto reviewed = review(arguments, disk, view, *request, *scope, result);
  if (!reviewed) {
    print_error(reviewed.error());
    return kUsage;
  }
  if (arguments.fixes == FixMode::diff || arguments.fixes == FixMode::only) {
    return print_errors(result) ? kUsage : run.code;
  }
  int code = std::max({run.code, *reviewed, fails(result, arguments.fail_on) ? kFindings : kClean});
  const bool stdout_taken = arguments.fixes == FixMode::written && standard_input_path(arguments);
  const Surroundings surroundings = surroundings_of_run(result.errors.empty() ? code : kUsage);
  for (const OutputTarget& target : arguments.outputs) {
    const FindingsReport report{result, view.catalog(), surroundings,
                                report_options(arguments, target)};
    const std::string text = target.format->check(report);
    if (auto written = write_report(target, text, stdout_taken); !written) {
      print_error(written.error());
      code = kUsage;
    }
  }
  if (auto told = tell_github(result, arguments, view.catalog(), surroundings); !told) {
    print_error(told.error());
    code = kUsage;
  }
  if (print_errors(result)) code = kUsage;
  if (!arguments.quiet) note_if_nothing_was_linted(result, arguments);
  if (!arguments.quiet) note_programs_left_out(result.programs_left_out);
  return code;
}

}  // namespace gpulint::cli
