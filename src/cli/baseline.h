#pragma once

#include "base/file_reader.h"
#include "base/result.h"
#include "cli/review.h"
#include "lint/lint.h"

namespace gpulint::cli {

/// Hides what the baseline lists, writes a new one if asked to, and says on standard error what
/// came, went and could not be judged. Returns the exit code of the ratchet. `files`: what the
/// result was read from.
Result<int> use_baseline(const ReviewArguments& review, const FileReader& disk,
                         const FileReader& files, LintResult& result);

}  // namespace gpulint::cli
