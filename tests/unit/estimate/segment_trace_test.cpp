#include "memory/segment_trace.h"

#include "memory/allocator.h"
#include "unit/estimate/embedded.h"
#include "unit/estimate/plans.h"
#include "unit/shipped_plan.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace segment_trace_test {

using namespace gpulint;
using namespace gpulint::test;

namespace {

TrainingPlan resnet50(std::int64_t batch) {
  TrainingPlan plan = test::shipped_plan();
  state(plan.model, std::string("resnet50"));
  state(plan.per_device_batch_size, batch);
  state(plan.image_size, 224);
  state(plan.gradient_accumulation_steps, 1);
  state(plan.zero_grad_set_to_none, true);
  state(plan.optimizer, "adamw");
  state(plan.mixed_precision, "fp16");
  state(plan.weights_dtype, "fp32");
  return plan;
}

struct Traced {
  VramEstimate vram;
  SegmentTrace trace;
};
Traced traced(const TrainingPlan& plan, const TraceOptions& options = {}) {
  const Gpu gpu = t4();
  const PlanOn request{.plan = &plan, .gpu = &gpu, .models = &known_models()};
  const Estimate result = estimate(request);
  REQUIRE(result.vram);
  return {*result.vram, segment_trace(request, *result.vram, options)};
}

Bytes largest_sum(const SegmentTrace& trace) {
  Bytes taken;
  Bytes most;
  for (const SegmentEvent& event : trace.events) {
    taken += event.bytes;
    CHECK(taken >= Bytes{});
    most = std::max(most, taken);
  }
  return most;
}

std::set<TracePhase> phases_of(const SegmentTrace& trace) {
  std::set<TracePhase> phases;
  for (const SegmentEvent& event : trace.events) phases.insert(event.phase);
  return phases;
}

}  // namespace

TEST_CASE("an allocator records the native segments it takes and, near its limit, gives back") {
  CachingAllocator allocator({.limit = Bytes::mib(64)});
  std::vector<SegmentEvent> events;
  allocator.record(events);
  allocator.allocate(Bytes::of(700));
  allocator.enter(TracePhase::forward);
  allocator.release(allocator.allocate(Bytes::mib(40)));
  allocator.enter(TracePhase::backward);
  allocator.allocate(Bytes::mib(60));
  const std::vector<SegmentEvent> expected{{0, Bytes::mib(2), TracePhase::setup},
                                           {1, Bytes::mib(40), TracePhase::forward},
                                           {1, Bytes::mib(-40), TracePhase::backward},
                                           {2, Bytes::mib(60), TracePhase::backward}};
  CHECK(events == expected);
}

TEST_CASE("an allocator records how the expandable segment of each pool grows") {
  CachingAllocator allocator({.expandable_segments = true});
  std::vector<SegmentEvent> events;
  allocator.record(events);
  allocator.allocate(Bytes::of(700));
  allocator.allocate(Bytes::mib(30));
  allocator.allocate(Bytes::mib(30));
  const std::vector<SegmentEvent> expected{{1, Bytes::mib(2), TracePhase::setup},
                                           {0, Bytes::mib(40), TracePhase::setup},
                                           {0, Bytes::mib(20), TracePhase::setup}};
  CHECK(events == expected);
}

TEST_CASE("a known model is played: every segment is a whole one and each phase asks for some") {
  const Traced played = traced(resnet50(64));
  CHECK(played.trace.basis == "the operators of resnet50");
  CHECK_FALSE(played.trace.expandable);
  CHECK(largest_sum(played.trace) == played.trace.peak_reserved);
  CHECK(played.trace.peak_reserved >= played.trace.peak_allocated);
  CHECK(in_mib(played.trace.peak_allocated) ==
        doctest::Approx(in_mib(played.vram.allocated_peak)).epsilon(0.01));
  for (const SegmentEvent& event : played.trace.events) {
    CHECK(event.bytes.count() % Bytes::mib(2).count() == 0);
  }
  CHECK(phases_of(played.trace) == std::set{TracePhase::setup, TracePhase::forward,
                                            TracePhase::backward, TracePhase::optimizer_step});
}

TEST_CASE("expandable segments grow by pages of their pool and reserve less") {
  const Traced native = traced(resnet50(64));
  const Traced grown = traced(resnet50(64), {.expandable = true});
  CHECK(grown.trace.expandable);
  CHECK(grown.trace.peak_reserved < native.trace.peak_reserved);
  for (const SegmentEvent& event : grown.trace.events) {
    REQUIRE(event.segment < kExpandablePage.size());
    CHECK(event.bytes.count() % kExpandablePage[event.segment].count() == 0);
  }
}

TEST_CASE("with less room than it would like the allocator gives unused segments back") {
  const Traced free = traced(resnet50(64));
  const Bytes room = free.trace.peak_reserved - Bytes::mib(2);
  const Traced pressed = traced(resnet50(64), {.room = room});
  const bool gives_back =
      std::any_of(pressed.trace.events.begin(), pressed.trace.events.end(),
                  [](const SegmentEvent& event) { return event.bytes < Bytes{}; });
  CHECK(gives_back);
  CHECK(pressed.trace.peak_reserved <= room);
}

TEST_CASE("states sharded over ranks are summed, not played whole") {
  TrainingPlan plan = test::shipped_plan();
  state(plan.model, std::string("gpt2"));
  state(plan.per_device_batch_size, 1);
  state(plan.sequence_length, 128);
  state(plan.gradient_accumulation_steps, 1);
  state(plan.zero_grad_set_to_none, true);
  state(plan.optimizer, "adamw");
  state(plan.mixed_precision, "bf16");
  state(plan.activation_checkpointing, "full");
  state(plan.sharding_stage, 3);
  state(plan.data_parallel_size, 64);
  const Traced sharded = traced(plan);
  CHECK(sharded.trace.basis == "the terms of the estimate");
  CHECK(largest_sum(sharded.trace) == sharded.trace.peak_reserved);
  CHECK(sharded.trace.peak_reserved >= sharded.vram.reserved_peak);
  CHECK(sharded.trace.peak_reserved <= sharded.vram.reserved_peak + Bytes::mib(8));
  const Traced grown = traced(plan, {.expandable = true});
  CHECK(grown.trace.peak_reserved >= grown.vram.reserved_peak);
}

TEST_CASE("stated activations are summed in segments of one size, weights first") {
  TrainingPlan plan = test::shipped_plan();
  state(plan.parameters, 1'000'000'000);
  state(plan.activation_bytes_per_sample, Bytes::gib(1));
  state(plan.per_device_batch_size, 4);
  state(plan.gradient_accumulation_steps, 1);
  state(plan.zero_grad_set_to_none, true);
  state(plan.optimizer, "adamw");
  state(plan.mixed_precision, "bf16");
  const Traced summed = traced(plan);
  REQUIRE_FALSE(summed.trace.events.empty());
  CHECK(summed.trace.events.front() == SegmentEvent{0, Bytes::mib(128), TracePhase::setup});
  CHECK(std::is_sorted(summed.trace.events.begin(), summed.trace.events.end(),
                       [](const SegmentEvent& a, const SegmentEvent& b) {
                         return a.segment < b.segment || a.phase < b.phase;
                       }));
}

TEST_CASE("names of phases come back as they went") {
  for (std::size_t i = 0; i < kTracePhaseCount; ++i) {
    const auto phase = static_cast<TracePhase>(i);
    CHECK(trace_phase_from(name_of(phase)) == phase);
  }
  CHECK_FALSE(trace_phase_from("evaluation").has_value());
}

}  // namespace segment_trace_test
