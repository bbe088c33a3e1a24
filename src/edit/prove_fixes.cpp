// Fixes that are offered, not carried out, are each proved alone. Those of different units cannot
// disturb one another, so one of each unit is tried in the same lint: as many lints as the unit
// with the most fixes has, instead of one for each fix. One that fails there is tried once more by
// itself.

#include "edit/fix.h"
#include "edit/fix_texts.h"
#include "edit/fix_trial.h"
#include "edit/fix_verify.h"
#include "finding/apply.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

namespace gpulint {
namespace {

/// The fixes of one unit, in the order of their findings.
struct UnitFixes {
  FixUnit unit;
  std::vector<FixCandidate> fixes;
};

class Prover {
 public:
  Prover(const SessionView& session, const LintRequest& request)
      : session_(session), request_(request), texts_(session.files()) {}

  /// Reasons of the fixes that do not hold, by key.
  std::map<std::string, std::string> failures_of(const LintResult& result) {
    std::vector<FixUnit> units = units_of(session_, request_, result, /*unsafe=*/true);
    before_ = lint_of(units, texts_);
    std::vector<UnitFixes> all;
    for (FixUnit& unit : units) all.push_back(fixes_of(std::move(unit)));
    for (std::size_t round = 0; !all.empty(); ++round) {
      std::erase_if(all, [&](const UnitFixes& each) { return each.fixes.size() <= round; });
      if (!all.empty()) prove(all, round);
    }
    return std::move(failures_);
  }

 private:
  LintResult lint_of(const std::vector<FixUnit>& units, const FixTexts& texts) const {
    FixUnit joined;
    for (const FixUnit& unit : units) {
      joined.paths.insert(joined.paths.end(), unit.paths.begin(), unit.paths.end());
      joined.readers.insert(joined.readers.end(), unit.readers.begin(), unit.readers.end());
    }
    for (std::vector<std::string>* paths : {&joined.paths, &joined.readers}) {
      std::sort(paths->begin(), paths->end());
      paths->erase(std::unique(paths->begin(), paths->end()), paths->end());
    }
    LintRequest part = part_of(request_, joined);
    part.options.jobs = request_.options.jobs;
    part.options.fleet.clear();
    return lint(session_.over(texts), part);
  }

  UnitFixes fixes_of(FixUnit unit) const {
    UnitFixes all{std::move(unit), {}};
    const std::vector<std::string>& paths = all.unit.paths;
    for (const Finding& finding : before_.findings) {
      if (!is_fixable(finding, /*unsafe=*/true)) continue;
      FixCandidate fix = candidate_from(before_, finding);
      if (std::binary_search(paths.begin(), paths.end(), fix.path))
        all.fixes.push_back(std::move(fix));
    }
    return all;
  }

  /// One fix of each unit.
  void prove(const std::vector<UnitFixes>& all, std::size_t round) {
    FixTexts changed = FixTexts::above(texts_);
    FixTexts::Texts originals;
    std::vector<FixUnit> units;
    for (const UnitFixes& each : all) {
      if (change(each.fixes[round], changed, originals)) units.push_back(each.unit);
    }
    const LintResult after = lint_of(units, changed);
    for (const UnitFixes& each : all) {
      const FixCandidate& fix = each.fixes[round];
      if (failures_.count(fix.key()) != 0) continue;
      const std::string failure =
          failed_proof({originals, before_, &each.unit}, {changed.texts(), after, &each.unit},
                       {fix}, request_.options.limits);
      if (!failure.empty()) try_alone(each.unit, fix);
    }
  }

  void try_alone(const FixUnit& unit, const FixCandidate& fix) {
    const FixTrial trial(session_, request_, unit, texts_);
    std::string failure = trial.failure_of({fix});
    if (!failure.empty()) failures_[fix.key()] = std::move(failure);
  }

  /// False, and a failure, where the edits cannot be made.
  bool change(const FixCandidate& fix, FixTexts& changed, FixTexts::Texts& originals) {
    for (const auto& [path, edits] : fix.edits) {
      auto text = texts_.read(path, request_.options.limits.max_bytes);
      if (!text) return fail(fix, "the file can no longer be read");
      auto fixed = apply_edits(*text, edits.front().span.file, edits);
      if (!fixed) return fail(fix, std::move(fixed).error().message);
      if (*fixed == *text) return fail(fix, "it would change nothing");
      originals[path] = std::move(*text);
      changed.texts()[path] = std::move(*fixed);
    }
    return true;
  }

  bool fail(const FixCandidate& fix, std::string reason) {
    failures_[fix.key()] = std::move(reason);
    return false;
  }

  const SessionView& session_;
  const LintRequest& request_;
  const FixTexts texts_;
  LintResult before_;
  std::map<std::string, std::string> failures_;
};

}  // namespace

void prove_fixes(const SessionView& session, const LintRequest& request, LintResult& result) {
  const auto failures = Prover(session, request).failures_of(result);
  for (Finding& finding : result.findings) {
    if (!is_fixable(finding, /*unsafe=*/true)) continue;
    const auto failure = failures.find(candidate_from(result, finding).key());
    if (failure == failures.end()) continue;
    finding.fix->kind = FixKind::display;
    finding.fix->edits.clear();
    finding.fix->changes.clear();
    finding.fix->refusal = failure->second;
  }
}

}  // namespace gpulint
