#pragma once

#include "catalog/rule.h"
#include "engine/subject_environment.h"
#include "expr/expression.h"
#include "finding/finding.h"

namespace gpulint {

/// The finding of a rule whose condition holds: place, words, numbers, arithmetic, related places
/// and fix. `texts`: the rule's, bound; `trace`: what the condition read.
Finding build_finding(const Rule& rule, const RuleTexts& texts, Severity severity,
                      const SubjectEnvironment& environment, const expr::Trace& trace);

/// The byte edits of a fix and what they mean.
struct WrittenFix {
  std::vector<Edit> edits;
  std::vector<FactChange> changes;
};

/// The first of the rule's changes that can be written in the config's own spelling; the Error is
/// the reason why the fix is advice only, in words for people.
Result<WrittenFix> write_fix(const RuleTexts& texts, const SubjectEnvironment& environment);

}  // namespace gpulint
