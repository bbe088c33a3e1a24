#pragma once

// From a run that was read to its findings: settings, target, estimate, rules, one report per
// phase. Internal to this room.

#include "lint/file_linter.h"
#include "plan/run.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gpulint {

/// Settings of a file with the command line's defaults laid over.
FileSettings settings_of(const LintShared& shared, const FileTask& task);

/// The config with everything its run is read from.
/// `command`: what starts it, where somebody says so.
Run run_of(const LintShared& shared, const FileTask& task, const Document& document,
           const RunCommand* command = nullptr);

/// The plans of a run, one per phase.
std::vector<Plan> plans_of(const LintShared& shared, const FileTask& task, const Run& run,
                           const FileSettings& settings);

/// Findings of a run that was read, one report per phase.
void lint_plans(FileOutcome& outcome, const LintShared& shared, const FileTask& task,
                const Run& run, std::vector<Plan> plans, const FileSettings& settings,
                const LearningRateReference* reference);

/// What `.gpulint.yaml` says keys of the project mean.
std::span<const KeyMapping> in_house_keys(const FileTask& task);

/// Every file a run was read from, sorted.
std::vector<std::string> paths_of(const Run& run);

}  // namespace gpulint
