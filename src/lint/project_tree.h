#pragma once

// What a project holds besides its configs: scripts that may start them, texts that show commands,
// and Python files. One walk finds them all, when somebody first asks.

#include "base/file_reader.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

struct ProjectTree {
  std::vector<std::string> scripts;  // shell and batch scripts
  std::vector<std::string> texts;    // Markdown
  std::vector<std::string> python;
  std::vector<std::string> settings;  // YAML and lists of variables
};

/// Thread-safe.
class ProjectTrees {
 public:
  /// `reader` must outlive this.
  explicit ProjectTrees(const FileReader& reader) : reader_(reader) {}

  /// Below `root`, each list sorted; links, hidden folders and what git ignores are left out, and
  /// so is what lies beyond two thousand folders, or beyond a hundred where nothing at the top says
  /// that a project begins there.
  const ProjectTree& of(const std::string& root);

 private:
  struct Slot {
    std::once_flag once;
    ProjectTree tree;
  };

  const FileReader& reader_;
  std::mutex mutex_;  // guards the map; folders are listed outside of it
  std::map<std::string, std::unique_ptr<Slot>> slots_;
};

}  // namespace gpulint
