#include "lint/job_output.h"

#include "base/system_path.h"
#include "base/text.h"
#include "launch/directives.h"
#include "lint/folders.h"
#include "plan/private_files.h"
#include "plan/run_paths.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace gpulint {
namespace {

constexpr std::size_t kMostPageBytes = 262'144;  // of a file that may make the folder

/// A line makes the folder: `mkdir -p logs`, `os.makedirs("logs")`.
bool makes(std::string_view text, std::string_view folder) {
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t at = std::min(line.find("mkdir"), line.find("makedirs"));
    if (at == line.npos || trim(line).starts_with('#')) continue;
    const std::string_view behind = line.substr(at);
    for (std::size_t found = behind.find(folder); found != behind.npos;
         found = behind.find(folder, found + 1)) {
      const std::size_t end = found + folder.size();
      const bool ends = end == behind.size() || !is_name_part(behind[end]);
      if (ends && !is_name_part(behind[found - 1])) return true;
    }
  }
  return false;
}

/// Whoever reads the project is told to make the folder, or runs something that makes it: a file of
/// the script's folder or of one around it, other than a job that comes too late itself.
bool is_made_elsewhere(const LintShared& shared, const FileTask& task, std::string_view folder,
                       const std::string& mark) {
  constexpr std::array<std::string_view, 6> kKinds = {"sh", "md", "py", "txt", "rst", "bash"};
  const FileReader& reader = shared.files.reader();
  std::string around = folder_of(task.path);
  for (;;) {
    const auto entries = reader.list(around.empty() ? "." : around);
    for (const DirectoryEntry& each : entries ? *entries : std::vector<DirectoryEntry>()) {
      const bool is_of_kind =
          std::find(kKinds.begin(), kKinds.end(), extension(each.name)) != kKinds.end() ||
          each.name == "Makefile";
      if (each.kind != FileKind::regular || !is_of_kind) continue;
      const auto text = reader.read(join_path(around, each.name), kMostPageBytes);
      if (text && makes(*text, folder) && text->find("\n" + mark) == text->npos) return true;
    }
    if (around == task.root || around.empty() || around == ".") return false;
    around = std::string(parent_path(around));
  }
}

/// Written out, and relative: it is looked for where the job is submitted.
bool is_of_project(std::string_view folder) {
  return !folder.empty() && folder != "." && !is_absolute(folder) && !folder.starts_with("..") &&
         folder.find_first_of("~$%{<") == folder.npos;
}

bool is_there(const LintShared& shared, const FileTask& task, const std::string& folder) {
  return !find_around(shared.files, task.root, task.path, folder, FileKind::directory).path.empty();
}

}  // namespace

void observe_job_output(const LintShared& shared, const FileTask& task, std::string_view text,
                        std::vector<Observation>& observations) {
  if (shared.code == nullptr) return;
  const auto launchers = shared.session.catalog().all_described<Launcher>();
  Observation first;
  for (const auto& [launcher, tree] : directive_flags(launchers, shell_directives(text))) {
    for (const FlagNode& node : tree.nodes()) {
      const auto is_it = [&](const std::string& each) { return same_flag(each, node.name); };
      if (std::none_of(launcher->opens.begin(), launcher->opens.end(), is_it)) continue;
      if (node.items.size() != 1 || !node.items.front().known()) continue;
      const ShellText& path = node.items.front();
      if (path.origins.empty()) continue;
      const auto [begin, last] = std::minmax_element(path.origins.begin(), path.origins.end());
      if (*last >= text.size() || (!first.list.empty() && first.span.begin < *begin)) continue;
      const std::string folder = normalize_path(std::string(parent_path(path.bytes)));
      if (!is_of_project(folder) || is_there(shared, task, folder) || !makes(text, folder) ||
          is_made_elsewhere(shared, task, folder, launcher->directives.front()))
        continue;
      first.list = "unmade_folders";
      first.span = {task.id, *begin, *last + 1};
      first.name = path.bytes;
      first.value = folder;
      first.detail = launcher->id;
    }
  }
  if (!first.list.empty()) observations.push_back(std::move(first));
}

}  // namespace gpulint
