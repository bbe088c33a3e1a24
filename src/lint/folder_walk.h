#pragma once

// One way to walk below a folder, for discovery and for what a project holds besides its configs:
// .gitignore files hold where git does not track a file all the same, and folders that tools fill
// are left out.

#include "base/file_reader.h"
#include "base/ignore_rules.h"
#include "lint/git_index.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

struct WalkedFile {
  std::string path;       // below the folder as it was named
  std::string canonical;  // tells one file under two names
  bool linked = false;    // met through a link
};

struct WalkOptions {
  /// Decides by the name alone, before a path is made.
  std::function<bool(std::string_view name)> takes_name;
  /// Decides on a file that is not ignored; unset: every one is taken.
  std::function<bool(const std::string& path)> takes = {};
  bool follows_links = true;
  bool enters_hidden = true;  // folders whose names begin with a dot
  /// Folders nearest to the first are listed first; those beyond are not.
  std::size_t most_folders = SIZE_MAX;
  std::size_t most_entries = SIZE_MAX;
};

class FolderWalk {
 public:
  /// `reader` must outlive the walk; `errors`, where given, names folders that cannot be listed.
  FolderWalk(const FileReader& reader, WalkOptions options, std::vector<Error>* errors = nullptr)
      : reader_(reader),
        options_(std::move(options)),
        errors_(errors),
        tracked_(reader_, options_.takes_name) {}

  /// Adds what lies below `folder` to found(). A folder is walked once, whatever leads to it.
  void below(const std::string& folder);

  std::vector<WalkedFile>& found() { return found_; }
  /// A limit left folders out.
  bool truncated() const { return truncated_; }

 private:
  struct Folder {
    std::string path;
    std::string canonical;
    const IgnoreScope* scope = nullptr;
    bool linked = false;
    bool ignored = false;  // entered for what git tracks in it
  };

  const IgnoreScope* outer_scope(const std::string& path);
  const IgnoreScope* inner_scope(const std::string& folder, const std::string& canonical,
                                 const IgnoreScope* parent);
  void visit(const Folder& folder);
  void visit(const Folder& folder, const DirectoryEntry& entry, const IgnoreScope* scope);

  const FileReader& reader_;
  WalkOptions options_;
  std::vector<Error>* errors_;
  TrackedFiles tracked_;
  std::vector<WalkedFile> found_;
  std::set<std::string> visited_;
  std::deque<Folder> pending_;
  std::deque<Folder> pending_links_;
  std::deque<IgnoreScope> scopes_;  // stable addresses
  std::size_t folders_ = 0;
  std::size_t entries_ = 0;
  bool truncated_ = false;
};

}  // namespace gpulint
