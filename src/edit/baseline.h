#pragma once

#include "base/file_reader.h"
#include "finding/baseline.h"
#include "lint/lint.h"

#include <cstddef>
#include <string>
#include <vector>

namespace gpulint {

/// What a run says about a baseline.
struct BaselineOutcome {
  std::size_t matched = 0;
  /// Nothing answers to them any more: the finding is gone, or the file.
  std::vector<BaselineEntry> stale;
  /// Their files, or their rules for want of a fact, were not judged in this run.
  std::vector<BaselineEntry> unjudged;
  /// Findings that are not in the baseline.
  std::vector<BaselineEntry> fresh;
  /// What a baseline written now holds: all findings of this run, and the unjudged.
  Baseline renewed;
};

/// Moves the findings `baseline` knows from `result.findings` to `result.suppressed`. Findings of
/// rules the project lets nothing hide stay and are not part of any baseline. `folder`: where the
/// baseline lies; its paths are relative to it. The result must come from a run with
/// LintOptions::keep_undecided.
BaselineOutcome apply_baseline(LintResult& result, const Baseline& baseline,
                               const FileReader& reader, const std::string& folder);

/// The finding as an entry of a baseline in `folder`.
BaselineEntry baseline_entry(const LintResult& result, const Finding& finding,
                             const FileReader& reader, const std::string& folder);

}  // namespace gpulint
