#include "estimate/device_memory.h"
#include "unit/estimate/plans.h"

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
