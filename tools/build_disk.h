#pragma once

#include "base/file_reader.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>
#include <vector>

namespace gpulint {

/// The disk as the build and the tests of data files see it; the product's own reader, which has to
/// stand anything, is in `cli`.
class BuildDisk final : public FileReader {
 public:
  Result<std::string> read(const std::string& path, std::size_t limit) const override {
    std::ifstream in(path, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(in)), {});
    if (!in) return fail(Error{"cannot be read", path});
    if (text.size() > limit) return fail(Error{"is too large", path});
    return text;
  }

  FileKind kind(const std::string& path) const override {
    std::error_code error;
    return kind_of(std::filesystem::status(path, error));
  }

  Result<std::vector<DirectoryEntry>> list(const std::string& directory) const override {
    std::error_code error;
    std::vector<DirectoryEntry> entries;
    for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
      std::error_code entry_error;
      entries.push_back({entry.path().filename().string(), kind_of(entry.status(entry_error)),
                         entry.is_symlink(entry_error)});
    }
    if (error) return fail(Error{error.message(), directory});
    std::sort(entries.begin(), entries.end(),
              [](const DirectoryEntry& a, const DirectoryEntry& b) { return a.name < b.name; });
    return entries;
  }

  std::string canonical(const std::string& path) const override { return path; }

 private:
  static FileKind kind_of(const std::filesystem::file_status& status) {
    if (!std::filesystem::exists(status)) return FileKind::missing;
    if (std::filesystem::is_directory(status)) return FileKind::directory;
    return std::filesystem::is_regular_file(status) ? FileKind::regular : FileKind::other;
  }
};

}  // namespace gpulint
