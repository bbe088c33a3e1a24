#pragma once

#include "lint/file_linter.h"
#include "lint/started_runs.h"

#include <string_view>
#include <vector>

namespace gpulint {

/// Observes flags and values of a command that the program's own parser refuses: list
/// `refused_options`, span: the flag or the value, name: the flag, value: the program,
/// detail: what happens.
void observe_refused_options(const LintShared& shared, const FileTask& task, std::string_view text,
                             const StartedRun& started, std::vector<Observation>& observations);

}  // namespace gpulint
