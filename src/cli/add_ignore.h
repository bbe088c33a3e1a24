#pragma once

#include "cli/arguments.h"
#include "lint/lint.h"

namespace gpulint::cli {

/// `--add-ignore`: writes a suppression for each finding of `result` that may be hidden, says what
/// was written and what was not, and lints again. Returns kUsage where a file could not be written.
int write_ignores(const Arguments& arguments, const SessionView& session,
                  const LintRequest& request, LintResult& result);

}  // namespace gpulint::cli
