#include "lint/composed_runs.h"

#include "base/text.h"
#include "lint/plan_linter.h"

#include <algorithm>
#include <string>
#include <utility>

namespace gpulint {
namespace {

constexpr std::size_t kMostRuns = 16;
constexpr std::size_t kMostCandidates = 64;  // configs of a folder and of those around it
constexpr std::size_t kMostBytes = std::size_t{256} << 10;

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
      const std::string ending = extension(entry.name);
      if (entry.kind != FileKind::regular || (ending != "yaml" && ending != "yml")) continue;
      const std::string path = normalize_path(join_path(folder, entry.name));
      if (path == task.path) continue;
      if (++asked > kMostCandidates) return found;
      if (may_read(shared, path, stem)) found.push_back(path);
    }
    if (folder.empty() || folder == "." || folder == task.root) return found;
    folder = std::string(parent_path(folder));
  }
}

}  // namespace

std::vector<Run> runs_around(const LintShared& shared, const FileTask& task) {
  std::vector<Run> runs;
  for (const std::string& path : candidates(shared, task)) {
    Run run = run_of(shared, task, *shared.files.open(path)->document);
    const std::vector<std::string> read = paths_of(run);
    const bool reads_it = std::find(read.begin(), read.end(), task.path) != read.end();
    if (!reads_it || run.recognition().dialect == nullptr) continue;
    if (runs.size() == kMostRuns) return {};
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace gpulint
