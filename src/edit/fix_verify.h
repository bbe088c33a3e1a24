#pragma once

#include "edit/fix_texts.h"
#include "finding/finding.h"
#include "lint/lint.h"

#include <map>
#include <string>
#include <vector>

namespace gpulint {

/// A fix with the paths of its edits, which outlive the file ids of one lint.
struct FixCandidate {
  Finding finding;
  std::string path;  // of the finding
  LineColumn place;
  std::map<std::string, std::vector<Edit>> edits;  // by path

  /// Tells one fix from another over several rounds: rule, run and what it changes.
  std::string key() const;
};

/// Texts of the files that fixes change, and a lint that their unit is part of.
struct FixedUnit {
  const FixTexts::Texts& texts;
  const LintResult& lint;
  const FixUnit* only = nullptr;  // what else was linted is looked past; nullptr = nothing was

  bool has(const std::string& path) const;
};

/// Why a lint of the changed texts is not what the fixes meant; "" = it is. All plans must be kept.
std::string failed_proof(const FixedUnit& before, const FixedUnit& after,
                         const std::vector<FixCandidate>& fixes, const ReadLimits& limits);

/// Errors (by rule, path, pointer and phase) of `after` that `before` has not.
std::vector<const Finding*> new_errors(const FixedUnit& before, const FixedUnit& after);
std::vector<const Finding*> new_errors(const LintResult& before, const LintResult& after);

}  // namespace gpulint
