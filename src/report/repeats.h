#pragma once

#include "catalog/catalog.h"
#include "lint/lint.h"

#include <map>
#include <set>
#include <vector>

namespace gpulint {

/// Findings that people are told once: those of a rule with `once` about the same key, in one
/// folder or the whole project, or, for `once: message`, those in the same words. Other errors are
/// never left out, and machines get all.
class Repeats {
 public:
  Repeats(const LintResult& result, const Catalog& catalog);

  /// True for one that says what an earlier one said.
  bool is_repeat(const Finding& finding) const { return repeats_.contains(&finding); }
  /// The later ones that say the same, in the order of the result.
  const std::vector<const Finding*>& of(const Finding& finding) const;
  std::size_t count() const { return repeats_.size(); }

 private:
  std::set<const Finding*> repeats_;
  std::map<const Finding*, std::vector<const Finding*>> others_;
};

}  // namespace gpulint
