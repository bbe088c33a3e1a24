#include "report/confirm_report.h"
#include "report/report.h"
#include "unit/measured_device.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace gpulint;
using namespace gpulint::probe;
using gpulint::test::kContext;
using gpulint::test::known_gpu;
using gpulint::test::measured_device;

namespace {

RankReport rank_report_of(int rank, Outcome outcome, std::string node) {
  return {{rank, rank, std::move(node)}, "test", std::move(outcome), {}};
}

/// As `measured_device`, with a link of sixteen lanes and this rate of copies, in bytes per second.
DeviceReport card(double copy) {
  DeviceReport report = measured_device();
  report.pcie = PcieLink{16, 16, 4, 4};
  report.rates = {{RateKind::copy, copy, 0.01e12, 15}};
  return report;
}

}  // namespace

TEST_CASE("without a device one line says why and what to do") {
  CHECK(confirm_text({Unavailable{Reason::no_device, "seen\n\x1b[31m"}, "", {}}) ==
        "nothing confirmed: no_device: seen\\x0a\\x1b[31m; check nvidia-smi, "
        "CUDA_VISIBLE_DEVICES and the container's --gpus option\n");
}

TEST_CASE("the first line of a measured device says that no real one was tried") {
  const std::string text = confirm_text({measured_device(), "test", {}});
  CHECK(text.starts_with("not yet validated on hardware\n"));
  CHECK(text.find("nvidia-smi 24576 MiB, of that reserved 400 MiB; CUDA 24200 MiB") !=
        std::string::npos);
  CHECK(text.find("not measured  what a framework allocates") != std::string::npos);
}

TEST_CASE("a driver cannot drive the terminal") {
  DeviceReport report = measured_device();
  report.name = "\x1b[2J";
  CHECK(confirm_text({report, "", {}}).find('\x1b') == std::string::npos);
}

TEST_CASE("JSON holds figures in bytes and null where nothing is known") {
  DeviceReport report = measured_device();
  report.nvml_reserved.reset();
  const Gpu known = known_gpu();
  const auto json =
      nlohmann::json::parse(confirm_json({report, "test", check_device(report, &known, kContext)}));
  CHECK(json["schema"] == "gpulint.confirm/1");
  CHECK(json["version"] == kVersion);
  CHECK(json["status"] == "ok");
  CHECK(json["validated_on_hardware"] == false);
  CHECK(json["device"]["gpu"] == "test");
  CHECK(json["memory"]["cuda_total"] == 25375539200);
  CHECK(json["memory"]["nvml_reserved"].is_null());
  CHECK(json["checks"][0]["verdict"] == "confirmed");
  CHECK(json["checks"][0]["tolerance"] == 1048576.0);
}

TEST_CASE("JSON names the reason and the remedy") {
  const auto json = nlohmann::json::parse(confirm_json({Unavailable{Reason::mps, "x"}, "", {}}));
  CHECK(json["status"] == "unavailable");
  CHECK(json["reason"] == "mps");
  CHECK(json["message"] == "x");
  CHECK_FALSE(json.contains("device"));
}

TEST_CASE("merged reports are one table, the outliers, and what was skipped") {
  Fleet fleet;
  fleet.reports = {rank_report_of(11, card(4e12), "n1"), rank_report_of(9, card(1e12), "n2"),
                   rank_report_of(10, card(4e12), "n2")};
  fleet.outliers = find_outliers(fleet.reports);
  fleet.skipped = {"d.json: is not JSON, or cut off"};
  CHECK(merged_text(fleet) ==
        "not yet validated on hardware\n"
        "node  rank  device       PCI           memory     link  copy       contradicted\n"
        "n1    11    NVIDIA Test  0000:03:00.0  24576 MiB  x16   4000 GB/s  -\n"
        "n2    9     NVIDIA Test  0000:03:00.0  24576 MiB  x16   1000 GB/s  -\n"
        "n2    10    NVIDIA Test  0000:03:00.0  24576 MiB  x16   4000 GB/s  -\n"
        "outlier: node n2, rank 9: copy 1000 GB/s, 75 % below its siblings' 4000 GB/s\n"
        "skipped: d.json: is not JSON, or cut off\n"
        "3 reports, 1 outlier, 1 skipped\n");
  const auto json = nlohmann::json::parse(merged_json(fleet));
  CHECK(json["schema"] == "gpulint.confirm-fleet/1");
  CHECK(json["version"] == kVersion);
  CHECK(json["reports"][1]["rank"] == 9);
  CHECK(json["outliers"][0]["report"] == 1);
  CHECK(json["skipped"].size() == 1);
}

TEST_CASE("a hostile report cannot drive the terminal") {
  Fleet fleet;
  fleet.reports = {rank_report_of(0, Failed{"\x1b[2J\n"}, "\x1b[31m")};
  fleet.outliers = find_outliers(fleet.reports);
  fleet.skipped = {"\x1b[2J"};
  CHECK(merged_text(fleet).find('\x1b') == std::string::npos);
}
