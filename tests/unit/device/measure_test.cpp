#include "device/measure.h"

#include "unit/device/fake.h"

using namespace gpulint;
using namespace gpulint::probe;

namespace {

DeviceReport measured(const Driver& driver) {
  const Outcome outcome = measure(driver, {}, untimed());
  REQUIRE(std::holds_alternative<DeviceReport>(outcome));
  return std::get<DeviceReport>(outcome);
}

bool gave_everything_back(const FakeDriver& fake) {
  return fake.live_contexts == 0 && fake.current_contexts == 0 && fake.nvml_sessions == 0;
}

}  // namespace

TEST_CASE("ranks of a node share the visible devices in turn") {
  FakeDriver& fake = fresh_fake();
  fake.devices = 2;
  for (const auto& [turn, device] : {std::pair{0, 0}, std::pair{1, 1}, std::pair{2, 0}}) {
    CHECK(std::holds_alternative<DeviceReport>(measure(load_fake(), {}, {.turn = turn})));
    CHECK(fake.chosen_device == device);
  }
}

TEST_CASE("a link of impossible width is unknown") {
  FakeDriver& fake = fresh_fake();
  fake.pcie_lanes = 16;
  Outcome outcome = measure(load_fake(), {}, untimed());
  CHECK(std::get<DeviceReport>(outcome).pcie == PcieLink{16, 16, 5, 5});
  for (const unsigned lanes : {0U, 33U}) {
    fake.pcie_lanes = lanes;
    outcome = measure(load_fake(), {}, untimed());
    CHECK_FALSE(std::get<DeviceReport>(outcome).pcie.has_value());
  }
}

TEST_CASE("a device is described with both memory totals") {
  FakeDriver& fake = fresh_fake();
  const DeviceReport report = measured(load_fake());
  CHECK(report.name == "NVIDIA H200");
  CHECK(report.pci_bus_id == "0000:03:00.0");
  CHECK(report.driver_version == "580.00-fake");
  CHECK(report.driver_library == GPULINT_FAKE_DRIVER);
  CHECK(report.cuda_version == 13000);
  CHECK(report.compute_capability == 90);
  CHECK(report.sm_count == 132);
  CHECK(report.l2_cache == Bytes::mib(60));
  CHECK(report.nvml_total == Bytes::mib(143771));
  CHECK(report.nvml_reserved == Bytes::mib(615));
  CHECK(report.cuda_total == Bytes::mib(143156));
  CHECK(gave_everything_back(fake));
}

TEST_CASE("the context costs what the free memory lost") {
  fresh_fake();
  const DeviceReport report = measured(load_fake());
  CHECK(report.free_before_context == Bytes::mib(143156));
  CHECK(report.free_after_context == Bytes::mib(142637));
  CHECK(report.context == Bytes::mib(519));
  CHECK(report.drift == Bytes::mib(0));
}

TEST_CASE("memory of another process is not part of the context") {
  FakeDriver& fake = fresh_fake();
  fake.other_process_mib = 1000;
  fake.processes = 2;
  const DeviceReport report = measured(load_fake());
  CHECK(report.context == Bytes::mib(519));
  CHECK(report.other_processes == 2);
}

TEST_CASE("another process that grows shows as drift") {
  FakeDriver& fake = fresh_fake();
  fake.growth_mib_per_reading = 100;
  const DeviceReport report = measured(load_fake());
  CHECK(report.drift == Bytes::mib(400));
}

TEST_CASE("without NVML the memory CUDA sees is still reported") {
  FakeDriver& fake = fresh_fake();
  Driver driver = load_fake();
  driver.nvml.reset();
  const DeviceReport report = measured(driver);
  CHECK(report.cuda_free == Bytes::mib(142637));
  CHECK_FALSE(report.nvml_total.has_value());
  CHECK_FALSE(report.context.has_value());
  CHECK_FALSE(report.other_processes.has_value());
  CHECK(gave_everything_back(fake));
}

TEST_CASE("a driver before release 510 has its memory read, without what it reserves") {
  fresh_fake();
  Driver driver = load_fake();
  driver.nvml->memory_info = nullptr;
  const DeviceReport report = measured(driver);
  CHECK(report.nvml_total == Bytes::mib(143771));
  CHECK_FALSE(report.nvml_reserved.has_value());
  CHECK(report.context == Bytes::mib(519));
}

TEST_CASE("a MIG slice does not report the whole card's memory") {
  FakeDriver& fake = fresh_fake();
  fake.name = "NVIDIA A100-SXM4-40GB MIG 1g.5gb";
  const DeviceReport report = measured(load_fake());
  CHECK(report.mig);
  CHECK_FALSE(report.nvml_total.has_value());
  CHECK_FALSE(report.context.has_value());
}

TEST_CASE("whatever driver call fails, everything is given back and a reason is named") {
  for (const char* call :
       {"cuInit", "cuDriverGetVersion", "cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName",
        "cuDeviceGetAttribute", "cuDeviceTotalMem_v2", "cuDeviceGetPCIBusId",
        "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent", "cuMemGetInfo_v2"}) {
    CAPTURE(call);
    FakeDriver& fake = fresh_fake();
    fake.failing_call = call;
    fake.failing_code = 999;
    const Outcome outcome = measure(load_fake(), {}, untimed());
    REQUIRE(std::holds_alternative<Unavailable>(outcome));
    CHECK(std::get<Unavailable>(outcome) ==
          Unavailable{Reason::init_failed, std::string(call) + " returned 999 (FAKE_ERROR)"});
    CHECK(gave_everything_back(fake));
  }
}

TEST_CASE("whatever NVML call fails, the device is still reported") {
  for (const char* call :
       {"nvmlInit_v2", "nvmlSystemGetDriverVersion", "nvmlDeviceGetHandleByPciBusId_v2",
        "nvmlDeviceGetMemoryInfo_v2", "nvmlDeviceGetComputeRunningProcesses_v3"}) {
    CAPTURE(call);
    FakeDriver& fake = fresh_fake();
    fake.failing_call = call;
    fake.failing_code = 999;
    CHECK(measured(load_fake()).cuda_total == Bytes::mib(143156));
    CHECK(gave_everything_back(fake));
  }
}

TEST_CASE("a driver without devices has no device") {
  FakeDriver& fake = fresh_fake();
  fake.devices = 0;
  const Outcome outcome = measure(load_fake(), {}, untimed());
  REQUIRE(std::holds_alternative<Unavailable>(outcome));
  CHECK(std::get<Unavailable>(outcome).reason == Reason::no_device);
}

TEST_CASE("a prohibited compute mode is named before a context is tried") {
  FakeDriver& fake = fresh_fake();
  fake.compute_mode = 2;
  const Outcome outcome = measure(load_fake(), {}, untimed());
  REQUIRE(std::holds_alternative<Unavailable>(outcome));
  CHECK(std::get<Unavailable>(outcome).reason == Reason::compute_mode_prohibited);
}

TEST_CASE("a driver of release 470, whose NVML knows less, still says what it knows") {
  FakeDriver& fake = fresh_fake();
  Driver driver = load_fake();
  REQUIRE(driver.nvml.has_value());
  driver.nvml->memory_info = nullptr;  // from R510 on
  driver.nvml->node = {};
  driver.nvml->throttle_reasons = nullptr;
  const DeviceReport report = measured(driver);
  CHECK(report.driver_version == "580.00-fake");
  CHECK(report.nvml_total == Bytes::mib(143771));
  CHECK_FALSE(report.nvml_reserved.has_value());
  CHECK(report.context == Bytes::mib(519));
  CHECK(report.card.empty());
  CHECK(report.pcie == PcieLink{16, 16, 5, 5});
  CHECK(gave_everything_back(fake));
}

TEST_CASE("one card is told from another by digits that do not hold its UUID") {
  FakeDriver& fake = fresh_fake();
  fake.devices = 2;
  Outcome first = measure(load_fake(), {}, untimed());
  Outcome second = measure(load_fake(), {}, {.turn = 1, .end = std::chrono::steady_clock::now()});
  const std::string card = std::get<DeviceReport>(first).card;
  CHECK(card.size() == 8);
  CHECK(card.find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(card != std::get<DeviceReport>(second).card);
}
