#pragma once

#include "base/file_reader.h"

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace gpulint::lsp {

/// The disk as it was when somebody first looked, until forget() is called. A key stroke changes no
/// file, and looking through a project's folders and code again for each would take longer than
/// judging the config. Thread-safe.
class RememberedFiles final : public FileReader {
 public:
  /// `disk` must outlive this.
  explicit RememberedFiles(const FileReader& disk) : disk_(disk) {}

  void forget();

  Result<std::string> read(const std::string& path, std::size_t limit) const override;
  FileKind kind(const std::string& path) const override;
  Result<std::vector<DirectoryEntry>> list(const std::string& directory) const override;
  std::string canonical(const std::string& path) const override;

 private:
  template <class Value, class Look>
  Value remember(std::map<std::string, Value>& known, const std::string& path,
                 const Look& look) const;

  const FileReader& disk_;
  mutable std::mutex mutex_;  // guards all below; the disk is asked outside of it
  mutable std::map<std::string, Result<std::string>> texts_;
  mutable std::map<std::string, FileKind> kinds_;
  mutable std::map<std::string, Result<std::vector<DirectoryEntry>>> lists_;
  mutable std::map<std::string, std::string> canonical_;
  mutable std::size_t text_bytes_ = 0;
};

}  // namespace gpulint::lsp
