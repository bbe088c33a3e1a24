#pragma once

// Networks that a script loads by a name and of which nobody knows more. Such a network may be a
// part of another, so its name counts only where nothing else is known of what is trained.
// Internal to this room.

#include "code/consumer_index.h"
#include "code/seen_facts.h"
#include "python/interpreter.h"

#include <optional>
#include <string>
#include <vector>

namespace gpulint {

class LoadedNetworks {
 public:
  /// What a call says that loads one: `AutoModel.from_pretrained(name)`.
  std::vector<SeenFact> called(const python::Interpreter& in, const python::Call& call,
                               const ConsumerIndex& consumers);
  /// States the name, where all that is loaded has the same one and no call states another.
  void state(std::vector<SeenFact>& seen) const;
  /// A call in the constructor of a network of the project: what it loads is a part of that.
  void hold(const python::Interpreter& in, const python::Call& call,
            const ConsumerIndex& consumers);
  /// The model that networks of the project are built on, where it is one.
  std::optional<SeenFact> held() const;
  bool holds_unknown() const;
  /// `model.save_pretrained(folder)`: what is loaded from there is what was trained.
  void saved(const python::Interpreter& in, const python::Call& call);
  /// Takes back that such a folder names the model of the run.
  void leave_out_saved(std::vector<SeenFact>& seen);

 private:
  std::vector<SeenFact> loaded_;
  std::vector<std::string> saved_;
  std::vector<SeenFact> held_;
};

}  // namespace gpulint
