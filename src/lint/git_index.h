#pragma once

// Which files git tracks: .gitignore says nothing about those.

#include "base/file_reader.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// Paths of an index (`.git/index`, gitformat-index(5), versions 2 to 4), sorted as in it. What is
/// no such index, or one cut short, has those read before; `takes_name` keeps files by their name.
std::vector<std::string> tracked_in_index(
    std::string_view index, const std::function<bool(std::string_view name)>& takes_name);

/// The tracked files of all repositories that a walk meets. An index is read when it is first
/// asked for: most walks meet nothing that is ignored.
class TrackedFiles {
 public:
  TrackedFiles(const FileReader& reader, std::function<bool(std::string_view name)> takes_name)
      : reader_(reader), takes_name_(std::move(takes_name)) {}

  /// The file itself, or for a folder any file below it. `path` is canonical.
  bool has(const std::string& path, bool is_directory);

 private:
  const std::string& root_of(const std::string& folder);
  const std::vector<std::string>& files_of(const std::string& root);

  const FileReader& reader_;
  std::function<bool(std::string_view name)> takes_name_;
  std::map<std::string, std::string> roots_;  // by folder; "" where there is no repository
  std::map<std::string, std::vector<std::string>> files_;  // by root, below it
};

}  // namespace gpulint
