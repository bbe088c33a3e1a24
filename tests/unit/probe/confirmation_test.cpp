#include "probe/confirmation.h"

#include <doctest/doctest.h>

using namespace gpulint;
using namespace gpulint::probe;

namespace {

constexpr BytesRange kContext{Bytes::mib(273), Bytes::mib(648)};

DeviceReport device() {
  DeviceReport report;
  report.name = "NVIDIA Test";
  report.pci_bus_id = "0000:03:00.0";
  report.driver_version = "580.00";
  report.driver_library = "/usr/lib/libcuda.so.1";
  report.cuda_version = 12040;
  report.compute_capability = 86;
  report.sm_count = 82;
  report.visible_devices = 1;
  report.nvml_total = Bytes::mib(24576);
  report.nvml_reserved = Bytes::mib(400);
  report.cuda_total = Bytes::mib(24200);
  report.free_before_context = Bytes::mib(24100);
  report.free_after_context = Bytes::mib(23800);
  report.context = Bytes::mib(300);
  return report;
}

Gpu gpu() {
  Gpu known;
  known.id = "test";
  known.memory_total = Bytes::mib(24576);
  known.usable_memory = BytesRange{Bytes::mib(24124), Bytes::mib(24268)};
  return known;
}

std::vector<Verdict> verdicts(const DeviceReport& report) {
  const Gpu known = gpu();
  std::vector<Verdict> all;
  for (const Check& check : check_device(report, &known, kContext)) {
    all.push_back(check.judgement.verdict);
  }
  return all;
}

}  // namespace

TEST_CASE("totals as in the database are confirmed, a bare context decides nothing") {
  CHECK(verdicts(device()) ==
        std::vector{Verdict::confirmed, Verdict::confirmed, Verdict::inconclusive});
}

TEST_CASE("each figure outside its tolerance is contradicted") {
  DeviceReport report = device();
  report.nvml_total = Bytes::mib(24578);
  report.cuda_total = Bytes::mib(24100);
  report.context = Bytes::mib(799);
  CHECK(verdicts(report) ==
        std::vector{Verdict::contradicted, Verdict::contradicted, Verdict::contradicted});
}

TEST_CASE("a context measured while another process grew decides nothing") {
  DeviceReport report = device();
  report.context = Bytes::mib(2000);
  report.drift = Bytes::mib(400);
  CHECK(verdicts(report).back() == Verdict::inconclusive);
}

TEST_CASE("what was not measured is not judged") {
  DeviceReport report = device();
  report.nvml_total.reset();
  report.context.reset();
  CHECK(verdicts(report) == std::vector{Verdict::confirmed});
  report.mig = true;
  CHECK(verdicts(report).empty());
}

TEST_CASE("a GPU outside the database is only held against the context") {
  const auto checks = check_device(device(), nullptr, kContext);
  REQUIRE(checks.size() == 1);
  CHECK(checks[0].name == "context");
}

TEST_CASE("the exit code tells contradicted, failed and no device apart") {
  const Gpu known = gpu();
  Confirmation good{device(), "test", check_device(device(), &known, kContext)};
  CHECK(exit_code_of(good) == 0);
  DeviceReport report = device();
  report.cuda_total = Bytes::mib(1000);
  CHECK(exit_code_of({report, "test", check_device(report, &known, kContext)}) == 1);
  CHECK(exit_code_of({Failed{"x"}, "", {}}) == 3);
  CHECK(exit_code_of({Unavailable{Reason::no_driver, "x"}, "", {}}) == 4);
}
