#pragma once

#include "base/file_reader.h"
#include "lint/lint.h"

#include <map>
#include <string>
#include <vector>

namespace gpulint {

/// Files as they are, with some texts replaced.
class FixTexts final : public FileReader {
 public:
  explicit FixTexts(const FileReader& files) : files_(&files) {}
  /// Further changes over those of `below`, which must outlive this.
  static FixTexts above(const FixTexts& below) {
    return FixTexts(static_cast<const FileReader&>(below));
  }

  Result<std::string> read(const std::string& path, std::size_t limit) const override;
  FileKind kind(const std::string& path) const override { return files_->kind(path); }
  Result<std::vector<DirectoryEntry>> list(const std::string& directory) const override {
    return files_->list(directory);
  }
  std::string canonical(const std::string& path) const override { return files_->canonical(path); }

  using Texts = std::map<std::string, std::string>;
  Texts& texts() { return texts_; }
  const Texts& texts() const { return texts_; }

 private:
  const FileReader* files_;
  Texts texts_;
};

/// Files that must be judged together: those a run reads, and those a fix changes.
struct FixUnit {
  std::vector<std::string> paths;    // sorted
  std::vector<std::string> readers;  // sorted: other configs whose runs read one that a fix changes

  bool has(const std::string& path) const;
};

/// The part of a request that lints one unit, with plans kept.
LintRequest part_of(const LintRequest& request, const FixUnit& unit);

/// The units of every finding with edits of a kind that is asked for, by path.
std::vector<FixUnit> units_of(const SessionView& session, const LintRequest& request,
                              const LintResult& result, bool unsafe);

/// True when the finding's fix has edits and may be carried out.
bool is_fixable(const Finding& finding, bool unsafe);

std::string path_of_span(const LintResult& result, const SourceSpan& span);

}  // namespace gpulint
