#pragma once

// Calls that the config's values lead past: `if cfg.recompute:
// model.gradient_checkpointing_enable()` with `recompute: false` says that nothing is recomputed.
// Internal to this room.

#include "code/code_base.h"
#include "code/seen_facts.h"

#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gpulint {

class SkippedCalls {
 public:
  void left_out(python::Interpreter& in, const python::Skipped& part,
                const ConsumerIndex& consumers);
  /// `sides`: as of a call.
  void made(const ConsumingCall& known, std::span<const python::Side> sides);

  /// What the calls state that were left out wherever they stand. They fill in, and overrule no
  /// key.
  std::vector<SeenFact> facts() const;
  /// Facts that such a call may decide, and nobody knows whether it does. `is_any`: all of them, as
  /// of a program that was not seen to train; else those of calls that only one side of a condition
  /// makes which nobody can decide.
  std::vector<std::string> doubts(bool is_any) const;
  /// The latter, where nothing in `seen` speaks of them.
  void add_doubts(std::vector<SeenFact>& seen) const;
  /// What the optimizer that is made is not given, and one that was left out is: the key that the
  /// other takes states nothing of this one.
  void settle(std::vector<SeenFact>& seen) const;

 private:
  void note_passed(const python::SyntaxTree& tree, python::SyntaxId call,
                   const ConsumingCall& known);
  void add(const python::Skipped& part, python::SyntaxId call, const ConsumingCall& known);

  std::set<std::pair<const python::Module*, python::SyntaxId>> looked_at_;
  using Sides = std::vector<python::Side>;
  std::map<const ConsumingCall*, std::set<Sides>> made_;
  std::set<std::string> passed_;  // facts that optimizers which were left out are given
  std::vector<SeenFact> seen_;
};

}  // namespace gpulint
