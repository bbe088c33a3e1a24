#pragma once

#include "base/file_reader.h"
#include "cli/git_process.h"
#include "cli/git_repository.h"

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace gpulint::cli {

/// The files of a commit or of the index, where they would lie if it were checked out: paths are
/// relative to the working directory, or absolute below the repository's root. Nothing else exists.
class GitReader : public FileReader {
 public:
  GitReader(const GitRepository& repository, std::vector<GitEntry> entries);

  Result<std::string> read(const std::string& path, std::size_t limit) const override;
  FileKind kind(const std::string& path) const override;
  Result<std::vector<DirectoryEntry>> list(const std::string& directory) const override;
  std::string canonical(const std::string& path) const override;

 private:
  /// Path from the root with links followed; nullopt outside the repository and in a circle of
  /// links.
  std::optional<std::string> locate(const std::string& path) const;
  std::optional<std::string> follow_links(std::string path) const;
  Result<std::string> content(const GitEntry& entry, std::size_t limit) const;
  FileKind kind_at(const std::string& located) const;

  std::string root_;
  std::string prefix_;
  std::map<std::string, GitEntry> files_;
  std::map<std::string, std::vector<DirectoryEntry>> folders_;  // "" = the root
  bool has_links_ = false;
  mutable std::mutex mutex_;
  mutable GitBatch batch_;
};

}  // namespace gpulint::cli
