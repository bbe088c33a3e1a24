#pragma once

#include "edit/fix_texts.h"
#include "edit/fix_verify.h"
#include "lint/lint.h"

#include <optional>
#include <string>
#include <vector>

namespace gpulint {

/// One unit, linted over changing texts.
class FixTrial {
 public:
  /// `below`: the texts the trials start from; all must outlive this.
  FixTrial(const SessionView& session, const LintRequest& request, const FixUnit& unit,
           const FixTexts& below)
      : session_(session),
        request_(part_of(request, unit)),
        below_(below),
        texts_(FixTexts::above(below)) {
    reset();
  }

  /// The present state.
  const LintResult& lint() const { return lint_; }
  const FixTexts& texts() const { return texts_; }

  /// Back to the texts the trials started from.
  void reset();
  /// Applies the fixes; "" = the proof held and they are part of the present state, else the
  /// reason, and nothing has changed.
  std::string attempt(const std::vector<FixCandidate>& fixes);
  /// The reason alone; nothing is kept.
  std::string failure_of(const std::vector<FixCandidate>& fixes) const;

 private:
  struct Outcome {
    std::string failure;
    FixTexts texts;
    LintResult lint;
  };
  Outcome try_out(const std::vector<FixCandidate>& fixes) const;
  LintResult lint_over(const FixTexts& texts) const;

  const SessionView& session_;
  const LintRequest request_;
  const FixTexts& below_;
  FixTexts texts_;
  LintResult lint_;
};

/// The fix of a finding with what outlives the file ids of its lint.
FixCandidate candidate_from(const LintResult& result, const Finding& finding);

}  // namespace gpulint
