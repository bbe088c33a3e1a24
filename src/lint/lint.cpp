#include "lint/lint.h"

#include "base/text.h"
#include "finding/order.h"
#include "finding/own_rules.h"
#include "launch/carried_commands.h"
#include "lint/composed_runs.h"
#include "lint/file_linter.h"
#include "lint/launch_index.h"
#include "lint/parallel.h"
#include "lint/programs.h"
#include "lint/project_code.h"
#include "lint/project_files.h"
#include "lint/recordings.h"
#include "lint/runs.h"
#include "lint/several_projects.h"
#include "lint/started_runs.h"
#include "lint/suppress.h"
#include "lint/tasks.h"
#include "lint/twins.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <utility>

namespace gpulint {
namespace {

/// Recipes are a few kB.
constexpr std::size_t kMaxSiblingBytes = std::size_t{256} << 10;

std::vector<std::string> paths_of(const std::vector<FileTask>& tasks) {
  std::vector<std::string> paths;
  for (const FileTask& task : tasks) paths.push_back(task.path);
  return paths;
}

void attach_project(const FileReader& files, ProjectFiles& projects, FileTask& task) {
  task.project = projects.governing(folder_of(task.path));
  if (task.project != nullptr) {
    task.relative = relative_path(files, task.project->folder, task.path);
  }
}

/// All of a run while it is being put together.
class LintRun {
 public:
  LintRun(const SessionView& session, const LintRequest& request, ProjectCode& code,
          std::vector<FileTask> tasks)
      : session_(session),
        request_(request),
        reader_(session.files()),
        tasks_(std::move(tasks)),
        projects_(reader_, session.catalog(), static_cast<FileId>(tasks_.size())),
        roots_(reader_, request),
        files_(reader_, request.options.limits, paths_of(tasks_), &session.parsed()),
        code_(code.files),
        launches_(code.trees),
        networks_(session_) {
    result_.keeps = session.keeps();
    for (FileTask& task : tasks_) {
      attach(task);
      if (may_be_script(task.path)) launches_.leave_out(task.path);
    }
    code_.follow_networks(has_targets());
    join_by_hand(shared_, request.runs, tasks_, result_.errors);
    if (request.runs.empty()) {
      stated_ = stated_runs(tasks_);
      join_by_hand(shared_, stated_, tasks_, result_.errors);
    }
  }

  /// Configs that are not linted and whose runs read a file that somebody named: what is right or
  /// wrong in it, they decide.
  std::vector<std::string> readers() const {
    if (request_.options.keep_plans || request_.only || !request_.runs.empty()) return {};
    return readers_of_named(shared_, tasks_, stated_);
  }

  LintResult finish() && {
    outcomes_.resize(tasks_.size());
    LintProgress unseen;
    LintProgress& progress = request_.progress == nullptr ? unseen : *request_.progress;
    progress.done = 0;
    progress.files = tasks_.size();
    for_each_index(tasks_.size(), request_.options.jobs, [&](std::size_t i) {
      if (tasks_[i].is_program) return;
      outcomes_[i] = lint_file(shared_, tasks_[i], previous_of(tasks_[i]));
      ++progress.done;
    });
    judge_programs(shared_, tasks_, outcomes_, progress);
    leave_parts_to_their_runs(outcomes_);
    judge_twins();
    collect();
    return std::move(result_);
  }

 private:
  void attach(FileTask& task) {
    attach_project(reader_, projects_, task);
    task.root = roots_.of(task);
  }

  /// Whether somebody names hardware, or asks for estimates without it. What only a config says of
  /// its target comes too late.
  bool has_targets() const {
    const LintOptions& options = request_.options;
    if (options.gpu || options.host || options.keep_plans || !options.fleet.empty()) return true;
    return std::any_of(projects_.files().begin(), projects_.files().end(), names_hardware);
  }

  /// A file's own earlier version says more about its learning rate than a twin does.
  const LearningRateReference* previous_of(const FileTask& task) const {
    const auto previous = request_.previous.find(task.path);
    return previous == request_.previous.end() ? nullptr : &previous->second;
  }

  void judge_twins() {
    std::vector<LearningRun> runs;
    for (const FileOutcome& outcome : outcomes_) {
      if (outcome.learning) runs.push_back(*outcome.learning);
    }
    if (runs.empty()) return;
    read_siblings(runs);
    const auto twins = find_twins(std::move(runs));
    for (const FileTask& task : tasks_) {
      const auto twin = twins.find(task.path);
      if (twin != twins.end()) outcomes_[task.id] = lint_file(shared_, task, &twin->second);
    }
  }

  /// A file named alone gets the verdict it would get with its folder.
  void read_siblings(std::vector<LearningRun>& runs) {
    std::map<std::string, std::vector<double>> rates;  // by folder of named files
    std::set<std::string> linted;
    std::set<std::string> named;
    for (const FileTask& task : tasks_) {
      linted.insert(task.path);
      if (task.named) named.insert(task.path);
    }
    for (const LearningRun& run : runs) {
      if (named.count(run.path) != 0) rates[run.folder].push_back(run.learning_rate);
    }
    for (const auto& [folder, wanted] : rates) {
      for (std::string& path : possible_twins(reader_, folder, linted)) {
        FileTask task{.path = std::move(path)};
        read_sibling(task, wanted, runs);
      }
    }
  }

  void read_sibling(FileTask& task, const std::vector<double>& wanted,
                    std::vector<LearningRun>& runs) {
    const auto text = reader_.read(task.path, kMaxSiblingBytes);
    if (!text || std::none_of(wanted.begin(), wanted.end(),
                              [&](double rate) { return mentions_number(*text, rate); })) {
      return;
    }
    attach(task);
    task.text = &*text;
    task.id = kSiblingIds + static_cast<FileId>(siblings_.size());
    if (auto run = read_learning_run(shared_, task)) {
      runs.push_back(std::move(*run));
      siblings_.push_back(task.path);
    }
  }

  void collect() {
    for (const Error& error : projects_.errors()) result_.errors.push_back(error);
    std::vector<std::string> extras = files_.extra_paths();
    result_.sources.resize(tasks_.size() + projects_.files().size() + extras.size() +
                           siblings_.size());
    for (std::size_t i = 0; i < outcomes_.size(); ++i) collect(i, outcomes_[i]);
    std::size_t next = tasks_.size();
    for (const ProjectFile& project : projects_.files()) {
      result_.sources[next++] = {project.config.path, project.text, LineIndex(project.text)};
    }
    next = name_extras(next, extras);
    sort_and_join(result_.findings);
    suppress();
    leave_out_unselected();
    name_siblings(next);
    keep_texts();
  }

  /// Files met while runs were read get their ids in the order of their paths, whichever thread met
  /// them first.
  std::size_t name_extras(std::size_t first, const std::vector<std::string>& met) {
    if (met.empty()) return first;
    std::vector<std::string> sorted = met;
    std::sort(sorted.begin(), sorted.end());
    std::vector<FileId> ids;
    for (const std::string& path : met) {
      const auto place = std::lower_bound(sorted.begin(), sorted.end(), path) - sorted.begin();
      ids.push_back(static_cast<FileId>(first) + static_cast<FileId>(place));
      result_.sources[ids.back()].path = path;
      if (request_.options.keep_plans) keep_text(ids.back());
    }
    const auto rename = [&](SourceSpan& span) {
      const FileId extra = span.file - RunFiles::kFirstExtraId;
      if (span.file >= RunFiles::kFirstExtraId && extra < ids.size()) span.file = ids[extra];
    };
    for (Finding& finding : result_.findings) for_each_span(finding, rename);
    for (FileReport& file : result_.files) {
      for (PlanReport& plan : file.plans) {
        if (plan.plan) for_each_span(*plan.plan, rename);
      }
    }
    return first + met.size();
  }

  void collect(std::size_t index, FileOutcome& outcome) {
    SourceText& source = result_.sources[index];
    source.path = outcome.report.path;
    source.text = std::move(outcome.text);
    if (!source.text.empty()) source.lines = LineIndex(source.text);
    std::move(outcome.findings.begin(), outcome.findings.end(),
              std::back_inserter(result_.findings));
    if (outcome.error) result_.errors.push_back(std::move(*outcome.error));
    if (const ProjectFile* project = tasks_[index].project) {
      outcome.report.unignorable = project->config.unignorable;
    }
    result_.files.push_back(std::move(outcome.report));
  }

  /// Judged on joined findings: one suppression in a base file answers for all its runs.
  void suppress() {
    std::vector<FileSuppressions> files(result_.sources.size());
    bool any = false;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      files[i] = {std::move(outcomes_[i].suppressions), tasks_[i].project};
    }
    for (const Finding& finding : result_.findings) {
      const FileId id = finding.span.file;
      if (id >= tasks_.size() && id < files.size() && files[id].list.empty()) {
        files[id] = suppressions_of_extra(finding);
      }
    }
    for (const FileSuppressions& file : files) any = any || !file.list.empty();
    if (!any) return;
    apply_suppressions(result_, files, session_.catalog(), request_.today);
    sort_and_join(result_.findings);
  }

  /// After suppressions, so that one of a rule that is left out is not called unused.
  void leave_out_unselected() {
    const LintOptions& options = request_.options;
    const auto left_out = [&](const Finding& finding) {
      if (contains(options.ignore, finding.rule)) return true;
      const bool unread = finding.rule == kSyntaxError || finding.rule == kLimitExceeded;
      return !options.select.empty() && !unread && !contains(options.select, finding.rule);
    };
    std::erase_if(result_.findings, left_out);
    std::erase_if(result_.suppressed,
                  [&](const SuppressedFinding& each) { return left_out(each.finding); });
  }

  /// Of a file that a run refers to and that is not linted itself. What its run's project lets
  /// nothing hide is not hidden here either.
  FileSuppressions suppressions_of_extra(const Finding& finding) {
    FileSuppressions file;
    keep_text(finding.span.file);
    const SourceText& source = result_.sources[finding.span.file];
    const auto document = session_.parsed().read(source.path, source.text, finding.span.file);
    if (document) file.list = read_suppressions(*document);
    for (const FileTask& task : tasks_) {
      const bool runs = std::count(finding.runs.begin(), finding.runs.end(), task.path) != 0;
      if (runs && file.project == nullptr) file.project = task.project;
    }
    return file;
  }

  /// Siblings were read before the number of `.gpulint.yaml` files was known: their ids are set
  /// now.
  void name_siblings(std::size_t first) {
    for (std::size_t i = 0; i < siblings_.size(); ++i) {
      result_.sources[first + i].path = siblings_[i];
    }
    const auto rename = [&](Finding& finding) {
      for (RelatedPlace& place : finding.related) {
        if (place.span.known() && place.span.file >= kSiblingIds) {
          place.span.file += static_cast<FileId>(first) - kSiblingIds;
        }
      }
    };
    for (Finding& finding : result_.findings) rename(finding);
    for (SuppressedFinding& each : result_.suppressed) rename(each.finding);
  }

  /// Findings may point into files that had none of their own.
  void keep_texts() {
    const auto keep = [this](SourceSpan& span) { keep_text(span.file); };
    for (Finding& finding : result_.findings) for_each_span(finding, keep);
    for (SuppressedFinding& each : result_.suppressed) for_each_span(each.finding, keep);
    if (!request_.options.keep_plans) return;
    for (FileReport& file : result_.files) {
      for (PlanReport& plan : file.plans) {
        if (plan.plan) for_each_span(*plan.plan, keep);
      }
    }
  }

  void keep_text(FileId id) {
    if (id >= result_.sources.size()) return;
    SourceText& source = result_.sources[id];
    if (!source.text.empty() || source.path.empty()) return;
    auto text = reader_.read(source.path, request_.options.limits.max_bytes);
    if (!text) return;
    source.text = std::move(*text);
    source.lines = LineIndex(source.text);
  }

  /// Ids of siblings until the end of the run; far above any number of files.
  static constexpr FileId kSiblingIds = 0x80000000U;

  const SessionView& session_;
  const LintRequest& request_;
  const FileReader& reader_;
  LintResult result_;
  std::vector<FileTask> tasks_;
  ProjectFiles projects_;
  ProjectRoots roots_;
  RunFiles files_;
  CodeBase& code_;
  LaunchIndex launches_;
  ProjectNetworks networks_;
  LintShared shared_{session_,   request_,  files_, request_.options.read_code ? &code_ : nullptr,
                     &launches_, &networks_};
  std::vector<FileOutcome> outcomes_;
  std::vector<std::string> siblings_;
  StatedRuns stated_;
};

LintResult lint_share(const ProjectShare& share, const LintRequest& request, ProjectCode& code) {
  LintRun run(share.session, request, code, share.tasks);
  if (!request.readers.empty()) return std::move(run).finish();
  LintRequest wider = request;
  wider.readers = run.readers();
  if (wider.readers.empty()) return std::move(run).finish();
  std::vector<FileTask> tasks = share.tasks;
  for (const std::string& path : wider.readers) tasks.push_back({.path = path});
  sort_and_number(tasks);
  LintResult result = LintRun(share.session, wider, code, std::move(tasks)).finish();
  keep_what_bears(result, wider.readers);
  return result;
}

}  // namespace

LintResult lint(const SessionView& session, const LintRequest& request) {
  std::vector<Error> errors;
  std::size_t programs_left_out = 0;
  ProjectCode code(session);
  const std::vector<ProjectShare> shares =
      shares_of(session, request, list_tasks(session, request, code, errors, programs_left_out));
  std::vector<LintResult> results;
  for (const ProjectShare& share : shares) {
    const std::span<const Error> of_data = share.session.project_data_errors();
    errors.insert(errors.end(), of_data.begin(), of_data.end());
    if (&share.session.catalog() == &session.catalog()) {
      results.push_back(lint_share(share, request, code));
    } else {
      ProjectCode by_own_data(share.session);
      results.push_back(lint_share(share, request, by_own_data));
    }
  }
  LintResult result =
      results.size() == 1 ? std::move(results.front()) : join_results(std::move(results));
  result.errors.insert(result.errors.begin(), errors.begin(), errors.end());
  for (const ProjectShare& share : shares) leave_out_programs(share.tasks, result);
  result.programs_left_out = programs_left_out;
  return result;
}

std::vector<std::string> readers_of(const SessionView& session, const LintRequest& request) {
  std::vector<Error> errors;
  std::size_t programs_left_out = 0;
  ProjectCode code(session);
  std::vector<std::string> found;
  for (const ProjectShare& share :
       shares_of(session, request, list_tasks(session, request, code, errors, programs_left_out))) {
    std::vector<std::string> own = LintRun(share.session, request, code, share.tasks).readers();
    found.insert(found.end(), own.begin(), own.end());
  }
  return found;
}

}  // namespace gpulint
