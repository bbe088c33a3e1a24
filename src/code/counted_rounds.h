#pragma once

// Loops that count epochs or steps, told by what is inside them. Internal to this room.

#include "code/consumer_index.h"
#include "code/seen_facts.h"
#include "python/interpreter.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>

namespace gpulint {

/// One of the loops goes over a loader, or over what is called so.
bool has_batches(const python::Interpreter& in, std::span<const python::Round> rounds,
                 const ConsumerIndex& consumers);

class CountedRounds {
 public:
  static constexpr const char* kEpochs = "epochs";
  static constexpr const char* kSteps = "max_steps";

  /// `range(epochs + 1)`: schedules are made for `epochs`, and one round is over and above.
  static bool has_extra_round(const python::Loop& loop);
  /// What a loop counts to.
  static SeenFact fact_of(const python::Loop& loop, std::string_view fact);

  /// What a loop counts whose counter says nothing of it; unknown ends are dropped.
  void counted(const python::Loop& loop, SeenFact fact) {
    if (!fact.fact.known || loop.counter == python::Loop::Counter::elsewhere) return;
    const bool is_inside = loop.counter == python::Loop::Counter::inside;
    counted_.insert_or_assign(loop.number, Counted{std::move(fact), is_inside});
  }
  /// Gradients are worked out in these loops: where the innermost goes over a loader, the one
  /// around it counts epochs, whatever its counter is called, or steps if that goes up inside. A
  /// loop by itself that takes its batches elsewhere counts steps. Each is returned once.
  std::optional<SeenFact> around(const python::Interpreter& in,
                                 std::span<const python::Round> rounds,
                                 const ConsumerIndex& consumers);

 private:
  struct Counted {
    SeenFact fact;
    bool goes_up_inside = false;
  };
  std::map<std::uint32_t, Counted> counted_;  // by the number of the loop
};

}  // namespace gpulint
