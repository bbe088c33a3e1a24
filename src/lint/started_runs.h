#pragma once

// Scripts and the configs they start: which runs a script holds, and which scripts start a config.

#include "launch/launch.h"
#include "lint/file_linter.h"
#include "lint/project_tree.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// One training command of a script, with the config it starts where it starts one.
struct StartedRun {
  std::shared_ptr<const LaunchScript> script;
  const Launch* launch = nullptr;  // of `script`
  std::string path;                // of the script
  const RunFile* config = nullptr;
  std::string program;  // Python file of the project it starts; "" = none that was found
  std::vector<std::string> beside;  // further files its flags name: DeepSpeed, a model's config
  std::vector<std::string> over;    // configs that lie over `config`, in their order
  std::vector<std::string> names;   // every file of the project that its words name
  /// Names that whoever starts the script completes: `configs/*/*.yaml`, `*` for `"$1"`.
  std::vector<std::string> patterns;
};

/// The runs of a script, in its order; `limits` is given what was left out.
std::vector<StartedRun> started_runs(const LintShared& shared, const std::string& root,
                                     const std::string& path, std::string_view text, FileId file,
                                     std::vector<std::string>& limits);

/// The runs of a file of YAML of the kind `carrier`.
std::vector<StartedRun> started_runs(const LintShared& shared, const std::string& root,
                                     const std::string& path, const Document& document,
                                     const Launcher& carrier, std::vector<std::string>& limits);

/// Which scripts of a project name a file. A script is read when it may be one of them; scripts
/// that are linted themselves are left out: their runs are judged there. Thread-safe.
class LaunchIndex {
 public:
  explicit LaunchIndex(ProjectTrees& trees) : trees_(trees) {}

  /// Runs whose words name `file`, of scripts below `root`.
  std::vector<StartedRun> scripts_of(const LintShared& shared, const std::string& root,
                                     const std::string& file) const;
  /// Of scripts that are handed the name of a config when they are started, those that are meant
  /// for `file`: they say where its name is put in, or speak of its folder.
  std::vector<StartedRun> templates_of(const LintShared& shared, const std::string& root,
                                       const std::string& file) const;
  /// As scripts_of(), of texts that show commands (README.md).
  std::vector<StartedRun> shown_for(const LintShared& shared, const std::string& root,
                                    const std::string& file) const;
  /// Runs of texts that show how a Python file is started, without a config.
  std::vector<StartedRun> shown_starts(const LintShared& shared, const std::string& root,
                                       const std::string& program) const;
  void leave_out(std::string path) { linted_.push_back(std::move(path)); }

 private:
  using RunsOfScripts = std::map<std::string, std::vector<StartedRun>>;
  std::vector<StartedRun> runs_in(const LintShared& shared, const std::string& root,
                                  const std::vector<std::string>& paths, const std::string& file,
                                  RunsOfScripts& read) const;
  const std::vector<StartedRun>& read_script(const LintShared& shared, const std::string& root,
                                             const std::string& path, std::string_view text,
                                             FileId file, RunsOfScripts& read) const;

  ProjectTrees& trees_;
  std::vector<std::string> linted_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, RunsOfScripts> read_;  // by root, what has been read below it
};

/// Everything about a run that assembling it asks for; it borrows from `started`.
RunCommand command_of(const StartedRun& started);

}  // namespace gpulint
