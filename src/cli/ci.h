#pragma once

#include "base/result.h"
#include "report/format.h"

#include <string>
#include <string_view>

namespace gpulint::cli {

/// The working directory, and the repository around it: what the CI system names, else the nearest
/// folder with a .git, else the working directory itself.
Surroundings surroundings_of_run(int exit_code);

/// Running as a step of GitHub Actions.
bool on_github();

/// Running under a CI system whose runner executes what it finds in the log: GitHub Actions, Azure
/// Pipelines, TeamCity.
bool log_is_executed();

/// Workflow commands to standard error, which the runner reads as it reads standard output.
void print_annotations(std::string_view commands);

/// Appends to the summary of the step where GitHub asks for one; nothing elsewhere.
Result<void> append_step_summary(std::string_view markdown);

}  // namespace gpulint::cli
