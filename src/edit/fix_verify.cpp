#include "edit/fix_verify.h"

#include "finding/fix_check.h"
#include "plan/fact_table.h"
#include "source/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace gpulint {
namespace {

std::string identity(const LintResult& result, const Finding& finding) {
  return fmt::format("{}\n{}\n{}\n{}", finding.rule, path_of_span(result, finding.span),
                     finding.pointer, finding.phase.value_or(""));
}

std::vector<const Finding*> findings_of(const FixedUnit& unit) {
  std::vector<const Finding*> findings;
  for (const Finding& finding : unit.lint.findings) {
    if (unit.has(path_of_span(unit.lint, finding.span))) findings.push_back(&finding);
  }
  return findings;
}

std::map<std::string, int> count_findings(const FixedUnit& unit) {
  std::map<std::string, int> counts;
  for (const Finding* finding : findings_of(unit)) ++counts[identity(unit.lint, *finding)];
  return counts;
}

std::string identity(const FixCandidate& fix) {
  return fmt::format("{}\n{}\n{}\n{}", fix.finding.rule, fix.path, fix.finding.pointer,
                     fix.finding.phase.value_or(""));
}

/// The finding each fix is for must be there once less for each of them.
std::string still_there(const FixedUnit& before, const FixedUnit& after,
                        const std::vector<FixCandidate>& fixes) {
  std::map<std::string, int> wanted = count_findings(before);
  const std::map<std::string, int> found = count_findings(after);
  for (const FixCandidate& fix : fixes) --wanted[identity(fix)];
  for (const FixCandidate& fix : fixes) {
    const auto count = found.find(identity(fix));
    if (count != found.end() && count->second > std::max(0, wanted[identity(fix)])) {
      return fmt::format("{} would still be reported", fix.finding.rule);
    }
  }
  return {};
}

std::string changed_text(const FixedUnit& before, const FixedUnit& after,
                         const std::vector<FixCandidate>& fixes, const ReadLimits& limits) {
  std::map<std::string, std::vector<Edit>> edits;
  for (const FixCandidate& fix : fixes) {
    for (const auto& [path, own] : fix.edits) {
      edits[path].insert(edits[path].end(), own.begin(), own.end());
    }
  }
  for (const auto& [path, own] : edits) {
    const auto was = read_document(path, before.texts.at(path), 0, limits);
    const auto is = read_document(path, after.texts.at(path), 0, limits);
    if (!was) return "the file could not be read to begin with";
    if (!is) return fmt::format("the file could no longer be read: {}", is.error().message);
    if (std::string why = unintended_change(*was, *is, own); !why.empty()) return why;
  }
  return {};
}

/// A run of a lint, and the config it is of.
struct LintedRun {
  const std::string& path;
  const Plan& plan;
};

bool is_for(const FixCandidate& fix, const LintedRun& run) {
  const std::vector<std::string>& runs = fix.finding.runs;
  return std::find(runs.begin(), runs.end(), run.path) != runs.end();
}

using Changes = std::map<std::string, std::vector<std::optional<std::string>>>;

/// What the fixes together mean to change in a run.
Changes changes_of(const std::vector<FixCandidate>& fixes, const LintedRun& run) {
  Changes changes;
  for (const FixCandidate& fix : fixes) {
    if (!is_for(fix, run)) continue;
    for (const FactChange& change : fix.finding.fix->changes) {
      changes[change.fact].push_back(change.value);
    }
  }
  return changes;
}

struct StatedFact {
  bool stated = false;
  std::string value;
};

StatedFact stated_fact(const Plan& plan, const FactRow& row) {
  const Provenance* from = provenance_of(plan.facts, row);
  return {from != nullptr && from->origin == Origin::stated, canonical_text(plan.facts, row)};
}

/// A switch that was turned on, and the kind of half precision another key says it means.
bool same_value(std::string_view fact, const std::string& wanted, const std::string& is) {
  if (wanted == is) return true;
  return fact == "mixed_precision" && wanted == "enabled" && (is == "bf16" || is == "fp16");
}

/// Why the stated facts of one run are not what they were, apart from those that were to change.
/// A fix that somebody else's run is for may not change this one.
std::string changed_facts(const LintedRun& before, const LintedRun& after,
                          const std::vector<FixCandidate>& fixes) {
  const Changes changes = changes_of(fixes, after);
  for (const FactRow& row : fact_table()) {
    const StatedFact was = stated_fact(before.plan, row);
    const StatedFact is = stated_fact(after.plan, row);
    if (was.stated == is.stated && (!was.stated || was.value == is.value)) continue;
    const auto wanted = changes.find(std::string(row.name));
    const bool meant =
        wanted != changes.end() &&
        std::any_of(wanted->second.begin(), wanted->second.end(), [&](const auto& value) {
          return value ? same_value(row.name, *value, is.value) : !is.stated;
        });
    if (meant) continue;
    const bool own = std::any_of(fixes.begin(), fixes.end(),
                                 [&](const FixCandidate& fix) { return is_for(fix, after); });
    return own ? fmt::format("{} would change too", row.name)
               : fmt::format("{} would change in {} too", row.name, after.path);
  }
  return {};
}

/// The fix's own facts have their values in one of the runs it is for.
bool came_out(const FixCandidate& fix, const Plan& after) {
  return std::all_of(fix.finding.fix->changes.begin(), fix.finding.fix->changes.end(),
                     [&](const FactChange& change) {
                       const FactRow* row = find_fact(change.fact);
                       if (row == nullptr) return false;
                       if (!change.value) return !stated_fact(after, *row).stated;
                       return same_value(row->name, *change.value,
                                         canonical_text(after.facts, *row));
                     });
}

std::vector<LintedRun> runs_of(const FixedUnit& unit) {
  std::vector<LintedRun> runs;
  for (const FileReport& file : unit.lint.files) {
    for (const PlanReport& report : file.plans) {
      if (report.plan && unit.has(file.path)) runs.push_back({file.path, *report.plan});
    }
  }
  return runs;
}

std::string wrong_facts(const FixedUnit& before, const FixedUnit& after,
                        const std::vector<FixCandidate>& fixes) {
  const std::vector<LintedRun> was = runs_of(before);
  const std::vector<LintedRun> is = runs_of(after);
  const bool same_runs = std::equal(
      was.begin(), was.end(), is.begin(), is.end(), [](const LintedRun& a, const LintedRun& b) {
        return a.plan.path == b.plan.path && a.plan.phase == b.plan.phase &&
               a.plan.dialect == b.plan.dialect;
      });
  if (!same_runs) return "the file would be understood differently";
  for (std::size_t i = 0; i < was.size(); ++i) {
    if (std::string why = changed_facts(was[i], is[i], fixes); !why.empty()) return why;
  }
  for (const FixCandidate& fix : fixes) {
    const bool some = std::any_of(is.begin(), is.end(), [&](const LintedRun& run) {
      return is_for(fix, run) && came_out(fix, run.plan);
    });
    if (!some) return fmt::format("{} would not be read back as intended", fix.finding.rule);
  }
  return {};
}

}  // namespace

std::string FixCandidate::key() const {
  std::string text = identity(*this);
  for (const auto& [file, own] : edits) {
    for (const Edit& edit : own) text += fmt::format("\n{}{}", file, edit.pointer);
  }
  return text;
}

bool FixedUnit::has(const std::string& path) const { return only == nullptr || only->has(path); }

std::vector<const Finding*> new_errors(const FixedUnit& before, const FixedUnit& after) {
  std::map<std::string, int> known;
  for (const Finding* finding : findings_of(before)) {
    if (finding->severity == Severity::error) ++known[identity(before.lint, *finding)];
  }
  std::vector<const Finding*> fresh;
  for (const Finding* finding : findings_of(after)) {
    if (finding->severity != Severity::error) continue;
    if (--known[identity(after.lint, *finding)] < 0) fresh.push_back(finding);
  }
  return fresh;
}

std::vector<const Finding*> new_errors(const LintResult& before, const LintResult& after) {
  const FixTexts::Texts none;
  return new_errors(FixedUnit{none, before}, FixedUnit{none, after});
}

std::string failed_proof(const FixedUnit& before, const FixedUnit& after,
                         const std::vector<FixCandidate>& fixes, const ReadLimits& limits) {
  if (std::string why = changed_text(before, after, fixes, limits); !why.empty()) return why;
  if (std::string why = wrong_facts(before, after, fixes); !why.empty()) return why;
  if (std::string why = still_there(before, after, fixes); !why.empty()) return why;
  const auto errors = new_errors(before, after);
  if (!errors.empty()) return fmt::format("it would bring in {}", errors.front()->rule);
  return {};
}

}  // namespace gpulint
