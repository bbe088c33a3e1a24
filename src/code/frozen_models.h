#pragma once

// Models that a script loads and does not train. Internal to this room.

#include "code/seen_facts.h"

#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// `reference = Model.from_pretrained(...)`, then `reference.requires_grad_(False)`: it is not what
/// the run trains, unless there may be an adapter in it, and neither is an object of options that
/// it is given.
class FrozenModels {
 public:
  /// A call that states `facts`: it may load a model, or make options for one.
  void stated(const python::Call& call, const std::vector<SeenFact>& facts);
  void called(const python::Interpreter& in, const python::Call& call);
  /// Takes out of `seen` what calls state that load such models.
  void settle(std::vector<SeenFact>& seen) const;

 private:
  struct Loaded {
    std::string name;  // source text of what it is assigned to
    SourceSpan call = {};
    std::vector<python::Side> sides = {};   // around the call
    std::vector<std::string> given = {};    // source texts of its arguments
    bool is_frozen = false;
  };

  std::vector<Loaded> loaded_;
};

/// `options = BitsAndBytesConfig(...)` of a script that does nothing with it any more. `acting`: the
/// script's text without comments.
bool is_unused(const python::Call& call, std::string_view acting);

}  // namespace gpulint
