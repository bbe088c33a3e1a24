#include "lint/copied_folders.h"

#include "base/system_path.h"
#include "base/text.h"
#include "lint/folders.h"

#include <algorithm>
#include <array>
#include <string>

namespace gpulint {
namespace {

constexpr std::array<std::string_view, 7> kLicences = {
    "LICENSE", "LICENSE.txt", "LICENSE.md", "LICENCE", "COPYING", "license.txt", "LICENSE.rst"};
constexpr std::array<std::string_view, 3> kPackages = {"setup.py", "pyproject.toml", "setup.cfg"};

/// "" = there is none.
std::string licence_in(const LintShared& shared, const std::string& folder) {
  constexpr std::size_t kMostOfLicence = std::size_t{1} << 18;
  for (const std::string_view name : kLicences) {
    const std::string path = normalize_path(join_path(folder, std::string(name)));
    if (shared.files.kind(path) != FileKind::regular) continue;
    const auto text = shared.files.reader().read(path, kMostOfLicence);
    return text ? *text : std::string(name);
  }
  return {};
}

/// Training scripts lie outside of it, and more than half of the project's Python files, or it is a
/// package that is used from there.
bool is_beside_the_project(const LintShared& shared, const FileTask& task,
                           const std::string& folder, bool is_package) {
  const std::string below = folder + "/";
  const std::vector<std::string> files = shared.code->python_files(task.root, "");
  const auto inside = std::count_if(files.begin(), files.end(), [&](const std::string& path) {
    return path.starts_with(below);
  });
  const std::vector<Script>& scripts = shared.code->scripts(task.root);
  return (is_package || 2 * static_cast<std::size_t>(inside) < files.size()) &&
         std::any_of(scripts.begin(), scripts.end(), [&](const Script& each) {
           return each.trains && !each.path.starts_with(below);
         });
}

}  // namespace

Copied copied_from_others(const LintShared& shared, const FileTask& task) {
  constexpr int kMostAbove = 16;
  if (shared.code == nullptr) return Copied::no;
  std::string folder = folder_of(task.path);
  for (int i = 0; i < kMostAbove && folder != "." && folder != task.root && !is_root(folder); ++i) {
    const std::string own = licence_in(shared, folder);
    if (!own.empty() && own != licence_in(shared, task.root)) {
      const bool is_package =
          std::any_of(kPackages.begin(), kPackages.end(), [&](std::string_view name) {
            return shared.files.kind(join_path(folder, std::string(name))) == FileKind::regular;
          });
      if (!is_beside_the_project(shared, task, folder, is_package)) return Copied::no;
      return is_package ? Copied::package : Copied::part;
    }
    folder = folder_of(folder);
  }
  return Copied::no;
}

void temper_copied(std::vector<Finding>& findings) {
  std::erase_if(findings,
                [](const Finding& each) { return each.severity == Severity::note; });
  for (Finding& each : findings) {
    each.severity = each.severity == Severity::error ? Severity::warning : Severity::note;
  }
}

}  // namespace gpulint
