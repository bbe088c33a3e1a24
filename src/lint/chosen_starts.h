#pragma once

#include "lint/file_linter.h"
#include "lint/started_runs.h"

#include <vector>

namespace gpulint {

/// A switch of its command says that the program does not train.
bool turns_training_off(const LintShared& shared, const StartedRun& started);
/// Leaves of the commands that start a config those it is judged by: the ones that train, and of
/// very many some.
void choose_starts(const LintShared& shared, std::vector<StartedRun>& started);

}  // namespace gpulint
