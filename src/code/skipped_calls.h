#pragma once

// Calls that the config's values lead past: `if cfg.recompute:
// model.gradient_checkpointing_enable()` with `recompute: false` says that nothing is recomputed.
// Internal to this room.

#include "code/code_base.h"
#include "code/seen_facts.h"

#include <set>
#include <utility>
#include <vector>

namespace gpulint {

class SkippedCalls {
 public:
  void left_out(python::Interpreter& in, const python::Skipped& part,
                const ConsumerIndex& consumers);
  void made(const ConsumingCall& known) { made_.insert(&known); }

  /// What the calls state that were left out wherever they stand. They fill in, and overrule no
  /// key.
  std::vector<SeenFact> facts() const;

 private:
  void add(const python::Skipped& part, python::SyntaxId call, const ConsumingCall& known);

  std::set<std::pair<const python::Module*, python::SyntaxId>> looked_at_;
  std::set<const ConsumingCall*> made_;
  std::vector<SeenFact> seen_;
};

}  // namespace gpulint
