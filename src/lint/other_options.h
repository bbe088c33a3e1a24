#pragma once

// Options of Hydra's groups that no config chooses: what the project's own code says of a run with
// one of them in place of the default. Internal to this room.

#include "lint/file_linter.h"

namespace gpulint {

/// Findings about options that the code refuses, where it takes the config as it is. `run`: that of
/// `document`, the config whose defaults list has the groups.
void lint_other_options(FileOutcome& outcome, const LintShared& shared, const FileTask& task,
                        const Document& document, const Run& run);

}  // namespace gpulint
