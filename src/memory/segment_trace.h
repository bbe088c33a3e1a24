#pragma once

#include "memory/memory_estimate.h"
#include "memory/segment_events.h"
#include "run/estimate_request.h"

namespace gpulint {

struct TraceOptions {
  bool expandable = false;  // segments, where the device can
  /// What the device can give the allocator: near it unused segments go back; 0 = without end.
  Bytes room = {};
};

/// What the allocator of one rank, the most loaded, asks the driver for over two training steps:
/// the operators of a known model played through it where their tensors are what `vram` estimates,
/// else the terms of `vram` one after the other, in segments of one size. The latter says nothing
/// about fragmentation.
SegmentTrace segment_trace(const EstimateRequest& request, const VramEstimate& vram,
                           const TraceOptions& options);

/// Whether a plan asks for expandable segments.
bool wants_expandable_segments(const TrainingPlan& plan);

}  // namespace gpulint
