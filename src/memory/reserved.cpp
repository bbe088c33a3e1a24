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
    const auto turn = std::find_if(
        timeline.events.begin(), timeline.events.end(),
        [](const MemoryEvent& event) { return event.phase == model::StepPhase::backward; });
    forward_events_ = static_cast<std::size_t>(turn - timeline.events.begin());
    std::size_t ids = 0;
    for (const MemoryEvent& event : timeline.events)
      ids = std::max<std::size_t>(ids, event.id + std::size_t{1});
    live_.assign(ids, kNotLive);
  }

  void record(std::vector<SegmentEvent>& events) { allocator_.record(events); }

  /// Bytes that are there before the first step and stay.
  void hold(Bytes bytes) { allocator_.allocate(bytes); }

  /// Goes on from the stage reached; `reached` gets this replay as it is after each.
  ReplayedSteps run(std::vector<Replay>* reached = nullptr) {
    while (next_ < kStages) {
      play_stage(next_++);
      if (reached != nullptr) reached->push_back(*this);
    }
    return {allocator_.peak_allocated(), allocator_.peak_reserved(), allocator_.rounding_at_peak()};
  }

  /// Would a device that can give so much have changed anything so far?
  bool stayed_within(Bytes limit) const { return allocator_.peak_reserved() <= limit; }
  void limit(Bytes limit) { allocator_.limit(limit); }

  static constexpr int kStages = 6;

 private:
  void play_stage(int stage) {
    const std::span<const MemoryEvent> events = timeline_.events;
    switch (stage) {
      case 0:
        make_weights();
        return play_events(events.first(forward_events_));
      case 1:
        return play_events(events.subspan(forward_events_));
      case 2:
        make_states();
        return optimizer_step();
      case 3:
        return play_events(events.first(forward_events_));
      case 4:
        return play_events(events.subspan(forward_events_));
      default:
        borrow();  // what the step lets go of then changes no peak
    }
  }

  void make_weights() {
    for (const Storage& storage : tape_.storages()) {
      const bool step =
          storage.kind == StorageKind::activation || storage.kind == StorageKind::weight_cast;
      if (!step && storage.bytes > 0) allocator_.allocate(Bytes::of(storage.bytes));
    }
  }

  void play_events(std::span<const MemoryEvent> events) {
    for (const MemoryEvent& event : events) {
      allocator_.enter(event.phase == model::StepPhase::forward ? TracePhase::forward
                                                                : TracePhase::backward);
      if (options_.unaided && event.scratch) continue;
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

  std::vector<Handle> borrow() {
    std::vector<Handle> borrowed;
    allocator_.enter(TracePhase::optimizer_step);
    if (!options_.borrows_copy) return borrowed;
    for (const Storage& storage : tape_.storages()) {
      if (storage.kind != StorageKind::parameter || !storage.trainable) continue;
      borrowed.push_back(allocator_.allocate(Bytes::of(storage.bytes)));
    }
    return borrowed;
  }

  // What is left after backward, gradients and the loop's own variables, goes with the step.
  void optimizer_step() {
    for (const Handle handle : borrow()) allocator_.release(handle);
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
  std::size_t forward_events_ = 0;
  int next_ = 0;  // stage
};

/// The slack where the device gives no more than the steps allocate at most. Up to the stage that
/// would have reserved more, such a device changes nothing: the replay goes on from there.
Bytes slack_under_pressure(const std::vector<Replay>& reached, const ReplayedSteps& ample) {
  const auto last = std::find_if(reached.rbegin(), reached.rend(), [&](const Replay& replay) {
    return replay.stayed_within(ample.peak_allocated);
  });
  if (last == reached.rbegin()) return ample.slack();
  Replay pressed = *last;  // the first has reserved nothing
  pressed.limit(ample.peak_allocated);
  return pressed.run().slack();
}

}  // namespace

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
  const auto replayed = [&](const ReplayOptions& how, std::vector<Replay>& reached) {
    Replay replay(tape, timeline, how);
    reached.reserve(1 + Replay::kStages);
    reached.push_back(replay);
    return replay.run(&reached);
  };
  std::vector<Replay> reached;
  const ReplayedSteps ample = replayed(options, reached);
  const bool aided = std::any_of(timeline.events.begin(), timeline.events.end(),
                                 [](const MemoryEvent& event) { return event.scratch; });
  if (!aided) return {ample.rounding, ample.slack(), slack_under_pressure(reached, ample)};
  ReplayOptions unaided = options;
  unaided.unaided = true;
  reached.clear();
  const ReplayedSteps least = replayed(unaided, reached);
  return {ample.rounding, ample.slack(), slack_under_pressure(reached, least)};
}

}  // namespace gpulint
