#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

enum class FileKind : std::uint8_t { missing, regular, directory, other };

struct DirectoryEntry {
  std::string name;  // without its folder
  FileKind kind = FileKind::missing;
  bool symlink = false;
  friend bool operator==(const DirectoryEntry&, const DirectoryEntry&) = default;
};

/// The only way the library sees files: the disk and (later) git objects in `cli`, a map of strings
/// in tests. Paths use '/' and are relative to the working directory or absolute. Thread-safe for
/// reading.
class FileReader {
 public:
  virtual ~FileReader() = default;

  /// Whole content of a regular file of at most `limit` bytes; an Error says which of missing,
  /// unreadable, not a regular file, or too large it is.
  virtual Result<std::string> read(const std::string& path, std::size_t limit) const = 0;
  virtual FileKind kind(const std::string& path) const = 0;
  /// Entries sorted by name.
  virtual Result<std::vector<DirectoryEntry>> list(const std::string& directory) const = 0;
  /// Path with symlinks resolved, for telling one file under two names; the path itself when
  /// unknown.
  virtual std::string canonical(const std::string& path) const = 0;
};

}  // namespace gpulint
