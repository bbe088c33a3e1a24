#pragma once

#include "base/result.h"
#include "cli/git_reader.h"
#include "cli/git_repository.h"
#include "cli/review.h"
#include "review/changed.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gpulint::cli {

/// What `--changed-since` and `--staged` make of a run.
struct GitScope {
  ChangeSet changes;
  std::unique_ptr<GitReader> reader;  // of the index; nullptr: the working files
  std::string unchanged;              // why a file is left out
};
Result<GitScope> git_scope(const ReviewArguments& review);

/// Paths as a run's files have them when their links are resolved.
std::vector<std::string> canonical_paths(const GitRepository& repository,
                                         const std::vector<GitChange>& changes);

/// What cannot be looked into, said once for each.
void note_submodules(const std::vector<GitChange>& changes);

}  // namespace gpulint::cli
