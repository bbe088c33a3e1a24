#include "device/child.h"

#include "device/wire.h"
#include "probe/confirmation.h"
#include "unit/device/fake.h"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>

using namespace gpulint;
using namespace gpulint::probe;
using namespace std::chrono_literals;

namespace {

MeasureRequest fake_request() {
  MeasureRequest request;
  request.libraries = {GPULINT_FAKE_DRIVER, GPULINT_FAKE_DRIVER};
  return request;
}

std::string failure(const Outcome& outcome) {
  const auto* failed = std::get_if<Failed>(&outcome);
  return failed == nullptr ? "" : failed->message;
}

}  // namespace

TEST_CASE("a device measured in a child is the one measured in this process") {
  fresh_fake();
  const Outcome outcome = measure_device(fake_request());
  REQUIRE(std::holds_alternative<DeviceReport>(outcome));
  CHECK(std::get<DeviceReport>(outcome).context == Bytes::mib(519));
}

TEST_CASE("no driver call is made in the parent") {
  const FakeDriver& fake = fresh_fake();
  CHECK(std::holds_alternative<DeviceReport>(measure_device(fake_request())));
  CHECK(fake.calls == 0);
}

TEST_CASE("a driver that hangs is left at the deadline") {
  FakeDriver& fake = fresh_fake();
  fake.hanging_call = "cuInit";
  MeasureRequest request = fake_request();
  request.deadline = 50ms;
  const auto start = std::chrono::steady_clock::now();
  CHECK(failure(measure_device(request)) == "the driver did not answer within 50 ms");
  CHECK(std::chrono::steady_clock::now() - start < 5s);
}

TEST_CASE("a driver that crashes is reported with its signal") {
  FakeDriver& fake = fresh_fake();
  fake.crashing_call = "cuInit";
  CHECK(failure(measure_device(fake_request())) ==
        "the measuring process was ended by signal 11 (Segmentation fault)");
}

TEST_CASE("what was known before a kernel hangs is reported, cut off") {
  FakeDriver& fake = fresh_fake();
  fake.hanging_call = "cuEventSynchronize";
  MeasureRequest request = fake_request();
  request.deadline = 200ms;
  const Outcome outcome = measure_device(request);
  REQUIRE(std::holds_alternative<DeviceReport>(outcome));
  const auto& report = std::get<DeviceReport>(outcome);
  CHECK(report.name == "NVIDIA H200");
  CHECK(report.context == Bytes::mib(519));
  CHECK(report.rates.empty());
  CHECK(report.cut_off == "the driver did not answer within 200 ms");
  CHECK(exit_code_of({outcome, "", {}}) == 3);
}

TEST_CASE("what was known before the driver crashes is reported, cut off") {
  FakeDriver& fake = fresh_fake();
  fake.crashing_call = "cuModuleLoadData";
  const Outcome outcome = measure_device(fake_request());
  REQUIRE(std::holds_alternative<DeviceReport>(outcome));
  CHECK(std::get<DeviceReport>(outcome).cut_off ==
        "the measuring process was ended by signal 11 (Segmentation fault)");
}

TEST_CASE("the deadline begins again with the first word, and the last whole word counts") {
  const auto work = [](const Publish& publish) -> Outcome {
    DeviceReport report;
    std::this_thread::sleep_for(150ms);
    for (const char* name : {"first", "second"}) {
      report.name = name;
      publish(report);
    }
    std::this_thread::sleep_for(150ms);
    report.name = "whole";
    return report;
  };
  const Outcome outcome = run_in_child(work, 250ms);
  REQUIRE(std::holds_alternative<DeviceReport>(outcome));
  CHECK(std::get<DeviceReport>(outcome).name == "whole");
  CHECK(std::get<DeviceReport>(outcome).cut_off.empty());
  const Outcome late = run_in_child(
      [&](const Publish& publish) -> Outcome {
        work(publish);
        while (true) pause();
      },
      250ms);
  REQUIRE(std::holds_alternative<DeviceReport>(late));
  CHECK(std::get<DeviceReport>(late).name == "second");
}

TEST_CASE("after a kernel broke the context all else is measured again in a fresh process") {
  fresh_fake().faulting_kernel = "gpulint_wgmma_gemm_bf16";
  const Outcome outcome = measure_device(fake_request());
  REQUIRE(std::holds_alternative<DeviceReport>(outcome));
  const auto& report = std::get<DeviceReport>(outcome);
  CHECK(report.broken_by.empty());
  CHECK(report.cut_off.empty());
  const auto timed = [&report](RateKind kind) {
    return std::any_of(report.rates.begin(), report.rates.end(),
                       [kind](const Rate& rate) { return rate.kind == kind; });
  };
  CHECK(timed(RateKind::gemm_bf16));  // by another kernel
  CHECK(timed(RateKind::launch));
  CHECK(std::find(report.not_timed.begin(), report.not_timed.end(),
                  "gpulint_wgmma_gemm_bf16: it broke the CUDA context; all else was measured again "
                  "without it") != report.not_timed.end());
}

TEST_CASE("without the kernel that all others need the host copies remain") {
  fresh_fake().faulting_kernel = "gpulint_fill";
  const Outcome outcome = measure_device(fake_request());
  REQUIRE(std::holds_alternative<DeviceReport>(outcome));
  const auto& rates = std::get<DeviceReport>(outcome).rates;
  REQUIRE(rates.size() == 4);
  CHECK(rates.front().kind == RateKind::pinned_upload);
}

TEST_CASE("more time goes to the rates and to the step alike, and what is sustained is on top") {
  MeasureRequest request;
  give_time(request, 100s, 30s);
  CHECK(request.deadline == 130s);
  CHECK(request.assignment.rate_budget == 60s);
  CHECK(request.assignment.step_budget == 30s);
  CHECK(request.assignment.end - std::chrono::steady_clock::now() > 98s);
}

TEST_CASE("a driver may start a helper with rights of its own") {
  fresh_fake().needs_helper = true;
  CHECK(std::holds_alternative<DeviceReport>(measure_device(fake_request())));
}

TEST_CASE("a child that ends without a word has failed") {
  CHECK(failure(run_in_child([]() -> Outcome { _exit(0); }, 1s)) ==
        "the measuring process sent no readable report");
  CHECK(failure(run_in_child([]() -> Outcome { throw std::runtime_error("x"); }, 1s)) ==
        "the measuring process sent no readable report");
}

TEST_CASE("a child that sends without end is cut off") {
  const auto flood = []() -> Outcome { return Failed{std::string(std::size_t{3} << 20, 'x')}; };
  CHECK(failure(run_in_child(flood, 10s)) == "the measuring process sent too much");
}

TEST_CASE("reports survive the way between processes") {
  DeviceReport report;
  report.name = "odd \"name\"\n";
  report.nvml_total = Bytes::mib(10);
  report.other_processes = 3;
  report.context = Bytes::mib(-1);
  report.pcie = PcieLink{4, 16, 1, 5};
  report.rates = {{RateKind::read, 3.5e12, 1e9, 15}, {RateKind::gemm_bf16, 1e14, 0, 15}};
  report.not_timed = {"copy: why"};
  report.disturbed_by = "heat";
  CHECK(read_wire(write_wire(report)) == Outcome{report});
  CHECK(read_wire(write_wire(Failed{"x"})) == Outcome{Failed{"x"}});
  const Unavailable none{Reason::mps, "y"};
  CHECK(read_wire(write_wire(none)) == Outcome{none});
}

TEST_CASE("nonsense between processes is a failure") {
  for (const char* text :
       {"", "[]", "{", "{}", "null", R"({"reason":"mps"})", R"({"reason":"?","detail":""})",
        R"({"failed":1})", R"({"device":{}})", R"({"device":{"name":1}})"}) {
    CAPTURE(text);
    CHECK(std::holds_alternative<Failed>(read_wire(text)));
  }
}

TEST_CASE("an unsafe library path or set-user-id rights stop before anything is loaded") {
  MeasureRequest request = fake_request();
  request.ld_library_path = ".";
  const Outcome unsafe = measure_device(request);
  REQUIRE(std::holds_alternative<Unavailable>(unsafe));
  CHECK(std::get<Unavailable>(unsafe).reason == Reason::unsafe_library_path);
  request.elevated = true;
  const Outcome elevated = measure_device(request);
  REQUIRE(std::holds_alternative<Unavailable>(elevated));
  CHECK(std::get<Unavailable>(elevated).reason == Reason::unsafe_privileges);
}
