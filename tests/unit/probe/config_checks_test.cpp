#include "probe/config_checks.h"

#include <doctest/doctest.h>

namespace gpulint::probe {
namespace {

/// 60 GiB reserved and 1 GiB outside of the allocator on a card of 80 GiB that runs nothing else.
DeviceReport played() {
  DeviceReport device;
  device.cuda_total = Bytes::gib(80);
  device.context = Bytes::gib(1);
  device.cuda_free = Bytes::gib(79);
  FootprintReport footprint;
  footprint.verdict = FootprintVerdict::fits;
  footprint.tried = true;
  footprint.basis = "the operators of resnet50";
  footprint.needed = Bytes::gib(61);
  footprint.outside = Bytes::gib(1);
  footprint.free_at_start = Bytes::gib(79);
  footprint.reserved_peak = Bytes::gib(60);
  footprint.taken_peak = Bytes::gib(60);
  footprint.free_at_peak = Bytes::gib(19);
  device.footprint = footprint;
  return device;
}

/// 58 to 66 GiB of 79.
const ConfigPrediction kPredicted{{Bytes::gib(58), Bytes::gib(66)},
                                  BytesRange{Bytes::gib(79), Bytes::gib(79)}};

TEST_CASE("a footprint that costs what it adds up to is confirmed, and so is what it leaves") {
  const auto checks = check_config(played(), kPredicted);
  REQUIRE(checks.size() == 2);
  CHECK(checks[0].name == "footprint");
  CHECK(checks[0].baseline == "what the caching allocator reserves, by the operators of resnet50");
  CHECK(checks[0].judgement.verdict == Verdict::confirmed);
  CHECK(checks[0].judgement.tolerance == doctest::Approx(0.03 * 60 * 1073741824.0));
  CHECK(checks[1].name == "headroom");
  CHECK(checks[1].prediction.low == Bytes::gib(13).as_double());
  CHECK(checks[1].prediction.high == Bytes::gib(21).as_double());
  CHECK(checks[1].measurement.value == Bytes::gib(18).as_double());
  CHECK(checks[1].judgement.verdict == Verdict::confirmed);
}

TEST_CASE("outside of the tolerance every prediction of a config is contradicted") {
  for (const Bytes off : {Bytes::gib(-2), Bytes::gib(2)}) {
    DeviceReport device = played();
    device.footprint->taken_peak += off;
    CHECK(check_config(device, kPredicted)[0].judgement.verdict == Verdict::contradicted);
  }
  for (const Bytes off : {Bytes::gib(-6), Bytes::gib(4)}) {
    DeviceReport device = played();
    device.footprint->free_at_peak += off;
    CHECK(check_config(device, kPredicted)[1].judgement.verdict == Verdict::contradicted);
  }
}

TEST_CASE("a driver that ran out contradicts a footprint, however little was missing") {
  DeviceReport device = played();
  device.footprint->verdict = FootprintVerdict::out_of_memory;
  device.footprint->missing = MissingMemory{7, TracePhase::backward, Bytes::mib(2)};
  device.footprint->taken_peak = Bytes{};
  const auto checks = check_config(device, kPredicted);
  CHECK(checks[0].judgement.verdict == Verdict::contradicted);
  CHECK(checks[1].judgement.verdict == Verdict::contradicted);
  CHECK(in_words(*device.footprint) ==
        "out_of_memory: the driver ran out: 61.00 GiB needed; at allocation 8, backward, 0.00 GiB "
        "are missing");
}

TEST_CASE("what arithmetic refuses was predicted to fit or not: only the headroom is judged") {
  DeviceReport device = played();
  device.footprint->verdict = FootprintVerdict::out_of_memory;
  device.footprint->tried = false;
  device.footprint->needed = Bytes::gib(90);
  device.footprint->missing = MissingMemory{3, TracePhase::forward, Bytes::gib(1)};
  auto checks = check_config(device, kPredicted);
  REQUIRE(checks.size() == 1);
  CHECK(checks[0].name == "headroom");
  CHECK(checks[0].judgement.verdict == Verdict::contradicted);
  checks = check_config(device, {{Bytes::gib(88), Bytes::gib(95)}, kPredicted.usable});
  CHECK(checks[0].measurement.value == -Bytes::gib(11).as_double());
  CHECK(checks[0].judgement.verdict == Verdict::confirmed);
}

TEST_CASE("a replay that was not allowed, given up or lent by Windows decides nothing") {
  for (const FootprintVerdict verdict :
       {FootprintVerdict::refused, FootprintVerdict::aborted, FootprintVerdict::fits_unconfirmed}) {
    DeviceReport device = played();
    device.footprint->verdict = verdict;
    device.footprint->why = "another process took memory meanwhile";
    const auto checks = check_config(device, kPredicted);
    // What was not measured is not compared; what is left by arithmetic is shown.
    CHECK(checks.size() == (verdict == FootprintVerdict::fits_unconfirmed ? 2 : 1));
    for (const Check& check : checks) {
      CHECK(check.judgement.verdict == Verdict::inconclusive);
      CHECK_FALSE(check.judgement.why.empty());
    }
  }
}

TEST_CASE("free memory that did not come back is noise") {
  DeviceReport device = played();
  device.footprint->drift = Bytes::gib(1);  // of a tolerance of 1.8
  CHECK(check_config(device, kPredicted)[0].judgement.verdict == Verdict::inconclusive);
}

TEST_CASE("on a slice, or on a card outside of the database, only the footprint is judged") {
  DeviceReport device = played();
  CHECK(check_config(device, {kPredicted.total, {}}).size() == 1);
  device.mig = true;
  CHECK(check_config(device, kPredicted).size() == 1);
  device.footprint.reset();
  CHECK(check_config(device, kPredicted).empty());
}

TEST_CASE("the largest batch may be one or 3 % off the estimate's") {
  const auto verdict = [](std::int64_t largest) {
    BatchReport report;
    report.largest = largest;
    return check_batch(report, 100).judgement.verdict;
  };
  CHECK(verdict(97) == Verdict::confirmed);
  CHECK(verdict(96) == Verdict::contradicted);
  CHECK(verdict(103) == Verdict::confirmed);
  CHECK(verdict(104) == Verdict::contradicted);
  BatchReport unknown;
  unknown.why = "refused";
  CHECK(check_batch(unknown, 100).judgement.verdict == Verdict::inconclusive);
}

TEST_CASE("a footprint is said in one line") {
  FootprintReport footprint = *played().footprint;
  footprint.segments = 212;
  footprint.fragmentation = 0.07;
  CHECK(in_words(footprint) ==
        "fits: 60.00 GiB reserved in 212 segments, 7 % of it unused; 19.00 GiB free at the peak, "
        "1.00 GiB of that for what lives outside the allocator");
  footprint.expandable = true;
  CHECK(in_words(footprint).find("in 212 pages") != std::string::npos);
  footprint.verdict = FootprintVerdict::refused;
  footprint.why = "2 other compute processes use the device";
  footprint.fallback = "native segments: the device has no virtual memory management";
  CHECK(in_words(footprint) ==
        "refused: 2 other compute processes use the device; native segments: the device has no "
        "virtual memory management");
}

}  // namespace
}  // namespace gpulint::probe
