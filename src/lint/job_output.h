#pragma once

#include "lint/file_linter.h"

#include <string_view>
#include <vector>

namespace gpulint {

/// Observes what keeps a batch job from starting:
/// - unmade_folders: a file that the scheduler opens before the script runs, in a folder that only
///   the script makes; span and name: its path, value: the folder, detail: the scheduler.
void observe_job_output(const LintShared& shared, const FileTask& task, std::string_view text,
                        std::vector<Observation>& observations);

}  // namespace gpulint
