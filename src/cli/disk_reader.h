#pragma once

#include "base/file_reader.h"

namespace gpulint {

/// Files of this machine. Only regular files are read: a FIFO or a device would block or never end.
class DiskReader : public FileReader {
 public:
  Result<std::string> read(const std::string& path, std::size_t limit) const override;
  FileKind kind(const std::string& path) const override;
  Result<std::vector<DirectoryEntry>> list(const std::string& directory) const override;
  std::string canonical(const std::string& path) const override;
};

}  // namespace gpulint
