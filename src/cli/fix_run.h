#pragma once

#include "cli/arguments.h"
#include "edit/fix.h"
#include "lint/lint.h"

namespace gpulint::cli {

/// What is left to report once the fixes were carried out.
struct FixedRun {
  LintResult lint;  // of the files as they are now
  int code = 0;     // kUsage where a file could not be written, kFindings where a diff is not empty
};

/// Writes, or prints as a diff, what `check` was asked to fix, and says on standard error what was
/// and what was not done. Text from standard input goes to standard output, fixed.
FixedRun run_fixes(const Arguments& arguments, const SessionView& session,
                   const LintRequest& request);

}  // namespace gpulint::cli
