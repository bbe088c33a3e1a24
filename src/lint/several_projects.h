#pragma once

// The files of one request may lie in several projects, each with a `.gpulint/` of its own. A
// config is judged by the nearest one above it within its repository, wherever the command starts;
// where there is none, by the session's.

#include "lint/file_linter.h"

#include <string>
#include <vector>

namespace gpulint {

/// Files that are judged by the same data.
struct ProjectShare {
  SessionView session;
  std::vector<FileTask> tasks;  // ids are places in this list
};

/// `tasks` in path order; the files of a run that was joined by hand stay together. One share in
/// nearly every request.
std::vector<ProjectShare> shares_of(const SessionView& session, const LintRequest& request,
                                    std::vector<FileTask> tasks);

/// The results of the shares as that of one request over all their files.
LintResult join_results(std::vector<LintResult> results);

}  // namespace gpulint
