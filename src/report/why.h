#pragma once

// What `gpulint facts --why KEY` answers: the way of a key, or of a fact, through the dialect or
// the code of its project.

#include "lint/lint.h"

#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// One way by which a key comes to state a fact.
struct Why {
  std::string phase = {};   // of a file that holds several runs
  std::string key = {};     // dotted; "" = the value stands in the code, or nowhere
  SourceSpan span = {};     // of the value
  std::string value = {};   // as it stands there
  std::string fact = {};    // "" = nobody understood the key
  std::string stated = {};  // the fact's value, with its unit; "" = this does not state it
  std::string origin = {};
  std::string detail = {};
  std::vector<std::string> loaders = {};  // "train.py:12"
  std::string taken_at = {};              // "train.py:33"
  std::string taken_by = {};              // "torch.optim.AdamW(lr=cfg.speed)"
  bool computed = false;
  bool agreed = true;
  /// What of the network the code does not tell: "Net.encoder", and the code to blame.
  std::string missing = {};
  std::string missing_at = {};    // "models/net.py:12"; "" = nobody knows
  std::string missing_code = {};  // as it is written there
  bool is_undecided = false;      // it is a condition that nobody can decide
};

/// "Net.encoder is not known: nobody could follow `build()` (models/net.py:12)".
std::string unknown_words(const UnknownPart& part);

/// `asked`: a dotted key ("solver.speed"), its end where no whole key is called so, or a fact.
/// Empty when the config has no such key and no such fact is known of it.
std::vector<Why> why_of(const FileReport& file, const LintResult& result, std::string_view asked);

std::string why_text(const FileReport& file, const LintResult& result, std::string_view asked);

}  // namespace gpulint
