#pragma once

// Fixes carried out on texts; nothing is written here. Every fix is proved by linting again: the
// file still reads, only the values its edits name changed, the facts came out as meant, the
// finding is gone and no error is new. A fix that fails is taken back and its reason kept. Fixes
// are tried until a further run would change nothing.

#include "lint/lint.h"

#include <cstdint>
#include <string>
#include <vector>

namespace gpulint {

struct FixOptions {
  bool unsafe = false;  // fixes that may change what is trained as well
};

enum class FixState : std::uint8_t {
  applied,
  shown,        // advice only: the rule offers no edit, or `reason` says why there is none
  held_back,    // unsafe, and unsafe fixes were not asked for
  rolled_back,  // tried and taken back; `reason` says what was wrong
};

/// What became of one fix.
struct FixRecord {
  std::string path;
  LineColumn place;
  std::string rule;
  std::string pointer;
  std::vector<std::string> changed;  // pointers its edits change
  FixKind kind = FixKind::display;
  FixState state = FixState::shown;
  std::string reason;
};

/// One file's text before and after.
struct FixedText {
  std::string path;
  std::string before;
  std::string after;
};

struct FixResult {
  std::vector<FixedText> texts;    // those that changed, by path
  std::vector<FixRecord> records;  // applied ones in the order of their application, then the rest
  LintResult lint;                 // of the fixed texts
};

FixResult fix(const SessionView& session, const LintRequest& request, const FixOptions& options);

/// Tries every fix of `result` by itself and turns those that fail into advice with the reason, so
/// that what a report offers is what `fix` would do.
void prove_fixes(const SessionView& session, const LintRequest& request, LintResult& result);

}  // namespace gpulint
