#pragma once

// What the loop that trains says of facts around it. Internal to this room.

#include "code/seen_facts.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace gpulint {

class TrainingLoop {
 public:
  /// A backward pass on these sides of conditions that nobody can decide.
  void went_backward(std::span<const python::Side> sides);
  /// The optimizer's step, in these loops.
  void stepped(std::span<const python::Round> rounds) {
    stepped_in_.assign(rounds.begin(), rounds.end());
    for (const python::Round& each : rounds) stepping_.insert(each.loop);
  }
  /// The fact at this index is a number of steps that a loop counts to.
  void counts_steps(std::size_t fact, std::uint32_t loop) { counted_.emplace_back(fact, loop); }
  /// The fact at this index is a number of epochs that a loop counts to; it may take one round
  /// more than that.
  void counts_epochs(std::size_t fact, std::uint32_t loop, bool has_extra_round) {
    epochs_.push_back({fact, loop, has_extra_round});
  }
  /// The fact at this index is a number of rounds, each of which is a step, or part of one.
  void makes_steps(std::size_t fact) { steps_.push_back(fact); }
  /// Something trains, or is made ready for it: so many facts are of what came before.
  void goes_on(std::size_t facts, bool trains) {
    last_ = facts;
    if (trains) last_trained_ = facts;
  }
  /// `end`: of the facts that calls stated, in their order. `lacking`: sides of conditions on which
  /// the config has not what is asked of it: another one is trained by there.
  void settle(std::vector<SeenFact>& seen, std::size_t end,
              const std::vector<std::vector<python::Side>>& lacking) const;

 private:
  using Sides = std::vector<python::Side>;
  /// On which every backward pass is made that the config may be meant for.
  Sides common_sides(const std::vector<Sides>& lacking) const;
  void mark_later(std::vector<SeenFact>& seen, std::size_t end) const;
  void settle_sides(std::vector<SeenFact>& seen, const Sides& sides) const;
  static void settle_paces(std::vector<SeenFact>& seen);
  void settle_steps(std::vector<SeenFact>& seen) const;

  struct Epochs {
    std::size_t fact = 0;
    std::uint32_t loop = 0;
    bool has_extra_round = false;
  };
  std::set<Sides> passes_;                 // around each backward pass
  std::vector<python::Round> stepped_in_;           // around the optimizer's step
  std::set<std::uint32_t> stepping_;                // all loops that an optimizer steps in
  std::vector<std::pair<std::size_t, std::uint32_t>> counted_;
  std::vector<Epochs> epochs_;
  std::vector<std::size_t> steps_;
  std::size_t last_ = 0;          // facts up to the last call that trains or prepares it
  std::size_t last_trained_ = 0;  // up to the last that trains
};

}  // namespace gpulint
