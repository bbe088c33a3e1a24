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
  explicit FixTexts(const FileReader& disk) : disk_(&disk) {}
  /// Further changes over those of `below`, which must outlive this.
  static FixTexts above(const FixTexts& below) {
    FixTexts texts(below);
    texts.texts_.clear();
    texts.disk_ = &below;
    texts.below_ = &below;
    return texts;
  }

  Result<std::string> read(const std::string& path, std::size_t limit) const override;
  FileKind kind(const std::string& path) const override { return disk_->kind(path); }
  Result<std::vector<DirectoryEntry>> list(const std::string& directory) const override {
    return disk_->list(directory);
  }
  std::string canonical(const std::string& path) const override { return disk_->canonical(path); }

  using Texts = std::map<std::string, std::string>;
  Texts& texts() { return texts_; }
  const Texts& texts() const { return texts_; }
  /// The replaced text of a file; nullptr when it is as it was.
  const std::string* replaced(const std::string& path) const;

 private:
  const FileReader* disk_;
  const FixTexts* below_ = nullptr;
  Texts texts_;
};

/// The request over these texts: a text given on standard input is replaced as files are.
LintRequest over(const LintRequest& request, const FixTexts& texts);

/// Files that must be judged together: those a run reads, and those a fix changes.
struct FixUnit {
  std::vector<std::string> paths;  // sorted
};

/// The part of a request that lints one unit, with plans kept.
LintRequest part_of(const LintRequest& request, const FixTexts& texts, const FixUnit& unit);

/// The units of every finding with edits of a kind that is asked for, by path.
std::vector<FixUnit> units_of(const LintResult& result, bool unsafe);

/// True when the finding's fix has edits and may be carried out.
bool is_fixable(const Finding& finding, bool unsafe);

std::string path_of_span(const LintResult& result, const SourceSpan& span);

}  // namespace gpulint
