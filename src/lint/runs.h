#pragma once

// How the files of one lint belong together: where references end, which files were joined by hand,
// and which are only parts of others.

#include "lint/file_linter.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace gpulint {

/// The folder a file's references may not leave: its repository, else the folder of its
/// `.gpulint.yaml`, else the working directory or the folder named on the command line.
class ProjectRoots {
 public:
  ProjectRoots(const FileReader& files, const LintRequest& request)
      : reader_(files), request_(request) {}
  std::string of(const FileTask& task);

 private:
  std::string repository_of(const std::string& folder);
  std::string outermost(const FileTask& task) const;

  const FileReader& reader_;
  const LintRequest& request_;
  std::map<std::string, std::string> repositories_;  // folder -> root; "" = none
};

/// The paths to lint with those of the runs joined by hand.
std::vector<std::string> paths_with_runs(const LintRequest& request);

/// Files that are one run each, as a person says.
using StatedRuns = std::vector<std::vector<std::string>>;

/// Those that the `.gpulint.yaml` files above the tasks state, by their paths from here.
StatedRuns stated_runs(const std::vector<FileTask>& tasks);
/// The config that names a run: the first that is no supplement of another; "" for no files.
std::string naming_config(const LintShared& shared, const std::vector<std::string>& run);
/// Hands the other files of each run to the one that names it. `errors`: a run without a training
/// config, or two runs of one.
void join_by_hand(const LintShared& shared, const StatedRuns& runs, std::vector<FileTask>& tasks,
                  std::vector<Error>& errors);

/// A file that runs of the same lint read as a part of theirs is judged there: what it leaves out,
/// they may state, and what it says, they may overrule. Findings about its text stay.
void leave_parts_to_their_runs(std::vector<FileOutcome>& outcomes);

/// Of what runs are told that only read the files asked about (`readers`, by path), leaves what
/// bears on those.
void keep_what_bears(LintResult& result, const std::vector<std::string>& readers);

/// Every place a finding or a plan points at.
void for_each_span(Finding& finding, const std::function<void(SourceSpan&)>& visit);
void for_each_span(Plan& plan, const std::function<void(SourceSpan&)>& visit);
/// `ids`: the new id of each file, by its old one.
void renumber(LintResult& result, const std::vector<FileId>& ids);
void sort_suppressed(std::vector<SuppressedFinding>& suppressed);

}  // namespace gpulint
