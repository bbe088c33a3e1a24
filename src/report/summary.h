#pragma once

#include "lint/lint.h"

#include <cstdint>
#include <string>

namespace gpulint {

/// Counts every report closes with.
struct Summary {
  std::int64_t errors = 0;
  std::int64_t warnings = 0;
  std::int64_t notes = 0;
  std::int64_t files = 0;    // training configs that were linted
  std::int64_t skipped = 0;  // no training configs
  std::int64_t unreadable = 0;
  std::int64_t without_target = 0;  // configs whose hardware rules had no target
};

Summary summarize(const LintResult& result);

/// "path:line:col: severity[rule] message", the first line of a finding in every text format.
std::string first_line(const LintResult& result, const Finding& finding, bool color);

}  // namespace gpulint
