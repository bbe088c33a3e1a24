#pragma once

// Runs that a config is a part of: those of configs around it that choose it as an option of one of
// their groups. Internal to this room.

#include "lint/file_linter.h"
#include "lint/runs.h"

#include <vector>

namespace gpulint {

/// The runs of configs in the folders around `task` that read its file, at most sixteen; empty
/// where more do, as they agree on little.
std::vector<Run> runs_around(const LintShared& shared, const FileTask& task);

/// Of a file to lay over all (`# @package _global_`) that no config names: the runs of the primary
/// configs beside its group with it chosen (`+experiment=vit`); empty where more than sixteen are.
std::vector<Run> runs_laid_over(const LintShared& shared, const FileTask& task);

/// Paths of the configs that are no tasks and whose runs read the file of a named one, also of
/// those that lie beside its folder (experiments) and of `stated` runs; sorted. A file that more
/// than sixteen read counts as read by none.
std::vector<std::string> readers_of_named(const LintShared& shared,
                                          const std::vector<FileTask>& tasks,
                                          const StatedRuns& stated);

}  // namespace gpulint
