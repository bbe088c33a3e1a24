#include "finding/order.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace gpulint {
namespace {

auto key_of(const Finding& finding) {
  return std::tie(finding.span, finding.rule, finding.phase, finding.message);
}

void join_runs(Finding& into, const Finding& from) {
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
    if (!joined.empty() && key_of(joined.back()) == key_of(finding)) {
      join_runs(joined.back(), finding);
    } else {
      joined.push_back(std::move(finding));
    }
  }
  findings = std::move(joined);
}

}  // namespace gpulint
