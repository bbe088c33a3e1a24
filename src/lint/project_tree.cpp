#include "lint/project_tree.h"

#include "base/text.h"
#include "code/from_here.h"
#include "launch/carried_commands.h"
#include "lint/folder_walk.h"

#include <algorithm>
#include <array>
#include <utility>

namespace gpulint {
namespace {

constexpr std::size_t kMostFolders = 2'000;
/// The folder around a file that belongs to nothing may be anybody's home.
constexpr std::size_t kFewFolders = 100;
constexpr std::size_t kMostEntries = 50'000;

bool is_python(std::string_view name) { return name.ends_with(".py"); }

bool is_settings(std::string_view name) {
  return name.ends_with(".yaml") || name.ends_with(".yml") || name.ends_with(".env") ||
         file_name(name).starts_with(".env");
}

/// What lies at the top of a project besides Python files.
constexpr std::array<std::string_view, 9> kTopFiles = {
    ".git",      ".gpulint.yaml",    ".gpulint.yml",    "pyproject.toml", "setup.py",
    "setup.cfg", "requirements.txt", "environment.yml", "README.md"};

bool begins_a_project(const std::vector<DirectoryEntry>& entries) {
  return std::any_of(entries.begin(), entries.end(), [](const DirectoryEntry& entry) {
    return is_python(entry.name) ||
           std::find(kTopFiles.begin(), kTopFiles.end(), entry.name) != kTopFiles.end();
  });
}

ProjectTree walk(const FileReader& reader, const std::string& root) {
  ProjectTree tree;
  const auto top = reader.list(root);
  if (!top) return tree;
  FolderWalk walk(reader, {.takes_name =
                               [](std::string_view name) {
                                 return is_python(name) || may_be_script(name) ||
                                        may_show_commands(name) || is_settings(name);
                               },
                           .follows_links = false,
                           .enters_hidden = false,
                           .most_folders = begins_a_project(*top) ? kMostFolders : kFewFolders,
                           .most_entries = kMostEntries});
  walk.below(root);
  for (WalkedFile& file : walk.found()) {
    std::vector<std::string>& list = is_python(file.path)           ? tree.python
                                     : may_show_commands(file.path) ? tree.texts
                                     : may_be_script(file.path)     ? tree.scripts
                                                                    : tree.settings;
    list.push_back(std::move(file.path));
  }
  for (std::vector<std::string>* list : {&tree.scripts, &tree.texts, &tree.python, &tree.settings})
    std::sort(list->begin(), list->end());
  return tree;
}

}  // namespace

const ProjectTree& ProjectTrees::of(const std::string& root) {
  Slot* slot = nullptr;
  {
    const std::scoped_lock lock(mutex_);
    std::unique_ptr<Slot>& place = slots_[root];
    if (!place) place = std::make_unique<Slot>();
    slot = place.get();
  }
  std::call_once(slot->once, [&] { slot->tree = walk(reader_, root); });
  return slot->tree;
}

}  // namespace gpulint
