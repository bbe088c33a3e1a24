#pragma once

// Which scripts of a project start a config. Internal to this room.

#include "lint/project_tree.h"
#include "lint/started_runs.h"

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpulint {

/// Which scripts of a project name a file. A script is read when it may be one of them; scripts
/// that are linted themselves are left out: their runs are judged there. Thread-safe.
class LaunchIndex {
 public:
  explicit LaunchIndex(ProjectTrees& trees) : trees_(trees) {}

  /// Runs whose words name `file`, of scripts below `root`.
  std::vector<StartedRun> scripts_of(const LintShared& shared, const std::string& root,
                                     const std::string& file) const;
  /// As scripts_of(), of the files beside `file` that name it: runs of a command that names one of
  /// them, and read `file` through it.
  std::vector<StartedRun> scripts_of_namers(const LintShared& shared, const std::string& root,
                                            const std::string& file) const;
  /// Of scripts that are handed the name of a config when they are started, those that are meant
  /// for `file`: they say where its name is put in, or speak of its folder.
  std::vector<StartedRun> templates_of(const LintShared& shared, const std::string& root,
                                       const std::string& file) const;
  /// As scripts_of(), of texts that show commands (README.md).
  std::vector<StartedRun> shown_for(const LintShared& shared, const std::string& root,
                                    const std::string& file) const;
  /// Runs of scripts that start a program which names `file` itself, where they name no config; of
  /// a module of settings, of programs that import it, which nothing need start.
  std::vector<StartedRun> starts_of_loaders(const LintShared& shared, const std::string& root,
                                            const std::string& file) const;
  /// Runs of scripts that start a Python file without a config; else of texts that show how it is
  /// started.
  std::vector<StartedRun> starts_of(const LintShared& shared, const std::string& root,
                                       const std::string& program) const;
  /// A script below `root` may set a variable for those that it starts.
  bool exports(const LintShared& shared, const std::string& root, std::string_view name) const;
  void leave_out(std::string path) { linted_.push_back(std::move(path)); }

 private:
  using RunsOfScripts = std::map<std::string, std::vector<StartedRun>>;
  std::vector<StartedRun> runs_in(const LintShared& shared, const std::string& root,
                                  const std::vector<std::string>& paths, const std::string& file,
                                  RunsOfScripts& read) const;
  std::vector<StartedRun> starts_in(const LintShared& shared, const std::string& root,
                                    const std::vector<std::string>& paths,
                                    const std::string& program) const;
  const std::vector<StartedRun>& read_script(const LintShared& shared, const std::string& root,
                                             const std::string& path, std::string_view text,
                                             FileId file, RunsOfScripts& read) const;

  ProjectTrees& trees_;
  std::vector<std::string> linted_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, RunsOfScripts> read_;  // by root, what has been read below it
};

}  // namespace gpulint
