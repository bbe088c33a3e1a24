#pragma once

// Runs that commands start: those of a script, and the config that scripts elsewhere start.
// Internal to this room.

#include "lint/file_linter.h"
#include "source/document.h"

#include <string_view>

namespace gpulint {

/// Each training command of a script is a run; false when it starts none.
bool lint_script(FileOutcome& outcome, const LintShared& shared, const FileTask& task,
                 std::string_view text, const LearningRateReference* reference);

/// The same of each command that a file of YAML carries: a task, a manifest, a workflow.
bool lint_carrier(FileOutcome& outcome, const LintShared& shared, const FileTask& task,
                  const Document& document, const LearningRateReference* reference);

/// A config that scripts outside of this lint start: what is true of it under all of them. False
/// when none does, or they agree on too little.
bool lint_started_config(FileOutcome& outcome, const LintShared& shared, const FileTask& task,
                         const Document& document, const LearningRateReference* reference);

/// A training script that other scripts start, or that texts show commands of: what is true of its
/// own defaults and of all of them; where facts are asked for, of the commands alone. False where
/// there are none.
bool lint_started_program(FileOutcome& outcome, const LintShared& shared, const FileTask& task,
                          const Document& document, const LearningRateReference* reference);

}  // namespace gpulint
