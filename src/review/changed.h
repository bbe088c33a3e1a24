#pragma once

#include "base/file_reader.h"
#include "lint/lint.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// Files that differ between two states of a repository, the removed ones among them. A changed
/// `.gpulint.yaml`, or anything in a `.gpulint/` folder, counts as a change of all it governs.
class ChangeSet {
 public:
  ChangeSet() = default;
  /// `paths`: absolute, links resolved.
  explicit ChangeSet(std::vector<std::string> paths);

  bool empty() const { return paths_.empty(); }
  bool holds(const std::string& canonical_path) const;
  const std::set<std::string>& paths() const { return paths_; }

 private:
  std::set<std::string> paths_;
  std::vector<std::string> governed_;  // folders, with a slash at the end
};

/// The files below `request.paths` whose verdict the change may touch: those that differ, and those
/// whose text names one of these, directly or through others. A superset found without parsing, for
/// `LintRequest::only`; keep_touched() settles it afterwards.
std::set<std::string> possibly_touched(const FileReader& files, const LintRequest& request,
                                       const ChangeSet& changes);

/// Does a linted file differ, or one of those its run was read from?
bool is_touched(const FileReport& file, const FileReader& reader, const ChangeSet& changes);

/// Takes out what the change does not touch: its findings, and its reports become skipped files,
/// since file ids are places in their list. `unchanged`: the reason to give.
void keep_touched(LintResult& result, const FileReader& reader, const ChangeSet& changes,
                  std::string_view unchanged);

}  // namespace gpulint
