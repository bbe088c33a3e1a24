#pragma once

// Texts that stand for files: what an editor holds unsaved, and standard input.

#include "base/file_reader.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace gpulint {

/// One such text.
struct Buffer {
  std::string path;  // as it was given, normalized
  std::string text;
  std::int64_t version = 0;  // of the editor that holds it
};

/// By real path, so that a file is found under each of its names.
using Buffers = std::map<std::string, std::shared_ptr<const Buffer>>;

/// The one path of a file under all its names, whether it is on the disk or not: links are followed
/// as far as the disk has them.
std::string real_path(const FileReader& disk, const std::string& path);

/// The disk with buffers in front of it. A buffer is a regular file, whatever the disk has at its
/// path, and the folders around it exist. Never changes, so that a request sees one state.
class BufferedFiles final : public FileReader {
 public:
  /// `disk` must outlive this.
  BufferedFiles(const FileReader& disk, Buffers buffers)
      : disk_(disk), buffers_(std::move(buffers)) {}

  /// nullptr: the disk answers for this path.
  const Buffer* find(const std::string& path) const;
  const Buffers& buffers() const { return buffers_; }

  Result<std::string> read(const std::string& path, std::size_t limit) const override;
  FileKind kind(const std::string& path) const override;
  Result<std::vector<DirectoryEntry>> list(const std::string& directory) const override;
  std::string canonical(const std::string& path) const override;

 private:
  const FileReader& disk_;
  Buffers buffers_;
};

}  // namespace gpulint
