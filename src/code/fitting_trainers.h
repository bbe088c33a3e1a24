#pragma once

// Which of a script's trainers fits a network: one that is made to test it says nothing of the
// training. Internal to this room.

#include "code/consumer_index.h"
#include "code/seen_facts.h"
#include "python/interpreter.h"

#include <string>
#include <vector>

namespace gpulint {

class FittingTrainers {
 public:
  /// A library's trainer is made: `trainer = Trainer(max_epochs=3)`.
  void made(const python::Call& call);
  /// `trainer.fit(net)`: of the trainer that this name has got last, on either side of a condition.
  void called(const python::Call& call, const ConsumerIndex& consumers);
  /// Leaves out what trainers state that fit nothing, where it is known which of them fit.
  void settle(std::vector<SeenFact>& seen) const;

 private:
  struct Trainer {
    std::string name;  // of what it is assigned to
    SourceSpan call;
    std::vector<python::Side> sides;  // of conditions that nobody can decide
    bool fits = false;
  };
  std::vector<Trainer> trainers_;
  bool is_known_ = true;
};

}  // namespace gpulint
