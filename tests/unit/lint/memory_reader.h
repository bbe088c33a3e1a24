#pragma once

#include "base/file_reader.h"
#include "base/text.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace gpulint {

/// Files of a test: path -> text, folders implied; `links`: path -> folder it leads to.
class MemoryReader : public FileReader {
 public:
  using Files = std::map<std::string, std::string>;
  MemoryReader(Files files, Files links) : files_(std::move(files)), links_(std::move(links)) {}
  explicit MemoryReader(Files files) : files_(std::move(files)) {}
  MemoryReader(const MemoryReader&) = delete;  // a braced list must mean files

  Result<std::string> read(const std::string& path, std::size_t limit) const override {
    const auto file = files_.find(canonical(path));
    if (file == files_.end()) return fail(Error{.message = "no such file", .file = path});
    if (file->second.size() > limit) {
      return fail(Error{.message = "file is larger than the limit", .file = path, .limit = true});
    }
    return file->second;
  }

  FileKind kind(const std::string& path) const override {
    const std::string real = canonical(path);
    if (files_.count(real) != 0) return FileKind::regular;
    return real == "." || !children(real).empty() ? FileKind::directory : FileKind::missing;
  }

  Result<std::vector<DirectoryEntry>> list(const std::string& directory) const override {
    std::vector<DirectoryEntry> entries = children(canonical(directory));
    std::sort(entries.begin(), entries.end(),
              [](const DirectoryEntry& a, const DirectoryEntry& b) { return a.name < b.name; });
    return entries;
  }

  std::string canonical(const std::string& path) const override {
    std::string real = normalize_path(path);
    for (int step = 0; step < 40; ++step) {
      const auto link = std::find_if(links_.begin(), links_.end(), [&](const auto& entry) {
        return real == entry.first || real.starts_with(entry.first + "/");
      });
      if (link == links_.end()) break;
      real = join_path(link->second, real.substr(std::min(real.size(), link->first.size() + 1)));
    }
    return real;
  }

 private:
  std::vector<DirectoryEntry> children(const std::string& folder) const {
    const std::string prefix = folder == "." ? "" : folder + "/";
    std::map<std::string, DirectoryEntry> entries;
    for (const auto& [path, text] : files_) {
      if (!path.starts_with(prefix)) continue;
      const std::string rest = path.substr(prefix.size());
      const std::string name = rest.substr(0, rest.find('/'));
      const FileKind kind = name == rest ? FileKind::regular : FileKind::directory;
      entries[name] = {name, kind, false};
    }
    for (const auto& [path, target] : links_) {
      if (folder_matches(prefix, path)) {
        const std::string name = path.substr(prefix.size());
        entries[name] = {name, target_kind(target), true};
      }
    }
    std::vector<DirectoryEntry> result;
    for (auto& [name, entry] : entries) result.push_back(entry);
    return result;
  }

  static bool folder_matches(const std::string& prefix, const std::string& path) {
    return path.starts_with(prefix) && path.find('/', prefix.size()) == std::string::npos;
  }

  FileKind target_kind(const std::string& target) const {
    return files_.count(target) != 0 ? FileKind::regular : FileKind::directory;
  }

  Files files_;
  Files links_;
};

}  // namespace gpulint
