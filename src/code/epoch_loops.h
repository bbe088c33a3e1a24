#pragma once

// Loops that count epochs, told by what is inside them. Internal to this room.

#include "code/consumer_index.h"
#include "code/seen_facts.h"
#include "python/interpreter.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>

namespace gpulint {

class EpochLoops {
 public:
  static constexpr const char* kFact = "epochs";

  /// What a loop counts whose counter says nothing of it; unknown ends are dropped.
  void counted(std::uint32_t loop, SeenFact fact) {
    if (fact.fact.known) counted_.insert_or_assign(loop, std::move(fact));
  }
  /// Gradients are worked out in these loops: where the innermost goes over a loader, the one
  /// around it counts epochs, whatever its counter is called. Each is returned once.
  std::optional<SeenFact> around(const python::Interpreter& in,
                                 std::span<const python::Round> rounds,
                                 const ConsumerIndex& consumers);

 private:
  std::map<std::uint32_t, SeenFact> counted_;  // by the number of the loop
};

}  // namespace gpulint
