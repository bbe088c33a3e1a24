#pragma once

// What the calls of one script state, and what follows from all of them together. Internal to this
// room.

#include "code/consumer_index.h"
#include "code/loader_role.h"
#include "code/read_code.h"
#include "python/interpreter.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// A condition whose other side is never seen.
inline constexpr std::uint32_t kNobodyKnows = 0xffffffffU;
/// Micro-batches of a step that the code divides among the ranks.
inline constexpr std::string_view kAccumulationOfAllRanks = "gradient_accumulation_of_all_ranks";

struct SeenFact {
  CodeFact fact;
  std::vector<python::Side> sides = {};  // where it is said, as of a call; empty: in any case
  bool is_default = false;               // of the call itself: the argument was left out
  bool is_of_optimizer = false;          // such a default of an optimizer
  bool is_shared = false;                // the call gets one GPU's part of it
  bool is_split = false;                 // one process loads it for one micro-batch of its GPUs
  double for_each_rank = 0;              // the call gets that times the number of ranks
  bool is_left_to_trainer = false;       // such a default of a library's trainer
  LoaderRole role = LoaderRole::training;
  const ConsumingCall* skipped = nullptr;  // the call that is left out, if that is what states it
  std::optional<python::Side> paced_by = {};  // of the condition that lets every n-th call happen
};

/// What stands around a call.
struct Around {
  std::vector<python::Round> rounds = {};
  std::vector<python::Side> sides = {};
};

/// All that one call states.
/// `before`: around the last of the calls it is made after; nullptr: none was seen.
std::vector<SeenFact> facts_of(const python::Interpreter& in, const python::Call& call,
                               const ConsumingCall& known, const Around* before = nullptr);

/// What a dict of keys of a dialect states that the call is given: `{"zero_optimization": {...}}`.
std::vector<SeenFact> facts_of_keys(const python::Interpreter& in, const python::Call& call,
                                    const ConsumingCall& known, std::string_view dialect,
                                    const python::Value& config);

/// One statement per fact: where calls disagree, or one nobody can read is among them, there is
/// none.
std::vector<CodeFact> agreed(std::vector<SeenFact> seen);

/// What a loader yields is for all GPUs of the process: each one gets a part of the batch.
void state_whole_batches(std::vector<SeenFact>& seen);

/// A library builds its networks on others, which are no models of their own, and what it leaves out
/// of a call is written nowhere.
inline bool is_of_library_alone(const SeenFact& seen) {
  return seen.fact.fact == "model" || (seen.is_default && !seen.fact.from_config);
}

/// An optimizer is among it, or arguments of a trainer.
bool trains(const std::vector<SeenFact>& seen);

}  // namespace gpulint
