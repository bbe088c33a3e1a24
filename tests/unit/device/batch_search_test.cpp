#include "device/batch_search.h"

#include "device/measure.h"
#include "device/wire_batch.h"
#include "unit/device/fake.h"

#include <set>

namespace batch_search_test {

using namespace gpulint;
using namespace gpulint::probe;

namespace {

/// A device on which batches up to `most` fit.
PlayBatch device_for(std::int64_t most, std::set<std::int64_t>* asked = nullptr) {
  return [most, asked](std::int64_t batch) {
    if (asked != nullptr) CHECK(asked->insert(batch).second);
    FootprintReport report;
    report.verdict = batch <= most ? FootprintVerdict::fits : FootprintVerdict::out_of_memory;
    report.free_at_peak = Bytes::gib(1);
    return report;
  };
}

std::chrono::steady_clock::time_point later() {
  return std::chrono::steady_clock::now() + std::chrono::minutes(1);
}

}  // namespace

TEST_CASE("the largest batch is found from any prediction, and none is asked about twice") {
  for (const std::int64_t most : {0, 1, 2, 3, 63, 64, 83, 1000}) {
    for (const std::int64_t predicted : {0, 1, 2, 64, 84, 5000}) {
      CAPTURE(most);
      CAPTURE(predicted);
      std::set<std::int64_t> asked;
      const BatchReport report = find_batch(predicted, device_for(most, &asked), later());
      CHECK(report.largest == most);
      CHECK(report.trials.size() <= 32);
    }
  }
}

TEST_CASE("a prediction that is right takes two trials") {
  const BatchReport report = find_batch(8, device_for(8), later());
  REQUIRE(report.trials.size() == 2);
  CHECK(report.trials.front().batch == 8);
  CHECK(report.trials.back().batch == 9);
}

TEST_CASE("what leaves too little for what lives outside of the allocator does not fit") {
  const auto play = [](std::int64_t batch) {
    FootprintReport report;
    report.verdict = FootprintVerdict::fits_tight;
    report.free_at_peak = Bytes::gib(10 - batch);
    report.outside = Bytes::gib(3);
    return report;
  };
  CHECK(find_batch(9, play, later()).largest == 7);
}

TEST_CASE("a batch the device may not be asked about ends the search with its reason") {
  const auto play = [](std::int64_t) {
    FootprintReport report;
    report.verdict = FootprintVerdict::refused;
    report.why = "1 other compute process uses the device";
    return report;
  };
  const BatchReport report = find_batch(4, play, later());
  CHECK_FALSE(report.largest.has_value());
  CHECK(report.why == "batch 4: 1 other compute process uses the device");
}

TEST_CASE("without time there is no largest batch") {
  const BatchReport report = find_batch(4, device_for(4), std::chrono::steady_clock::now());
  CHECK_FALSE(report.largest.has_value());
  CHECK(report.why == "out of time");
}

TEST_CASE("a search survives the way between processes, nonsense does not") {
  const BatchReport report = find_batch(10, device_for(7), later());
  BatchReport read;
  const Json json = to_json(report);
  Reader reader(json);
  read_batch(reader, read);
  CHECK_FALSE(reader.broken());
  CHECK(read == report);
  Json negative = json;
  negative["largest"] = -1;
  Reader refusing(negative);
  read_batch(refusing, read);
  CHECK(refusing.broken());
}

TEST_CASE(
    "on an idle card a footprint is tried up to the last block, and the driver's word counts") {
  FakeDriver& fake = fresh_fake();
  fake.gives_up_beyond_mib = 142'000;
  Assignment assignment = untimed();
  assignment.end = later();
  assignment.timed = false;
  assignment.plan = [](const DeviceReport& device) {
    ConfigPlan plan;
    plan.first_batch = 100;
    plan.at_batch = [free = device.cuda_free](std::int64_t batch) {
      FootprintPlan one;
      for (std::uint32_t i = 0; i < batch; ++i) {
        one.trace.events.push_back({.segment = i, .bytes = Bytes::gib(1)});
      }
      one.trace.peak_reserved = one.trace.peak_allocated = Bytes::gib(batch);
      one.to_the_end = true;
      return std::optional(one);
    };
    return plan;
  };
  const Outcome outcome = measure(load_fake(), {}, assignment);
  REQUIRE(std::holds_alternative<DeviceReport>(outcome));
  const auto& batch = std::get<DeviceReport>(outcome).batch;
  REQUIRE(batch.has_value());
  CHECK(batch->largest == 138);  // of 139.3 GiB that are free, all but what the driver keeps
  CHECK(fake.live_objects == 0);
  CHECK(fake.live_bytes == 0);
}

}  // namespace batch_search_test
