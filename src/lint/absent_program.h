#pragma once

#include "lint/file_linter.h"
#include "lint/started_runs.h"

#include <string_view>
#include <vector>

namespace gpulint {

/// Observes a program that does not lie where a command looks for it: list `absent_programs`, span
/// and name: its path, detail: a file of that name elsewhere in the project.
void observe_absent_program(const LintShared& shared, const FileTask& task, std::string_view text,
                            const StartedRun& started, std::vector<Observation>& observations);

}  // namespace gpulint
