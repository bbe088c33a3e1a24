#include "lint/lint.h"

#include "base/text.h"
#include "finding/order.h"
#include "lint/file_linter.h"
#include "lint/folders.h"
#include "lint/parallel.h"
#include "lint/project_files.h"
#include "lint/twins.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace gpulint {
namespace {

/// A folder with more configs than this is a collection; asking it for twins of one named file
/// would cost more than all the rest.
constexpr std::size_t kMaxSiblings = 64;
/// Recipes are a few kB.
constexpr std::size_t kMaxSiblingBytes = std::size_t{256} << 10;

/// Files in path order: their ids are their places in the list.
std::vector<FileTask> list_tasks(const LintRequest& request, std::vector<Error>& errors) {
  std::vector<FileTask> tasks;
  for (DiscoveredFile& file : discover(*request.reader, request.paths, errors)) {
    tasks.push_back({.path = std::move(file.path), .named = file.named});
  }
  if (request.standard_input) {
    FileTask task{.path = request.standard_input->path, .named = true};
    task.text = &request.standard_input->text;
    std::erase_if(tasks, [&](const FileTask& other) { return other.path == task.path; });
    tasks.push_back(std::move(task));
    std::sort(tasks.begin(), tasks.end(),
              [](const FileTask& a, const FileTask& b) { return a.path < b.path; });
  }
  for (std::size_t i = 0; i < tasks.size(); ++i) tasks[i].id = static_cast<FileId>(i);
  return tasks;
}

void attach_project(const LintRequest& request, ProjectFiles& projects, FileTask& task) {
  task.project = projects.governing(folder_of(task.path));
  if (task.project != nullptr) {
    task.relative = relative_path(*request.reader, task.project->folder, task.path);
  }
}

/// Configs beside `folder`'s named files that could be twins and are not linted themselves.
std::vector<FileTask> sibling_tasks(const LintRequest& request, const std::string& folder,
                                    const std::set<std::string>& linted) {
  std::vector<FileTask> tasks;
  const auto entries = request.reader->list(folder);
  if (!entries) return tasks;
  for (const DirectoryEntry& entry : *entries) {
    const std::string path = join_path(folder, entry.name);
    const bool candidate = entry.kind == FileKind::regular && may_be_config(entry.name);
    if (candidate && linted.count(path) == 0) tasks.push_back({.path = path});
  }
  if (tasks.size() > kMaxSiblings) tasks.clear();
  return tasks;
}

/// All of a run while it is being put together.
class Run {
 public:
  explicit Run(const LintRequest& request)
      : request_(request),
        models_(request.catalog->model_files()),
        tasks_(list_tasks(request, result_.errors)),
        projects_(*request.reader, *request.catalog, static_cast<FileId>(tasks_.size())) {
    for (FileTask& task : tasks_) attach_project(request_, projects_, task);
  }

  LintResult finish() && {
    outcomes_.resize(tasks_.size());
    for_each_index(tasks_.size(), request_.options.jobs, [&](std::size_t i) {
      outcomes_[i] = lint_file(request_, models_, tasks_[i], nullptr);
    });
    judge_twins();
    collect();
    return std::move(result_);
  }

 private:
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
      if (twin != twins.end())
        outcomes_[task.id] = lint_file(request_, models_, task, &twin->second);
    }
  }

  /// A file named alone gets the verdict it would get with its folder.
  void read_siblings(std::vector<LearningRun>& runs) {
    std::map<std::string, std::vector<double>> rates;  // by folder of named files
    std::set<std::string> linted;
    for (const FileTask& task : tasks_) linted.insert(task.path);
    for (const LearningRun& run : runs) {
      if (tasks_[run.span.file].named) rates[run.folder].push_back(run.learning_rate);
    }
    for (const auto& [folder, wanted] : rates) {
      for (FileTask& task : sibling_tasks(request_, folder, linted))
        read_sibling(task, wanted, runs);
    }
  }

  void read_sibling(FileTask& task, const std::vector<double>& wanted,
                    std::vector<LearningRun>& runs) {
    const auto text = request_.reader->read(task.path, kMaxSiblingBytes);
    if (!text || std::none_of(wanted.begin(), wanted.end(),
                              [&](double rate) { return mentions_number(*text, rate); })) {
      return;
    }
    attach_project(request_, projects_, task);
    task.text = &*text;
    task.id = kSiblingIds + static_cast<FileId>(siblings_.size());
    if (auto run = read_learning_run(request_, task)) {
      runs.push_back(std::move(*run));
      siblings_.push_back(task.path);
    }
  }

  void collect() {
    for (const Error& error : projects_.errors()) result_.errors.push_back(error);
    result_.sources.resize(tasks_.size() + projects_.files().size() + siblings_.size());
    for (std::size_t i = 0; i < outcomes_.size(); ++i) collect(i, outcomes_[i]);
    std::size_t next = tasks_.size();
    for (const ProjectFile& project : projects_.files()) {
      result_.sources[next++] = {project.config.path, project.text, LineIndex(project.text)};
    }
    sort_and_join(result_.findings);
    name_siblings(next);
    keep_related_texts();
  }

  void collect(std::size_t index, FileOutcome& outcome) {
    SourceText& source = result_.sources[index];
    source.path = outcome.report.path;
    source.text = std::move(outcome.text);
    if (!source.text.empty()) source.lines = LineIndex(source.text);
    std::move(outcome.findings.begin(), outcome.findings.end(),
              std::back_inserter(result_.findings));
    if (outcome.error) result_.errors.push_back(std::move(*outcome.error));
    result_.files.push_back(std::move(outcome.report));
  }

  /// Siblings were read before the number of `.gpulint.yaml` files was known: their ids are set
  /// now.
  void name_siblings(std::size_t first) {
    for (std::size_t i = 0; i < siblings_.size(); ++i) {
      result_.sources[first + i].path = siblings_[i];
    }
    for (Finding& finding : result_.findings) {
      for (RelatedPlace& place : finding.related) {
        if (place.span.known() && place.span.file >= kSiblingIds) {
          place.span.file += static_cast<FileId>(first) - kSiblingIds;
        }
      }
    }
  }

  /// Findings may point into files that had none of their own.
  void keep_related_texts() {
    for (const Finding& finding : result_.findings) {
      for (const RelatedPlace& place : finding.related) {
        if (place.span.file >= result_.sources.size()) continue;
        SourceText& source = result_.sources[place.span.file];
        if (!source.text.empty()) continue;
        auto text = request_.reader->read(source.path, request_.options.limits.max_bytes);
        if (!text) continue;
        source.text = std::move(*text);
        source.lines = LineIndex(source.text);
      }
    }
  }

  /// Ids of siblings until the end of the run; far above any number of files.
  static constexpr FileId kSiblingIds = 0x80000000U;

  const LintRequest& request_;
  KnownModels models_;
  LintResult result_;
  std::vector<FileTask> tasks_;
  ProjectFiles projects_;
  std::vector<FileOutcome> outcomes_;
  std::vector<std::string> siblings_;
};

}  // namespace

LintResult lint(const LintRequest& request) { return Run(request).finish(); }

}  // namespace gpulint
