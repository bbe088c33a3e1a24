#include "probe/confirmation.h"

#include "unit/measured_device.h"

#include <doctest/doctest.h>

using namespace gpulint;
using namespace gpulint::probe;
using gpulint::test::kContext;
using gpulint::test::known_gpu;
using gpulint::test::measured_device;

namespace {

std::vector<Verdict> verdicts(const DeviceReport& report) {
  const Gpu known = known_gpu();
  std::vector<Verdict> all;
  for (const Check& check : check_device(report, &known, kContext)) {
    all.push_back(check.judgement.verdict);
  }
  return all;
}

}  // namespace

TEST_CASE("totals as in the database are confirmed, a bare context decides nothing") {
  CHECK(verdicts(measured_device()) ==
        std::vector{Verdict::confirmed, Verdict::confirmed, Verdict::inconclusive});
}

TEST_CASE("each figure outside its tolerance is contradicted") {
  DeviceReport report = measured_device();
  report.nvml_total = Bytes::mib(24578);
  report.cuda_total = Bytes::mib(24100);
  report.context = Bytes::mib(799);
  CHECK(verdicts(report) ==
        std::vector{Verdict::contradicted, Verdict::contradicted, Verdict::contradicted});
}

TEST_CASE("a context measured while another process grew decides nothing") {
  DeviceReport report = measured_device();
  report.context = Bytes::mib(2000);
  report.drift = Bytes::mib(400);
  CHECK(verdicts(report).back() == Verdict::inconclusive);
}

TEST_CASE("what was not measured is not judged") {
  DeviceReport report = measured_device();
  report.nvml_total.reset();
  report.context.reset();
  CHECK(verdicts(report) == std::vector{Verdict::confirmed});
  report.mig = true;
  CHECK(verdicts(report).empty());
}

TEST_CASE("a GPU outside the database is only held against the context") {
  const auto checks = check_device(measured_device(), nullptr, kContext);
  REQUIRE(checks.size() == 1);
  CHECK(checks[0].name == "context");
}

TEST_CASE("the exit code tells contradicted, failed and no device apart") {
  const Gpu known = known_gpu();
  Confirmation good{measured_device(), "test", check_device(measured_device(), &known, kContext)};
  CHECK(exit_code_of(good) == 0);
  DeviceReport report = measured_device();
  report.cuda_total = Bytes::mib(1000);
  CHECK(exit_code_of({report, "test", check_device(report, &known, kContext)}) == 1);
  CHECK(exit_code_of({Failed{"x"}, "", {}}) == 3);
  CHECK(exit_code_of({Unavailable{Reason::no_driver, "x"}, "", {}}) == 4);
}
