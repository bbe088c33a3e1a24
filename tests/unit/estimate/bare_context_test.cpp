#include "memory/device_memory.h"
#include "unit/estimate/plans.h"
#include "unit/shipped_plan.h"

#include <doctest/doctest.h>

using namespace gpulint;
using namespace gpulint::test;

TEST_CASE("a context measured without a framework is the least a training process takes") {
  Gpu gpu = t4();
  const Interval usual = outside_allocator({}, &gpu).context;
  CHECK(usual.central == Bytes::mib(360));  // 300 MiB and 1.5 for each of 40 SMs
  gpu.bare_context = Bytes::mib(200);
  CHECK(outside_allocator({}, &gpu).context.low == Bytes::mib(200));
  CHECK(outside_allocator({}, &gpu).context.central == usual.central);
  gpu.bare_context = Bytes::mib(500);
  CHECK(outside_allocator({}, &gpu).context.central == Bytes::mib(500));
  CHECK(outside_allocator({}, &gpu).context.high == Bytes::mib(650));
}

TEST_CASE("ranks that split layers or experts too may have a communicator for each group") {
  TrainingPlan plan = test::shipped_plan();
  state(plan.world_size, 16);
  const Interval one = outside_allocator(plan, nullptr).communication;
  state(plan.tensor_parallel_size, 4);
  state(plan.expert_parallel_size, 4);
  const Interval three = outside_allocator(plan, nullptr).communication;
  CHECK(three.central == one.central);
  CHECK(three.high == one.high + one.central * 2);
}
