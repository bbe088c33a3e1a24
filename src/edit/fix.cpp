#include "edit/fix.h"

#include "edit/fix_texts.h"
#include "edit/fix_trial.h"
#include "finding/apply.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace gpulint {
namespace {

/// Rounds over the whole request: a fix in one file can open a fix in another (twins).
constexpr int kMostRounds = 10;
/// Trials within one unit; a unit has a handful of fixes, ruff stops after 100 rounds.
constexpr int kMostTrials = 300;

FixRecord record_of(const FixCandidate& fix, FixState state, std::string reason) {
  FixRecord record{fix.path, fix.place, fix.finding.rule, fix.finding.pointer, {},
                   {},       state,     std::move(reason)};
  record.kind = fix.finding.fix->kind;
  for (const auto& [path, edits] : fix.edits) {
    for (const Edit& edit : edits) record.changed.push_back(edit.pointer);
  }
  return record;
}

/// Fixes of one unit, tried until nothing more can be done.
class UnitFixer {
 public:
  UnitFixer(FixTrial trial, bool unsafe) : unsafe_(unsafe), trial_(std::move(trial)) {}

  void run() {
    bool one_by_one = false;
    for (int trial = 0; trial < kMostTrials; ++trial) {
      std::vector<FixCandidate> batch = next_batch(one_by_one);
      if (batch.empty()) return;
      if (undoes_itself(batch)) {
        start_again();
        continue;
      }
      std::string failure = trial_.attempt(batch);
      if (failure.empty()) {
        take(batch);
      } else if (batch.size() > 1) {
        one_by_one = true;
      } else {
        rejected_[batch.front().key()] = std::move(failure);
      }
    }
    unsettled_ = true;  // a unit that never settles is left as it was
    start_again();
  }

  const FixTexts::Texts& texts() const { return trial_.texts().texts(); }
  const std::vector<FixCandidate>& applied() const { return applied_; }

  /// Reasons for the fixes that were taken back, by key.
  std::map<std::string, std::string> rejections() const {
    std::map<std::string, std::string> reasons = rejected_;
    for (const std::string& key : banned_) reasons[key] = "another fix undoes it";
    if (!unsettled_) return reasons;
    for (const Finding& finding : trial_.lint().findings) {
      if (!is_fixable(finding, unsafe_)) continue;
      reasons[candidate_from(trial_.lint(), finding).key()] =
          "the fixes of this file do not come to an end";
    }
    return reasons;
  }

 private:
  /// Fixes that may be tried now and do not touch the same bytes.
  std::vector<FixCandidate> next_batch(bool one_by_one) const {
    std::vector<FixCandidate> batch;
    std::vector<Edit> edits;
    for (const Finding& finding : trial_.lint().findings) {
      if (!is_fixable(finding, unsafe_)) continue;
      FixCandidate fix = candidate_from(trial_.lint(), finding);
      const std::string key = fix.key();
      if (rejected_.count(key) != 0 || banned_.count(key) != 0) continue;
      const std::size_t size = edits.size();
      edits.insert(edits.end(), finding.fix->edits.begin(), finding.fix->edits.end());
      if (find_collision(edits)) {
        edits.resize(size);
        continue;
      }
      batch.push_back(std::move(fix));
      if (one_by_one) break;
    }
    return batch;
  }

  bool undoes_itself(const std::vector<FixCandidate>& batch) {
    const auto again = std::find_if(batch.begin(), batch.end(), [&](const FixCandidate& fix) {
      return applied_keys_.count(fix.key()) != 0;
    });
    if (again == batch.end()) return false;
    banned_.insert(again->key());
    return true;
  }

  void start_again() {
    applied_.clear();
    applied_keys_.clear();
    rejected_.clear();
    trial_.reset();
  }

  /// What failed before may work on the new text.
  void take(std::vector<FixCandidate>& batch) {
    for (FixCandidate& fix : batch) {
      applied_keys_.insert(fix.key());
      applied_.push_back(std::move(fix));
    }
    rejected_.clear();
  }

  bool unsafe_;
  FixTrial trial_;
  std::vector<FixCandidate> applied_;
  std::set<std::string> applied_keys_;
  std::map<std::string, std::string> rejected_;
  std::set<std::string> banned_;
  bool unsettled_ = false;
};

/// All units of a request.
class Fixer {
 public:
  Fixer(const SessionView& session, const LintRequest& request, const FixOptions& options)
      : session_(session), request_(request), options_(options), texts_(session.files()) {}

  FixResult run() && {
    const LintResult first = lint(session_, request_);
    LintResult now = first;
    for (int round = 0; fix_units(now); ++round) {
      if (round + 1 == kMostRounds) take_back({}, "the fixes do not come to an end");
      now = lint(session_.over(texts_), request_);
    }
    for (auto errors = new_errors(first, now); !errors.empty(); errors = new_errors(first, now)) {
      take_back(path_of_span(now, errors.front()->span),
                "together with others it would bring in " + errors.front()->rule);
      now = lint(session_.over(texts_), request_);
    }
    FixResult result;
    result.texts = changed_texts();
    result.records = records(now);
    result.lint = std::move(now);
    return result;
  }

 private:
  /// What was done to one unit.
  struct Done {
    std::set<std::string> paths;
    std::vector<FixCandidate> fixes;
  };

  /// One round; false when nothing changed.
  bool fix_units(const LintResult& now) {
    bool changed = false;
    rejections_.clear();
    for (const FixUnit& unit : units_of(session_.over(texts_), request_, now, options_.unsafe)) {
      const bool left_alone =
          std::any_of(unit.paths.begin(), unit.paths.end(),
                      [&](const std::string& path) { return left_alone_.count(path) != 0; });
      if (left_alone) continue;
      UnitFixer fixer(FixTrial(session_, request_, unit, texts_), options_.unsafe);
      fixer.run();
      rejections_.merge(fixer.rejections());
      if (fixer.texts().empty()) continue;
      changed = true;
      for (const auto& [path, text] : fixer.texts()) texts_.texts()[path] = text;
      done_.push_back({{unit.paths.begin(), unit.paths.end()}, fixer.applied()});
    }
    return changed;
  }

  /// Undoes all units that hold `path`; every unit when it is "" or none does.
  void take_back(const std::string& path, const std::string& reason) {
    const bool known = std::any_of(done_.begin(), done_.end(),
                                   [&](const Done& done) { return done.paths.count(path) != 0; });
    for (const Done& done : done_) {
      if (known && done.paths.count(path) == 0) continue;
      for (const std::string& own : done.paths) {
        texts_.texts().erase(own);
        left_alone_[own] = reason;
      }
    }
    std::erase_if(done_, [&](const Done& done) {
      return std::any_of(done.paths.begin(), done.paths.end(),
                         [&](const std::string& own) { return left_alone_.count(own) != 0; });
    });
  }

  std::vector<FixedText> changed_texts() const {
    std::vector<FixedText> texts;
    for (const auto& [path, after] : texts_.texts()) {
      auto before = session_.files().read(path, request_.options.limits.max_bytes);
      if (before && *before != after) texts.push_back({path, std::move(*before), after});
    }
    return texts;
  }

  std::vector<FixRecord> records(const LintResult& now) const {
    std::vector<FixRecord> records;
    for (const Done& done : done_) {
      for (const FixCandidate& fix : done.fixes) {
        records.push_back(record_of(fix, FixState::applied, {}));
      }
    }
    for (const Finding& finding : now.findings) {
      if (finding.fix) records.push_back(record_of_remaining(now, finding));
    }
    return records;
  }

  FixRecord record_of_remaining(const LintResult& now, const Finding& finding) const {
    const FixCandidate fix = candidate_from(now, finding);
    if (finding.fix->edits.empty()) return record_of(fix, FixState::shown, finding.fix->refusal);
    if (!is_fixable(finding, options_.unsafe)) return record_of(fix, FixState::held_back, {});
    const auto rejection = rejections_.find(fix.key());
    if (rejection != rejections_.end()) {
      return record_of(fix, FixState::rolled_back, rejection->second);
    }
    const auto left = left_alone_.find(fix.path);
    return record_of(fix, FixState::rolled_back, left == left_alone_.end() ? "" : left->second);
  }

  const SessionView& session_;
  const LintRequest& request_;
  const FixOptions& options_;
  FixTexts texts_;
  std::vector<Done> done_;
  std::map<std::string, std::string> rejections_;  // by key
  std::map<std::string, std::string> left_alone_;  // path -> why
};

}  // namespace

FixResult fix(const SessionView& session, const LintRequest& request, const FixOptions& options) {
  return Fixer(session, request, options).run();
}

}  // namespace gpulint
