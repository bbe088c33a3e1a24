// Cached blocks serve later requests only where they are large enough, and large ones are not split
// for what leaves less than a megabyte; so the order of a step decides how much is reserved.
// Weights and inputs come first and stay. Gradients live from backward to the end of the
// optimizer's step.

#include "memory/reserved.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace gpulint {
namespace {

using model::MemoryEvent;
using model::Storage;
using model::StorageKind;
using Handle = CachingAllocator::Handle;

constexpr Handle kNotLive = 0xffffffffU;

class Replay {
 public:
  Replay(const model::Tape& tape, const model::Timeline& timeline, const ReplayOptions& options)
      : tape_(tape), timeline_(timeline), options_(options), allocator_(options.allocator) {
    const auto backward =
        std::find_if(timeline.events.begin(), timeline.events.end(), [](const MemoryEvent& event) {
          return event.bytes > 0 && event.phase == model::StepPhase::backward;
        });
    if (backward != timeline.events.end()) first_of_backward_ = backward->id;
  }

  void record(std::vector<SegmentEvent>& events) { allocator_.record(events); }

  /// Bytes that are there before the first step and stay.
  void hold(Bytes bytes) { allocator_.allocate(bytes); }

  ReplayedSteps run() {
    for (const Storage& storage : tape_.storages()) {
      const bool step =
          storage.kind == StorageKind::activation || storage.kind == StorageKind::weight_cast;
      if (!step && storage.bytes > 0) allocator_.allocate(Bytes::of(storage.bytes));
    }
    micro_batch();
    make_states();
    optimizer_step();
    micro_batch();
    optimizer_step();
    return {allocator_.peak_allocated(), allocator_.peak_reserved(), allocator_.rounding_at_peak()};
  }

 private:
  void micro_batch() {
    for (const MemoryEvent& event : timeline_.events) {
      allocator_.enter(event.phase == model::StepPhase::forward ? TracePhase::forward
                                                                : TracePhase::backward);
      if (options_.unaided && event.scratch) continue;
      if (event.id >= live_.size()) live_.resize(event.id + std::size_t{1}, kNotLive);
      Handle& handle = live_[event.id];
      if (event.bytes > 0 && handle == kNotLive) {
        handle = allocator_.allocate(Bytes::of(event.bytes));
      } else if (event.bytes > 0) {  // a gradient that is kept: the new one is added to it
        allocator_.release(allocator_.allocate(Bytes::of(event.bytes)));
      } else if (event.bytes < 0 && handle != kNotLive) {
        allocator_.release(handle);
        handle = kNotLive;
      }
    }
  }

  void make_states() {
    const int values = static_cast<int>(std::lround(options_.state_values));
    allocator_.enter(TracePhase::optimizer_step);
    for (const Storage& storage : tape_.storages()) {
      if (storage.kind != StorageKind::parameter || !storage.trainable) continue;
      for (int i = 0; i < values; ++i) allocator_.allocate(Bytes::of(storage.bytes));
    }
  }

  // What is left after backward, gradients and the loop's own variables, goes with the step.
  void optimizer_step() {
    std::vector<Handle> borrowed;
    allocator_.enter(TracePhase::optimizer_step);
    for (const Storage& storage : tape_.storages()) {
      if (storage.kind != StorageKind::parameter || !storage.trainable) continue;
      if (!options_.borrows_copy) break;
      borrowed.push_back(allocator_.allocate(Bytes::of(storage.bytes)));
    }
    for (const Handle handle : borrowed) allocator_.release(handle);
    for (std::size_t id = 0; id < live_.size(); ++id) {
      Handle& handle = live_[id];
      if (handle == kNotLive || (options_.keeps_gradients && made_in_backward(id))) continue;
      allocator_.release(handle);
      handle = kNotLive;
    }
  }

  // Of what is left then, these are the gradients of weights. Ids count allocations.
  bool made_in_backward(std::size_t id) const { return id >= first_of_backward_; }

  const model::Tape& tape_;
  const model::Timeline& timeline_;
  const ReplayOptions& options_;
  CachingAllocator allocator_;
  std::vector<Handle> live_;
  std::size_t first_of_backward_ = kNotLive;
};

}  // namespace

ReplayedSteps replay_steps(const model::Tape& tape, const model::Timeline& timeline,
                           const ReplayOptions& options) {
  return Replay(tape, timeline, options).run();
}

SegmentTrace trace_steps(const model::Tape& tape, const model::Timeline& timeline,
                         const ReplayOptions& options, std::span<const Bytes> held) {
  SegmentTrace trace;
  trace.expandable = options.allocator.expandable_segments;
  Replay replay(tape, timeline, options);
  replay.record(trace.events);
  for (const Bytes bytes : held) replay.hold(bytes);
  const ReplayedSteps steps = replay.run();
  trace.peak_allocated = steps.peak_allocated;
  trace.peak_reserved = steps.peak_reserved;
  return trace;
}

ReservedSlack replay_slack(const model::Tape& tape, const model::Timeline& timeline,
                           const ReplayOptions& options) {
  const ReplayedSteps ample = replay_steps(tape, timeline, options);
  ReplayOptions pressed = options;
  pressed.unaided = true;
  const bool aided = std::any_of(timeline.events.begin(), timeline.events.end(),
                                 [](const MemoryEvent& event) { return event.scratch; });
  pressed.allocator.limit =
      aided ? replay_steps(tape, timeline, pressed).peak_allocated : ample.peak_allocated;
  return {ample.rounding, ample.slack(), replay_steps(tape, timeline, pressed).slack()};
}

}  // namespace gpulint
