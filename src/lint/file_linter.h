#pragma once

#include "lint/lint.h"
#include "lint/project_files.h"
#include "lint/twins.h"
#include "plan/run.h"
#include "run/known_models.h"

#include <optional>
#include <string>
#include <vector>

namespace gpulint {

/// One file to lint with all that was looked up for it beforehand.
struct FileTask {
  std::string path;
  FileId id = kNoFile;
  bool named = false;
  bool is_program = false;               // a training script that was found in a folder
  bool only_starts = false;              // one that starts others and does not train itself
  bool parses_options = false;           // a training script with a command line of its own
  const std::string* text = nullptr;     // read already; nullptr: read it
  const ProjectFile* project = nullptr;  // governing `.gpulint.yaml`
  std::string relative = {};             // path as that file's patterns see it
  std::string root = ".";                // references are followed below this folder only
  std::vector<std::string> beside = {};  // files joined to its run by hand
};

/// What the files of one lint share.
class LaunchIndex;
class ProjectNetworks;
struct LintShared {
  const SessionView& session;
  const LintRequest& request;
  const RunFiles& files;
  CodeBase* code = nullptr;  // of the projects linted; nullptr: no code is read
  const LaunchIndex* launches =
      nullptr;                          // scripts that start configs; nullptr: none are looked for
  ProjectNetworks* networks = nullptr;  // that projects recorded; nullptr: none are looked for
};

/// Everything one file leaves behind; its document and plans are gone by then.
struct FileOutcome {
  FileReport report;
  std::vector<Finding> findings;
  std::string text;  // kept when something points into it
  std::optional<Error> error;
  std::optional<LearningRun> learning;
  std::vector<Suppression> suppressions;
  std::vector<std::string> group_folders;  // of Hydra's groups that its run chooses options of
  std::vector<std::string> programs;       // Python files that its runs start, and what they import
  std::size_t text_findings = 0;           // the first ones are about the text, not about its run
};

/// read, recognise, plan, target, estimate, rules. `reference`: a twin found in an earlier pass.
FileOutcome lint_file(const LintShared& shared, const FileTask& task,
                      const LearningRateReference* reference);

/// Only what twins are compared by, for a file of the folder that is not linted itself.
std::optional<LearningRun> read_learning_run(const LintShared& shared, const FileTask& task);

}  // namespace gpulint
