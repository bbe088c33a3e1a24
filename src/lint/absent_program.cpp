#include "lint/absent_program.h"

#include "base/system_path.h"
#include "base/text.h"
#include "lint/named_program.h"
#include "plan/private_files.h"

#include <algorithm>
#include <string>

namespace gpulint {
namespace {

/// Where a command names a program by a path that no file of the project ends with, though the
/// folder is there: the files of that name. A path from a folder that nobody knows says nothing.
std::vector<std::string> programs_elsewhere(const LintShared& shared, const FileTask& task,
                                            std::string_view text, const Launch& launch) {
  const std::string name = plain_path(launch);
  const std::size_t slash = name.find('/');
  // Where the script is started nobody knows, and that is right from some folder or from none.
  const bool stays = launch.folder.size() <= 1 && text.find("cd ") == text.npos;
  const bool is_here = (stays || launch.folder.known()) && !launch.script.empty();
  if (slash == name.npos || !is_here || text.find("git clone") != text.npos) return {};
  const std::string top = normalize_path(join_path(task.root, name.substr(0, slash)));
  bool has_folder = false;
  std::vector<std::string> found;
  for (const std::string& path : shared.code->python_files(task.root, "")) {
    if (path == name || path.ends_with("/" + name)) return {};
    has_folder = has_folder || path.starts_with(top + "/");
    if (file_name(path) == file_name(name)) found.push_back(path);
  }
  if (!has_folder) found.clear();
  const std::string here = normalize_path(join_path(task.root, name));
  if (!found.empty() && may_be_private(shared.files.reader(), here)) found.clear();
  return found;
}

}  // namespace

void observe_absent_program(const LintShared& shared, const FileTask& task, std::string_view text,
                            const StartedRun& started, std::vector<Observation>& observations) {
  const Launch& launch = *started.launch;
  if (shared.code == nullptr || !started.program.empty()) return;
  const std::vector<std::string> elsewhere = programs_elsewhere(shared, task, text, launch);
  if (elsewhere.empty()) return;
  // A part of the path may be a variable's; what stands in a file that is sourced is told there.
  const auto [first, last] =
      std::minmax_element(launch.script.origins.begin(), launch.script.origins.end());
  if (*last >= text.size()) return;
  Observation& item = observations.emplace_back();
  item.list = "absent_programs";
  item.span = {task.id, *first, *last + 1};
  item.name = launch.script.bytes;
  item.detail = elsewhere.front();
}

}  // namespace gpulint
