#include "lint/runs.h"

#include "base/system_path.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "lint/folders.h"
#include "plan/fact_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace gpulint {
namespace {

FileTask* find_task(std::vector<FileTask>& tasks, const std::string& path) {
  const auto found = std::lower_bound(
      tasks.begin(), tasks.end(), path,
      [](const FileTask& task, const std::string& wanted) { return task.path < wanted; });
  return found != tasks.end() && found->path == path ? &*found : nullptr;
}

/// The config that names a run: the first that is not a supplement of another.
const std::string* main_of(const LintShared& shared, const std::vector<std::string>& paths) {
  const std::string* first = nullptr;
  for (const std::string& path : paths) {
    const RunFile* file = shared.files.open(path);
    if (!file->document) continue;
    const Recognition found = recognise(*file->document, shared.session.catalog().dialects());
    if (found.dialect != nullptr && !found.dialect->supplement) return &path;
    if (first == nullptr) first = &path;
  }
  return first;
}

}  // namespace

std::string ProjectRoots::of(const FileTask& task) {
  std::string root = repository_of(folder_of(task.path));
  if (!root.empty()) return root;
  if (task.project != nullptr) return task.project->folder;
  return outermost(task);
}

std::string ProjectRoots::repository_of(const std::string& folder) {
  std::vector<std::string> asked;
  std::string root;
  for (std::string at = folder; !at.empty(); at = parent_folder(reader_, at)) {
    if (const auto known = repositories_.find(at); known != repositories_.end()) {
      root = known->second;
      break;
    }
    asked.push_back(at);
    if (is_repository_root(reader_, at)) {
      root = at;
      break;
    }
  }
  for (std::string& each : asked) repositories_.emplace(std::move(each), root);
  return root;
}

std::string ProjectRoots::outermost(const FileTask& task) const {
  if (!is_absolute(task.path) && !task.path.starts_with("../")) return ".";
  for (const std::string& given : request_.paths) {
    const std::string path = normalize_path(given);
    if (task.path.starts_with(path + "/")) return path;
  }
  return folder_of(task.path);
}

std::vector<std::string> paths_with_runs(const LintRequest& request) {
  std::vector<std::string> paths = request.paths;
  for (const std::vector<std::string>& run : request.runs) {
    paths.insert(paths.end(), run.begin(), run.end());
  }
  return paths;
}

StatedRuns stated_runs(const std::vector<FileTask>& tasks) {
  std::vector<const ProjectFile*> projects;
  StatedRuns runs;
  for (const FileTask& task : tasks) {
    if (task.project == nullptr || task.project->config.runs.empty() ||
        std::find(projects.begin(), projects.end(), task.project) != projects.end())
      continue;
    projects.push_back(task.project);
    for (const std::vector<std::string>& run : task.project->config.runs) {
      std::vector<std::string>& paths = runs.emplace_back();
      for (const std::string& path : run) paths.push_back(join_path(task.project->folder, path));
    }
  }
  return runs;
}

std::string naming_config(const LintShared& shared, const std::vector<std::string>& run) {
  std::vector<std::string> paths;
  for (const std::string& path : run) paths.push_back(normalize_path(path));
  const std::string* main = main_of(shared, paths);
  return main == nullptr ? std::string() : *main;
}

void join_by_hand(const LintShared& shared, const StatedRuns& runs, std::vector<FileTask>& tasks,
                  std::vector<Error>& errors) {
  for (const std::vector<std::string>& run : runs) {
    std::vector<std::string> paths;
    for (const std::string& path : run) paths.push_back(normalize_path(path));
    const std::string* main = main_of(shared, paths);
    FileTask* task = main == nullptr ? nullptr : find_task(tasks, *main);
    if (task == nullptr) continue;  // what cannot be read was said already
    if (!task->beside.empty()) {
      errors.push_back(
          {.message = "names two runs; join each with a config of its own", .file = *main});
      continue;
    }
    for (const std::string& path : paths) {
      if (path != *main) task->beside.push_back(path);
    }
  }
}

namespace {

/// Whether the file is an option of a config group of the run and says nothing of a run by itself:
/// it chooses no options, as experiments do.
bool is_option_of(const FileOutcome& option, const FileOutcome& run) {
  const FileReport& report = option.report;
  if (report.state != FileState::linted) return false;
  if (!report.variant_of.empty() || !option.group_folders.empty()) return false;
  const std::string_view folder = parent_path(report.path);
  return std::find(run.group_folders.begin(), run.group_folders.end(), folder) !=
         run.group_folders.end();
}

/// The options that a config's groups could choose and do not are no runs either.
void leave_options_to_their_configs(std::vector<FileOutcome>& outcomes) {
  std::vector<const FileOutcome*> composed;
  for (const FileOutcome& outcome : outcomes) {
    const bool is_run = !outcome.report.dialect.empty() && outcome.report.part_of.empty();
    if (is_run && !outcome.group_folders.empty()) composed.push_back(&outcome);
  }
  for (FileOutcome& outcome : outcomes) {
    if (!outcome.report.part_of.empty() || outcome.report.dialect.empty()) continue;
    for (const FileOutcome* run : composed) {
      if (run != &outcome && is_option_of(outcome, *run))
        outcome.report.part_of.push_back(run->report.path);
    }
  }
}

}  // namespace

void leave_parts_to_their_runs(std::vector<FileOutcome>& outcomes) {
  std::map<std::string, FileOutcome*> by_path;
  for (FileOutcome& outcome : outcomes) by_path.emplace(outcome.report.path, &outcome);
  for (const FileOutcome& outcome : outcomes) {
    if (outcome.report.state != FileState::linted || outcome.report.dialect.empty()) continue;
    for (const std::string& path : outcome.report.reads) {
      const auto part = by_path.find(path);
      if (part == by_path.end() || part->second == &outcome) continue;
      if (path == outcome.report.variant_of) continue;  // judged as the run it names, too
      // Of files that include each other, the first is the run.
      if (contains(outcome.report.part_of, path)) continue;
      part->second->report.part_of.push_back(outcome.report.path);
    }
  }
  leave_options_to_their_configs(outcomes);
  for (FileOutcome& outcome : outcomes) {
    FileReport& report = outcome.report;
    if (report.part_of.empty()) continue;
    const std::string more =
        report.part_of.size() == 1 ? "" : fmt::format(" and {} more", report.part_of.size() - 1);
    report.reason = fmt::format("a part of {}{}", report.part_of.front(), more);
    report.plans.clear();
    outcome.learning.reset();
    if (report.state == FileState::linted && !report.dialect.empty()) {
      outcome.findings.resize(std::min(outcome.findings.size(), outcome.text_findings));
    }
  }
}

void keep_what_bears(LintResult& result, const std::vector<std::string>& readers) {
  const auto is_reader = [&](const std::string& path) { return contains(readers, path); };
  std::set<FileId> asked;
  for (std::size_t i = 0; i < result.files.size(); ++i) {
    if (!is_reader(result.files[i].path)) asked.insert(static_cast<FileId>(i));
  }
  const auto bears = [&](const Finding& finding) {
    return asked.count(finding.span.file) != 0 ||
           std::any_of(
               finding.related.begin(), finding.related.end(),
               [&](const RelatedPlace& place) { return asked.count(place.span.file) != 0; });
  };
  std::erase_if(result.findings, [&](const Finding& finding) { return !bears(finding); });
  std::erase_if(result.suppressed,
                [&](const SuppressedFinding& each) { return !bears(each.finding); });
}

void for_each_span(Finding& finding, const std::function<void(SourceSpan&)>& visit) {
  visit(finding.span);
  for (RelatedPlace& place : finding.related) visit(place.span);
  if (!finding.fix) return;
  for (Edit& edit : finding.fix->edits) visit(edit.span);
}

void for_each_span(Plan& plan, const std::function<void(SourceSpan&)>& visit) {
  for (CodePath& path : plan.code_paths) visit(path.span);
  for (const FactRow& row : fact_table()) {
    std::visit(
        [&](auto member) {
          auto& fact = plan.facts.*member;
          if (!fact) return;
          visit(fact->from.span);
          visit(fact->from.key_span);
        },
        row.member);
  }
  for (Observation& item : plan.observations) {
    visit(item.span);
    visit(item.other);
  }
}

void renumber(LintResult& result, const std::vector<FileId>& ids) {
  const auto rename = [&](SourceSpan& span) {
    if (span.file < ids.size()) span.file = ids[span.file];
  };
  for (Finding& finding : result.findings) for_each_span(finding, rename);
  for (SuppressedFinding& each : result.suppressed) {
    for_each_span(each.finding, rename);
    rename(each.by);
  }
  for (FileReport& file : result.files) {
    for (PlanReport& plan : file.plans) {
      if (plan.plan) for_each_span(*plan.plan, rename);
    }
  }
}

void sort_suppressed(std::vector<SuppressedFinding>& suppressed) {
  std::stable_sort(suppressed.begin(), suppressed.end(),
                   [](const SuppressedFinding& a, const SuppressedFinding& b) {
                     return a.finding.span < b.finding.span;
                   });
}

}  // namespace gpulint
