#pragma once

#include "lint/lint.h"

#include <string>
#include <vector>

namespace gpulint::cli {

/// Where the files of a run say its training data lies, the strongest file first: each value as a
/// path from the working directory and from the file's own folder. None of them is looked at.
std::vector<std::string> data_paths_of(const PlanReport& run, const SessionView& session);

}  // namespace gpulint::cli
