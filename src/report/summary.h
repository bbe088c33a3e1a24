#pragma once

#include "lint/lint.h"

#include <cstdint>
#include <string>
#include <vector>

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

/// Of how many runs the memory is known, and what keeps it from being known of more.
struct VramCoverage {
  std::int64_t runs = 0;          // that have a target GPU
  std::int64_t estimated = 0;     // with both ends
  std::int64_t lower_bounds = 0;  // with the least that they need
  std::string fact;               // that most of the other runs leave open; "" = none is open twice
  std::int64_t open = 0;          // in so many of them
  std::vector<std::string> facts;  // that the one run leaves open, where there is but one
  std::int64_t unknown() const { return runs - estimated - lower_bounds; }
};

VramCoverage vram_coverage(const LintResult& result);
/// "VRAM: 23 estimated, 132 lower bounds, 98 unknown (of 253 runs)", and which fact would settle
/// most; of one run alone, what its memory depends on; "" where its bar says all.
std::string coverage_text(const VramCoverage& coverage);

/// "path:line:col: severity[rule] message", the first line of a finding in every text format.
std::string first_line(const LintResult& result, const Finding& finding, bool color);

}  // namespace gpulint
