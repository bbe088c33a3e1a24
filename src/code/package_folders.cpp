#include "code/package_folders.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <set>

namespace gpulint {
namespace {

constexpr std::array<std::string_view, 3> kInstalls = {"setup.py", "pyproject.toml", "setup.cfg"};
constexpr std::string_view kSources = "src";

}  // namespace

std::vector<std::string> package_folders(CodeBase& code, const std::string& root) {
  const std::string top = root == "." ? std::string() : root;
  std::set<std::string> folders;
  for (const std::string& path : code.python_files(root, "")) {
    for (std::string_view at = parent_path(path); at.size() > top.size() && at != "/";
         at = parent_path(at)) {
      if (!folders.emplace(at).second) break;  // nor are those around it new
    }
  }
  std::vector<std::string> found;
  for (const std::string& folder : folders) {
    const bool installs =
        std::any_of(kInstalls.begin(), kInstalls.end(), [&](std::string_view name) {
          return code.is_file(join_path(folder, name));
        });
    if (!installs) continue;
    found.push_back(folder);
    std::string sources = join_path(folder, kSources);
    if (folders.contains(sources)) found.push_back(std::move(sources));
  }
  return found;
}

std::string CodeBase::installed_from(const std::string& root, std::string_view package) {
  const std::vector<std::string>* folders = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    const auto known = package_folders_.find(root);
    if (known != package_folders_.end()) folders = &known->second;
  }
  if (folders == nullptr) {
    std::vector<std::string> found = package_folders(*this, root);
    const std::scoped_lock lock(mutex_);
    folders = &package_folders_.emplace(root, std::move(found)).first->second;
  }
  std::string from;
  for (const std::string& folder : *folders) {
    const std::string place = join_path(folder, package);
    if (!is_file(place + ".py") && !is_folder(place)) continue;
    if (!from.empty()) return {};  // it may be either
    from = folder;
  }
  return from.empty() || consumers().knows_library(package) ? std::string() : from;
}

}  // namespace gpulint
