#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpulint::cli {

/// One of the things that can be compared.
struct GitSide {
  enum class Kind : std::uint8_t { tree, index, working_tree };
  Kind kind = Kind::working_tree;
  std::string object;  // tree: full name of a commit or tree
  std::string name;    // as a person calls it: "main", "the index"
};

struct GitEntry {
  std::string path;  // from the root of the repository
  std::uint32_t mode = 0;
  std::string object;
  bool is_link() const { return mode == 0120000; }
  bool is_submodule() const { return mode == 0160000; }
};

struct GitChange {
  enum class Kind : std::uint8_t { added, removed, modified, renamed };
  Kind kind = Kind::modified;
  std::string path;      // from the root; the old path of a removed file
  std::string old_path;  // of a renamed file
  bool submodule = false;
};

/// The repository around a folder. Read-only; see git_process.h for what a repository
/// cannot make it do.
class GitRepository {
 public:
  /// An Error says what is missing: git, a repository, a working tree.
  static Result<GitRepository> open(const std::string& folder = ".");

  const std::string& root() const { return root_; }      // absolute
  const std::string& prefix() const { return prefix_; }  // the folder below it: "" or "a/b"

  /// A commit as a side. Names that could be taken for an option are refused.
  Result<GitSide> commit(const std::string& revision) const;
  /// HEAD, or the empty tree in a repository without commits.
  Result<GitSide> head() const;
  /// The commit `a` and `b` last had in common.
  Result<GitSide> merge_base(const std::string& a, const std::string& b) const;

  Result<std::vector<GitEntry>> entries(const GitSide& side) const;
  /// From `from` (a tree) to `to`, renames followed; with the working tree, untracked files that
  /// are not ignored count as added.
  Result<std::vector<GitChange>> changes(const GitSide& from, const GitSide& to) const;

 private:
  Result<std::string> ask(std::vector<std::string> arguments) const;

  std::string root_;
  std::string prefix_;
};

}  // namespace gpulint::cli
