#include "lint/composed_runs.h"

#include "base/text.h"
#include "launch/carried_commands.h"
#include "lint/group_choices.h"
#include "lint/plan_linter.h"
#include "source/data_files.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gpulint {
namespace {

constexpr std::size_t kMostRuns = 16;
constexpr std::size_t kMostCandidates = 64;  // configs of a folder and of those around it
constexpr std::size_t kMostBytes = std::size_t{256} << 10;

/// As a name of its own: "5b" is not in "1.5b".
bool mentions(std::string_view text, std::string_view name) {
  const auto goes_on = [](char c) { return is_name_part(c) || c == '-' || c == '.'; };
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || !goes_on(text[at - 1]);
    // What follows a dot is an ending.
    if (begins && (end == text.size() || !goes_on(text[end]) || text[end] == '.')) return true;
  }
  return false;
}

/// A config that names others, and this one among them.
bool may_read(const LintShared& shared, const std::string& path, std::string_view stem) {
  const auto text = shared.files.text(path, kMostBytes);
  if (!text || text->text.find(stem) == std::string::npos) return false;
  const RunFile* file = shared.files.open(path);
  return file->document && !shared.session.base_keys().in(*file->document).empty();
}

/// In the folders around the file up to the project's root, the nearest first.
std::vector<std::string> candidates(const LintShared& shared, const FileTask& task) {
  const std::string name(file_name(task.path));
  const std::string stem = name.substr(0, name.rfind('.'));
  std::vector<std::string> found;
  std::size_t asked = 0;
  std::string folder(parent_path(task.path));
  while (true) {
    const auto entries = shared.files.reader().list(folder.empty() ? "." : folder);
    if (!entries) return found;
    for (const DirectoryEntry& entry : *entries) {
      if (entry.kind != FileKind::regular || !is_yaml_file_name(entry.name)) continue;
      const std::string path = normalize_path(join_path(folder, entry.name));
      if (path == task.path) continue;
      if (++asked > kMostCandidates) return found;
      if (may_read(shared, path, stem)) found.push_back(path);
    }
    if (folder.empty() || folder == "." || folder == task.root) return found;
    folder = std::string(parent_path(folder));
  }
}

/// The folder of the file, the folders around it, and all below the outermost of them that is
/// named for configs.
std::vector<std::string> wide_candidates(const LintShared& shared, const FileTask& task) {
  constexpr std::size_t kMostFolders = 100;
  constexpr std::size_t kMostFiles = 512;
  std::vector<std::string> folders;
  std::string top;
  for (std::string folder(parent_path(task.path));; folder = std::string(parent_path(folder))) {
    folders.push_back(folder.empty() ? "." : folder);
    const std::string_view name = file_name(folder);
    if (name.starts_with("conf") || name == "recipes") top = folder;
    if (folder.empty() || folder == "." || folder == task.root) break;
  }
  const std::string stem(stem_of(task.path));
  std::vector<std::string> found;
  std::size_t files = 0;
  for (std::size_t i = 0; i < folders.size() && i < kMostFolders; ++i) {
    const std::string folder = folders[i];
    const auto entries = shared.files.reader().list(folder);
    if (!entries) continue;
    const bool is_below = !top.empty() && (folder == top || folder.starts_with(top + "/"));
    for (const DirectoryEntry& entry : *entries) {
      const std::string path = normalize_path(join_path(folder, entry.name));
      if (entry.kind == FileKind::directory && is_below &&
          std::find(folders.begin(), folders.end(), path) == folders.end())
        folders.push_back(path);
      const bool is_config = entry.kind == FileKind::regular && path != task.path &&
                             (is_data_file_name(entry.name) || extension(entry.name) == "py");
      if (!is_config) continue;
      if (++files > kMostFiles) return found;
      const auto text = shared.files.text(path, kMostBytes);
      if (text && mentions(text->text, stem)) found.push_back(path);
    }
  }
  return found;
}

/// The run of `document` where it reads the file, by what configs say of each other: the code of
/// the project, which takes longer to read, names no further ones.
std::optional<Run> run_that_reads(const LintShared& shared, const FileTask& task,
                                  const std::string& path, const Document& document) {
  LintShared without_code = shared;
  without_code.code = nullptr;
  Run run = run_of(without_code, task, document);
  const std::vector<std::string> read = paths_of(run);
  if (std::find(read.begin(), read.end(), path) == read.end()) return std::nullopt;
  return run;
}

/// Of one file.
std::vector<std::string> readers_of(const LintShared& shared, const FileTask& task) {
  constexpr std::size_t kMostMentions = 64;
  std::vector<std::string> readers;
  std::size_t asked = 0;
  for (const std::string& path : wide_candidates(shared, task)) {
    if (++asked > kMostMentions) return {};
    const RunFile* file = shared.files.open(path);
    if (!file->document) continue;
    FileTask other = task;
    other.path = path;
    std::optional<Run> run = run_that_reads(shared, other, task.path, *file->document);
    if (!run) continue;
    if (run->recognition().dialect == nullptr) run = run_of(shared, other, *file->document);
    const Dialect* dialect = run->recognition().dialect;
    if (dialect == nullptr || dialect->supplement) continue;
    if (readers.size() == kMostRuns) return {};
    readers.push_back(path);
  }
  return readers;
}

}  // namespace

std::vector<std::string> readers_of_named(const LintShared& shared,
                                          const std::vector<FileTask>& tasks,
                                          const StatedRuns& stated) {
  constexpr std::size_t kMostNamed = 64;  // of more the folder would be linted
  std::vector<std::string> found;
  std::size_t named = 0;
  for (const FileTask& task : tasks) {
    if (!task.named || may_be_script(task.path) || ++named > kMostNamed) continue;
    for (std::string& path : readers_of(shared, task)) found.push_back(std::move(path));
    for (const std::vector<std::string>& run : stated) {
      const bool is_of_run = std::any_of(run.begin(), run.end(), [&](const std::string& path) {
        return normalize_path(path) == task.path;
      });
      if (is_of_run) found.push_back(naming_config(shared, run));
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::erase_if(found, [&](const std::string& path) {
    return path.empty() || std::any_of(tasks.begin(), tasks.end(),
                                       [&](const FileTask& task) { return task.path == path; });
  });
  return found;
}

std::vector<Run> runs_around(const LintShared& shared, const FileTask& task) {
  std::vector<Run> runs;
  for (const std::string& path : candidates(shared, task)) {
    const Document& document = *shared.files.open(path)->document;
    if (!run_that_reads(shared, task, task.path, document)) continue;
    Run run = run_of(shared, task, document);
    if (run.recognition().dialect == nullptr) continue;
    if (runs.size() == kMostRuns) return {};
    runs.push_back(std::move(run));
  }
  return runs;
}

std::vector<Run> runs_laid_over(const LintShared& shared, const FileTask& task) {
  std::vector<Run> runs;
  const auto own = shared.files.text(task.path, kMostBytes);
  if (!own || !lies_over_all(own->text)) return runs;
  const RunFile* option_file = shared.files.open(task.path);
  const std::string option = without_yaml_ending(file_name(task.path));
  std::string group;
  std::size_t asked = 0;
  for (std::string folder(parent_path(task.path)); !folder.empty() && folder != task.root;) {
    group = std::string(file_name(folder)) + (group.empty() ? "" : "/" + group);
    folder = std::string(parent_path(folder));
    const auto entries = shared.files.reader().list(folder.empty() ? "." : folder);
    if (!entries) return runs;
    for (const DirectoryEntry& entry : *entries) {
      if (entry.kind != FileKind::regular || extension(entry.name) != "yaml") continue;
      if (++asked > kMostCandidates) return runs;
      const RunFile* file = shared.files.open(normalize_path(join_path(folder, entry.name)));
      if (!file->document) continue;
      const std::vector<GroupChoice> choices = group_choices(*file->document, folder);
      if (choices.empty()) continue;
      if (option_file->document && chooses_again(*option_file->document, choices)) continue;
      const std::pair<std::string, std::string> chosen(group, option);
      RunCommand command;
      command.chosen = {&chosen, 1};
      Run run = run_of(shared, task, *file->document, &command);
      const std::vector<std::string> read = paths_of(run);
      const bool reads_it = std::find(read.begin(), read.end(), task.path) != read.end();
      if (!reads_it || run.recognition().dialect == nullptr || run.code().is_idle) continue;
      if (runs.size() == kMostRuns) return {};
      runs.push_back(std::move(run));
    }
    if (!runs.empty()) return runs;  // the nearest
  }
  return runs;
}

}  // namespace gpulint
