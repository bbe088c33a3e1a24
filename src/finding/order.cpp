#include "finding/order.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace gpulint {
namespace {

bool at_one_place(const Finding& a, const Finding& b) {
  return a.span == b.span && a.rule == b.rule;
}

/// Of findings at one place the one that says the same, of whichever phase.
Finding* same_words(std::vector<Finding>& joined, const Finding& finding) {
  for (auto it = joined.rbegin(); it != joined.rend() && at_one_place(*it, finding); ++it) {
    if (it->message == finding.message) return &*it;
  }
  return nullptr;
}

void join(Finding& into, const Finding& from) {
  // Findings come in the order of their phases, so a phase that is named already is the last one.
  if (from.phase && into.phase && into.phase != from.phase &&
      !into.phase->ends_with(", " + *from.phase)) {
    *into.phase += ", " + *from.phase;
  }
  into.runs.insert(into.runs.end(), from.runs.begin(), from.runs.end());
  std::sort(into.runs.begin(), into.runs.end());
  into.runs.erase(std::unique(into.runs.begin(), into.runs.end()), into.runs.end());
  into.severity = std::max(into.severity, from.severity);
}

}  // namespace

void sort_and_join(std::vector<Finding>& findings) {
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    // The span's end stands after the rule: two findings at one place are told apart by rule first.
    return std::tie(a.span.file, a.span.begin, a.rule, a.span.end, a.phase, a.message, a.runs) <
           std::tie(b.span.file, b.span.begin, b.rule, b.span.end, b.phase, b.message, b.runs);
  });
  std::vector<Finding> joined;
  joined.reserve(findings.size());
  for (Finding& finding : findings) {
    if (Finding* same = same_words(joined, finding)) {
      join(*same, finding);
    } else {
      joined.push_back(std::move(finding));
    }
  }
  findings = std::move(joined);
}

}  // namespace gpulint
