#pragma once

#include "lint/file_linter.h"
#include "lint/started_runs.h"

#include <string_view>
#include <vector>

namespace gpulint {

/// Judges a command of a training that says nothing of a run by itself, for want of what it names:
/// a program or a config that is not there. False: nothing is wrong with it.
bool lint_broken_command(FileOutcome& outcome, const LintShared& shared, const FileTask& task,
                         std::string_view text, const StartedRun& started);

/// An option that the command chooses and that is not there is the command's mistake, not that of
/// the config whose list it changes.
void point_at_choices(const Launch& launch, std::vector<Observation>& observations);

}  // namespace gpulint
