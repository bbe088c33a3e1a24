#pragma once

// One training step as allocations and releases, in the order a caching allocator would see them.
// Parameters, buffers, the batch and optimizer state are there before the step and are not events.
// Of kernel workspaces only those that the tape's options ask for are in it.

#include "base/units.h"
#include "model/tape.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace gpulint::model {

enum class StepPhase : std::uint8_t { forward, backward };

struct MemoryEvent {
  std::uint32_t id = 0;    // of one buffer; each id is allocated once and released at most once
  std::int64_t bytes = 0;  // > 0: allocated; < 0: released
  std::uint32_t operation = 0;  // index into the tape's operators
  StepPhase phase = StepPhase::forward;
  bool scratch = false;  // a kernel's workspace
};

struct Timeline {
  std::vector<MemoryEvent> events;
  bool complete = true;         // false: more events than asked for, or folded; none is kept then
  std::size_t event_count = 0;  // of the whole network
  Bytes forward_peak;           // above what is there before the step
  Bytes forward_end;            // saved tensors, autocast weights, logits and loss
  Bytes backward_peak;          // includes the gradients made so far
  Bytes forward_peak_unaided;   // without the kernels' workspaces
  Bytes backward_peak_unaided;  // likewise
  Bytes backward_end;           // gradients, and what the training loop still holds
  std::uint32_t backward_peak_operator = 0;
};

/// Plays forward, loss and backward of a finished tape. Gradients start as None. A recomputed block
/// runs its forward again just before its backward. Gradients of views are counted with the storage
/// they look at; lifetimes end at the last use, so variables a program keeps longer are not seen.
/// Events are kept where there are at most `most_events` (whoever reads the peaks alone asks for
/// none) and no layers are folded: the peaks of a folded tape are those of the whole network.
/// Indices of operators are the tape's.
Timeline play(const Tape& tape, std::size_t most_events = std::numeric_limits<std::size_t>::max());

}  // namespace gpulint::model
