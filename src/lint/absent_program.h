#pragma once

#include "lint/file_linter.h"
#include "lint/started_runs.h"

#include <string_view>
#include <vector>

namespace gpulint {

/// Observes what keeps a command from starting:
/// - absent_programs: a program that does not lie where the command looks for it; span and name:
///   its path, detail: that it is not there, and a file of that name elsewhere in the project.
/// - absent_files (plan/contradictions.h): a config that it names; name: the flag.
/// - broken_continuations: a line that ends in a backslash and a blank; span: the backslash, name:
///   the program, value: the flag on the next line, which the shell takes for a command.
void observe_absent_program(const LintShared& shared, const FileTask& task, std::string_view text,
                            const StartedRun& started, std::vector<Observation>& observations);

}  // namespace gpulint
