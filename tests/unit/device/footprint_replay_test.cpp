#include "device/child.h"
#include "device/measure.h"
#include "unit/device/fake.h"

#include <csignal>
#include <unistd.h>

namespace gpulint::probe {
namespace {

/// `count` segments of `each`, the last two thirds of them in the forward pass.
SegmentTrace native_trace(int count, Bytes each) {
  SegmentTrace trace;
  for (int i = 0; i < count; ++i) {
    const TracePhase phase = i < count / 3 ? TracePhase::setup : TracePhase::forward;
    trace.events.push_back({static_cast<std::uint32_t>(i), each, phase});
  }
  trace.peak_reserved = each * count;
  trace.peak_allocated = trace.peak_reserved;
  return trace;
}

/// Both pools grow, the large one shrinks before it grows again.
SegmentTrace expandable_trace() {
  SegmentTrace trace;
  trace.expandable = true;
  trace.events = {{1, Bytes::mib(6), TracePhase::setup},
                  {0, Bytes::mib(400), TracePhase::forward},
                  {0, Bytes::mib(-200), TracePhase::forward},
                  {0, Bytes::mib(300), TracePhase::backward}};
  trace.peak_reserved = Bytes::mib(506);
  trace.peak_allocated = Bytes::mib(460);
  return trace;
}

DeviceReport device_after(const SegmentTrace& trace, const MachineFacts& machine = {},
                          bool share = false) {
  Assignment assignment;
  assignment.share = share;
  assignment.plan = [&](const DeviceReport&) {
    return ConfigPlan{.footprint = FootprintPlan{trace, Bytes::mib(100), {}}};
  };
  const Outcome outcome = measure(load_fake(), machine, assignment);
  REQUIRE(std::holds_alternative<DeviceReport>(outcome));
  return std::get<DeviceReport>(outcome);
}

FootprintReport footprint_of(const SegmentTrace& trace, const MachineFacts& machine = {},
                             bool share = false) {
  const DeviceReport device = device_after(trace, machine, share);
  REQUIRE(device.footprint.has_value());
  return *device.footprint;
}

void check_nothing_is_left(const FakeDriver& fake) {
  CHECK(fake.live_objects == 0);
  CHECK(fake.live_bytes == 0);
  CHECK(fake.live_contexts == 0);
  CHECK(fake.requests_over_free == 0);
}

TEST_CASE("native segments that fit are taken one by one, touched and given back") {
  FakeDriver& fake = fresh_fake();
  const FootprintReport report = footprint_of(native_trace(30, Bytes::gib(3)));
  CHECK(report.verdict == FootprintVerdict::fits);
  CHECK(report.tried);
  CHECK(report.segments == 30);
  CHECK(report.reserved_peak == Bytes::gib(90));
  CHECK(report.taken_peak == Bytes::gib(90));
  CHECK(report.free_at_start == Bytes::mib(143156 - 519));
  CHECK(report.free_at_peak == Bytes::mib(143156 - 519) - Bytes::gib(90));
  CHECK(report.drift == Bytes{});
  CHECK(fake.touched_words >= 90 * 512);
  check_nothing_is_left(fake);
}

TEST_CASE("expandable segments grow, shrink and grow again by whole pages") {
  FakeDriver& fake = fresh_fake();
  const FootprintReport report = footprint_of(expandable_trace());
  CHECK(report.verdict == FootprintVerdict::fits);
  CHECK(report.expandable);
  CHECK(report.segments == 3 + 25);  // pages of 2 and of 20 MiB
  CHECK(report.reserved_peak == Bytes::mib(506));
  CHECK(report.taken_peak == Bytes::mib(506));
  CHECK(report.fragmentation == doctest::Approx(46.0 / 506));
  check_nothing_is_left(fake);
}

TEST_CASE("a footprint that leaves a twentieth of the card is tight") {
  fresh_fake();
  CHECK(footprint_of(native_trace(34, Bytes::gib(4))).verdict == FootprintVerdict::fits_tight);
}

TEST_CASE("what does not fit is said by arithmetic, and the driver sees no request for it") {
  FakeDriver& fake = fresh_fake();
  const FootprintReport report = footprint_of(native_trace(36, Bytes::gib(4)));
  CHECK(report.verdict == FootprintVerdict::out_of_memory);
  CHECK_FALSE(report.tried);
  REQUIRE(report.missing.has_value());
  CHECK(report.missing->event == 34);
  CHECK(report.missing->phase == TracePhase::forward);
  CHECK(fake.peak_bytes < (4LL << 30));  // the buffers that are timed
  check_nothing_is_left(fake);
}

TEST_CASE("another process that grows meanwhile ends the replay, and everything is given back") {
  FakeDriver& fake = fresh_fake();
  fake.growth_mib_per_allocation = 2048;
  const FootprintReport report = footprint_of(native_trace(100, Bytes::gib(1)));
  CHECK(report.verdict == FootprintVerdict::aborted);
  CHECK(report.why.find("another process took memory meanwhile") == 0);
  CHECK(report.drift > Bytes::gib(64));
  check_nothing_is_left(fake);
}

TEST_CASE("a driver that runs out although enough was free names event, phase and bytes") {
  for (const bool expandable : {false, true}) {
    FakeDriver& fake = fresh_fake();
    fake.gives_up_beyond_mib = 300;
    SegmentTrace trace = expandable ? expandable_trace() : native_trace(9, Bytes::mib(64));
    const FootprintReport report = footprint_of(trace);
    CHECK(report.verdict == FootprintVerdict::out_of_memory);
    CHECK(report.tried);
    REQUIRE(report.missing.has_value());
    CHECK(report.missing->event == (expandable ? 1 : 4));
    CHECK(report.missing->phase == TracePhase::forward);
    CHECK(report.reserved_peak == (expandable ? Bytes::mib(6) : Bytes::mib(256)));
    CHECK(report.missing->bytes == (expandable ? Bytes::mib(400) : Bytes::mib(64)));
    check_nothing_is_left(fake);
  }
}

TEST_CASE("a driver that refuses for another reason ends the replay with its words") {
  for (const char* call : {"cuMemCreate", "cuMemMap", "cuMemSetAccess", "cuMemsetD32Async"}) {
    FakeDriver& fake = fresh_fake();
    fake.failing_call = call;
    fake.failing_code = 999;
    const FootprintReport report = footprint_of(expandable_trace());
    CHECK(report.verdict == FootprintVerdict::aborted);
    CHECK(report.why.find(call) != std::string::npos);
    check_nothing_is_left(fake);
  }
  for (const char* call : {"cuMemAddressReserve", "cuMemGetAllocationGranularity"}) {
    FakeDriver& fake = fresh_fake();
    fake.failing_call = call;
    fake.failing_code = 801;
    CHECK(footprint_of(expandable_trace()).verdict == FootprintVerdict::refused);
    check_nothing_is_left(fake);
  }
}

TEST_CASE("a screen on the device raises what stays free") {
  FakeDriver& fake = fresh_fake();
  fake.kernel_timeout = 1;
  DeviceReport device = device_after(native_trace(34, Bytes::gib(4)));
  CHECK(device.display);
  CHECK(device.footprint->verdict == FootprintVerdict::refused);
  CHECK(device.footprint->floor == Bytes::rounded(143156.0 * 1048576 * 0.05));
  fake = FakeDriver{};
  fake.display_active = 1;
  CHECK(device_after(native_trace(1, Bytes::gib(4))).display);
}

TEST_CASE("other processes keep the replay away unless they agreed to share") {
  FakeDriver& fake = fresh_fake();
  fake.processes = 1;
  fake.other_process_mib = 20'000;
  CHECK(footprint_of(native_trace(4, Bytes::gib(4))).verdict == FootprintVerdict::refused);
  CHECK(footprint_of(native_trace(4, Bytes::gib(4)), {}, true).verdict == FootprintVerdict::fits);
  // More than half of what is free: arithmetic again.
  CHECK(footprint_of(native_trace(16, Bytes::gib(4)), {}, true).verdict ==
        FootprintVerdict::refused);
  check_nothing_is_left(fake);
}

TEST_CASE("on a slice of a card nobody knows the other processes") {
  FakeDriver& fake = fresh_fake();
  fake.name = "NVIDIA H200 MIG 1g.18gb";
  fake.cuda_total_mib = 16'384;
  CHECK(footprint_of(native_trace(2, Bytes::gib(1))).verdict == FootprintVerdict::refused);
  CHECK(footprint_of(native_trace(2, Bytes::gib(1)), {}, true).verdict == FootprintVerdict::fits);
}

TEST_CASE("memory of the host is left alone") {
  FakeDriver& fake = fresh_fake();
  fake.integrated = 1;
  CHECK(footprint_of(native_trace(2, Bytes::gib(1))).verdict == FootprintVerdict::refused);
  fake = FakeDriver{};
  fake.host_page_tables = 1;  // Grace Hopper
  CHECK(footprint_of(native_trace(2, Bytes::gib(1))).verdict == FootprintVerdict::refused);
}

TEST_CASE("under WSL a footprint that fits is not confirmed") {
  fresh_fake();
  MachineFacts windows;
  windows.wsl = true;
  CHECK(footprint_of(native_trace(2, Bytes::gib(1)), windows).verdict ==
        FootprintVerdict::fits_unconfirmed);
}

TEST_CASE("a replay that the time does not allow is given up") {
  FakeDriver& fake = fresh_fake();
  Assignment assignment;
  assignment.end = std::chrono::steady_clock::now();
  assignment.plan = [](const DeviceReport&) {
    return ConfigPlan{.footprint = FootprintPlan{native_trace(3, Bytes::gib(1)), {}, {}}};
  };
  const Outcome outcome = measure(load_fake(), {}, assignment);
  const auto& device = std::get<DeviceReport>(outcome);
  REQUIRE(device.footprint.has_value());
  CHECK(device.footprint->verdict == FootprintVerdict::aborted);
  CHECK(device.footprint->why == "it took too long");
  CHECK(device.rates.empty());
  check_nothing_is_left(fake);
}

TEST_CASE("a driver that hangs in the middle of a replay is ended at the deadline") {
  FakeDriver& fake = fresh_fake();
  fake.hanging_call = "cuMemsetD32Async";
  const Outcome outcome = run_in_child(
      [] {
        Assignment assignment;
        assignment.plan = [](const DeviceReport&) {
          return ConfigPlan{.footprint = FootprintPlan{native_trace(3, Bytes::gib(1)), {}, {}}};
        };
        return measure(load_fake(), {}, assignment);
      },
      std::chrono::milliseconds{300});
  REQUIRE(std::holds_alternative<Failed>(outcome));
  CHECK(std::get<Failed>(outcome).message == "the driver did not answer within 300 ms");
}

TEST_CASE("a signal in the middle of a replay gives everything back and is reported") {
  fresh_fake();
  const Outcome outcome = run_in_child(
      [] {
        FakeDriver& fake = fresh_fake();
        Assignment assignment;
        assignment.plan = [](const DeviceReport&) {
          std::raise(SIGINT);
          return ConfigPlan{.footprint = FootprintPlan{native_trace(3, Bytes::gib(1)), {}, {}}};
        };
        Outcome inner = measure(load_fake(), {}, assignment);
        if (fake.live_objects != 0 || fake.live_contexts != 0) inner = Failed{"a leak"};
        return inner;
      },
      std::chrono::milliseconds{9000});
  REQUIRE(std::holds_alternative<DeviceReport>(outcome));
  const auto& device = std::get<DeviceReport>(outcome);
  REQUIRE(device.footprint.has_value());
  CHECK(device.footprint->verdict == FootprintVerdict::aborted);
  CHECK(device.footprint->why == "interrupted by a signal");
}

TEST_CASE("what was found survives the way to the parent") {
  fresh_fake();
  const DeviceReport here = device_after(native_trace(36, Bytes::gib(4)));
  const Outcome there = run_in_child([&] { return Outcome{here}; }, std::chrono::seconds(5));
  REQUIRE(std::holds_alternative<DeviceReport>(there));
  CHECK(std::get<DeviceReport>(there) == here);
}

}  // namespace
}  // namespace gpulint::probe
