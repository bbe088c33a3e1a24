#pragma once

#include "lint/file_linter.h"
#include "plan/run.h"

#include <span>
#include <string>
#include <vector>

namespace gpulint {

/// The programs of a run that is linted: the Python file itself, or those that load the config.
std::vector<std::string> programs_of(const std::string& path, const Run& run);

/// Observes what the parsers of programs say of their own options, whatever the command line is:
/// - stuck_switches: options that are on by default and that nothing turns off; span: the first of
///   them in the code, name: how it is written, value: all of them, detail: why. What a command
///   gives in vain is in refused_options.h.
/// - mistyped_options: options of integers whose default has a fraction.
/// - untyped_options: options whose default is a number and that have no type.
/// - unread_options: the same of options that no code of the project reads.
/// - code_refusals: where the program reads an option that its parser does not have.
/// - absent_imports: what it imports that the project, whose package it is, does not have.
/// - bare_calls: a function is called with one argument and refuses that from a release on; value:
///   the argument it lacks, detail: the package and the release.
void observe_own_options(const LintShared& shared, const std::string& root,
                         std::span<const std::string> programs,
                         std::vector<Observation>& observations);

}  // namespace gpulint
