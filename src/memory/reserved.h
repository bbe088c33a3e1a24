#pragma once

// What the caching allocator reserves beyond what is allocated: the step's tensors played through
// it.

#include "base/units.h"
#include "memory/allocator.h"
#include "memory/segment_events.h"
#include "model/tape.h"
#include "model/timeline.h"

#include <span>

namespace gpulint {

struct ReplayedSteps {
  Bytes peak_allocated;
  Bytes peak_reserved;
  Bytes rounding;  // of peak_allocated
  Bytes slack() const { return peak_reserved - peak_allocated; }
};

/// What the allocator adds to the tensors' bytes.
struct ReservedSlack {
  Bytes
      rounding;  // counted as allocated: at the peak, sizes rounded up and rests too small to split
  Bytes ample;   // reserved beyond allocated, with memory to spare
  Bytes pressed;  // likewise, on a device that has none
  friend bool operator==(const ReservedSlack&, const ReservedSlack&) = default;
};

struct ReplayOptions {
  AllocatorOptions allocator;
  double state_values = 0;       // optimizer values kept per trained weight, in its format
  bool borrows_copy = false;     // the optimizer works on a copy of all weights
  bool keeps_gradients = false;  // they stay between steps, as zeros
  bool unaided = false;          // kernels without their workspaces
  friend bool operator==(const ReplayOptions&, const ReplayOptions&) = default;
};

/// Two steps, in the first of which the optimizer's state comes to life, with what the allocator
/// asks the driver for. `held`: sizes of blocks that are there before the first step and stay, such
/// as workspaces.
SegmentTrace trace_steps(const model::Tape& tape, const model::Timeline& timeline,
                         const ReplayOptions& options, std::span<const Bytes> held);

/// The same steps twice: once with room for all; once without workspaces, on a device with no byte
/// more than the tensors take at once, so that the allocator gives unused segments back before it
/// asks for another.
ReservedSlack replay_slack(const model::Tape& tape, const model::Timeline& timeline,
                           const ReplayOptions& options);

}  // namespace gpulint
