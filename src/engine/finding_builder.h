#pragma once

#include "catalog/rule.h"
#include "engine/subject_environment.h"
#include "expr/expression.h"
#include "finding/finding.h"

namespace gpulint {

/// The finding of a rule whose condition holds: place, words, numbers, arithmetic, related places
/// and fix. `trace`: what the condition read.
Finding build_finding(const Rule& rule, Severity severity, const SubjectEnvironment& environment,
                      const expr::Trace& trace);

/// Byte edits that set the rule's facts in the config; empty when one of them cannot be written
/// back in the config's own spelling (then the fix is advice only).
std::vector<Edit> fix_edits(const Rule& rule, const SubjectEnvironment& environment);

}  // namespace gpulint
