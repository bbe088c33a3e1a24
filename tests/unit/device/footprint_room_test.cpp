#include "device/footprint_room.h"

#include <doctest/doctest.h>

namespace gpulint::probe {
namespace {

/// 40 GiB of weights, then 30 GiB of activations.
FootprintPlan plan_of_70_gib() {
  FootprintPlan plan;
  plan.trace.events = {{0, Bytes::gib(40), TracePhase::setup},
                       {1, Bytes::gib(30), TracePhase::forward}};
  plan.trace.peak_reserved = Bytes::gib(70);
  plan.trace.peak_allocated = Bytes::gib(63);
  plan.outside = Bytes::gib(1);
  return plan;
}

Surroundings idle(Bytes total) {
  Surroundings around;
  around.total = total;
  around.context = Bytes::mib(512);
  around.free = total - around.context;
  around.other_processes = 0;
  return around;
}

TEST_CASE("two hundredths of a card stay free, a twentieth of one with a screen") {
  CHECK(memory_floor(Bytes::gib(8), false) == Bytes::mib(256));
  CHECK(memory_floor(Bytes::gib(100), false) == Bytes::gib(2));
  CHECK(memory_floor(Bytes::gib(8), true) == Bytes::mib(768));
  CHECK(memory_floor(Bytes::gib(100), true) == Bytes::gib(5));
}

TEST_CASE("a footprint with room around it may be tried") {
  const FootprintReport report = weigh_footprint(plan_of_70_gib(), idle(Bytes::gib(80)));
  CHECK(report.verdict == FootprintVerdict::fits);
  CHECK(report.needed == Bytes::gib(71));
  CHECK(report.fragmentation == doctest::Approx(0.1));
  CHECK_FALSE(report.tried);
}

TEST_CASE(
    "what an empty card could not hold is out of memory by arithmetic, with event and phase") {
  const FootprintReport report = weigh_footprint(plan_of_70_gib(), idle(Bytes::gib(60)));
  CHECK(report.verdict == FootprintVerdict::out_of_memory);
  CHECK_FALSE(report.tried);
  REQUIRE(report.missing.has_value());
  CHECK(report.missing->event == 1);
  CHECK(report.missing->phase == TracePhase::forward);
  CHECK(report.missing->bytes == Bytes::gib(71) - (Bytes::gib(60) - Bytes::mib(512)));
}

TEST_CASE("a footprint that would leave less than the floor is not tried") {
  Surroundings around = idle(Bytes::gib(72));
  CHECK(weigh_footprint(plan_of_70_gib(), around).verdict == FootprintVerdict::refused);
  around.total = Bytes::gib(74);
  around.free = Bytes::gib(73);
  CHECK(weigh_footprint(plan_of_70_gib(), around).verdict == FootprintVerdict::fits);
  around.display = true;
  const FootprintReport report = weigh_footprint(plan_of_70_gib(), around);
  CHECK(report.verdict == FootprintVerdict::refused);
  CHECK(report.why ==
        "only 73.0 GiB of 73.0 GiB free may be used, and 3.70 GiB must stay free, which is not "
        "enough for 71.0 GiB");
}

TEST_CASE("beside other processes nothing is tried unless they agreed to share, and then half") {
  Surroundings around = idle(Bytes::gib(160));
  around.other_processes = 2;
  FootprintReport report = weigh_footprint(plan_of_70_gib(), around);
  CHECK(report.verdict == FootprintVerdict::refused);
  CHECK(report.why ==
        "2 other compute processes use the device; --share tries within half of what is free");
  around.share = true;
  CHECK(weigh_footprint(plan_of_70_gib(), around).verdict == FootprintVerdict::fits);
  around.free = Bytes::gib(140);  // half is 70
  CHECK(weigh_footprint(plan_of_70_gib(), around).verdict == FootprintVerdict::refused);
  around.other_processes = std::nullopt;
  around.share = false;
  CHECK(weigh_footprint(plan_of_70_gib(), around).verdict == FootprintVerdict::refused);
}

TEST_CASE("memory that is the host's is left alone") {
  Surroundings around = idle(Bytes::gib(160));
  around.integrated = true;
  const FootprintReport report = weigh_footprint(plan_of_70_gib(), around);
  CHECK(report.verdict == FootprintVerdict::refused);
  CHECK(report.why == "the device's memory is, or may be, the host's");
}

TEST_CASE("an MPS server's memory limit is respected") {
  Surroundings around = idle(Bytes::gib(160));
  around.limited = true;
  CHECK(weigh_footprint(plan_of_70_gib(), around).verdict == FootprintVerdict::refused);
}

TEST_CASE("an empty trace misses nothing, and no room is missed by the first event") {
  CHECK_FALSE(find_missing({}, Bytes{}).has_value());
  const auto missing = find_missing(plan_of_70_gib().trace, Bytes{} - Bytes::gib(1));
  REQUIRE(missing.has_value());
  CHECK(missing->event == 0);
  CHECK(missing->phase == TracePhase::setup);
  CHECK(missing->bytes == Bytes::gib(41));
}

}  // namespace
}  // namespace gpulint::probe
