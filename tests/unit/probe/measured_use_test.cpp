#include "probe/measured_use.h"

#include <doctest/doctest.h>

#include <map>

namespace measured_use_test {

using namespace gpulint;
using namespace gpulint::probe;

namespace {

constexpr std::chrono::sys_days kToday = std::chrono::year(2026) / 11 / 20;

const Catalog& catalog() {
  static const Result<Catalog> opened = Catalog::open(embedded_data());
  return *opened;
}

const Gpu& database() { return *catalog().gpu("h200-sxm"); }

MeasuredGpu h200() {
  return {.name = "NVIDIA H200",
          .pci_device_id = "2335",
          .driver_version = "580.10",
          .memory_total = Bytes::mib(143771),
          .cuda_total = Bytes::mib(143000),
          .context = Bytes::mib(519),
          .rates = {},
          .day = kToday};
}

MeasuredSet set_of(std::vector<MeasuredGpu> all) {
  MeasuredSet set;
  for (MeasuredGpu& each : all) set.kept.push_back({&database(), std::move(each)});
  return set;
}

constexpr std::size_t kBf16 = static_cast<std::size_t>(Precision::bf16);

class Machine : public FileReader {
 public:
  std::map<std::string, std::string> files;
  Result<std::string> read(const std::string& path, std::size_t) const override {
    const auto found = files.find(path);
    if (found == files.end()) return fail("missing");
    return found->second;
  }
  FileKind kind(const std::string&) const override { return FileKind::missing; }
  Result<std::vector<DirectoryEntry>> list(const std::string& folder) const override {
    std::vector<DirectoryEntry> entries;
    for (const auto& [path, text] : files) {
      if (!path.starts_with(folder + "/")) continue;
      const std::string rest = path.substr(folder.size() + 1);
      const std::string name = rest.substr(0, rest.find('/'));
      if (entries.empty() || entries.back().name != name) {
        entries.push_back({name, FileKind::directory, false});
      }
    }
    return entries;
  }
  std::string canonical(const std::string& path) const override { return path; }
};

}  // namespace

TEST_CASE("a measurement replaces memory and context, and says so") {
  const Gpu gpu = with_figures(database(), h200());
  CHECK(gpu.memory_total == Bytes::mib(143771));
  REQUIRE(gpu.usable_memory.has_value());
  CHECK(gpu.usable_memory->low == Bytes::mib(143000));
  CHECK(gpu.usable_memory->high == Bytes::mib(143000));
  CHECK(gpu.bare_context == Bytes::mib(519));
  CHECK(figures_from(gpu) == "measured 2026-11-20");
  CHECK(figures_from(database()) == "database");
}

TEST_CASE("a measurement never replaces names, capability, peaks or what is supported") {
  MeasuredGpu measured = h200();
  measured.name = "NVIDIA Something";
  const Gpu gpu = with_figures(database(), measured);
  CHECK(gpu.names == database().names);
  CHECK(gpu.compute_capability == database().compute_capability);
  CHECK(gpu.fp8 == database().fp8);
  CHECK(gpu.bf16_native == database().bf16_native);
  CHECK(gpu.memory_bandwidth->value == database().memory_bandwidth->value);
  CHECK(gpu.peak_flops[kBf16]->value == database().peak_flops[kBf16]->value);
}

TEST_CASE("a measured copy replaces the achieved bandwidth") {
  MeasuredGpu measured = h200();
  measured.rates = {{RateKind::copy, 3.6e12, 0, 15}};
  CHECK(*with_figures(database(), measured).achieved_bandwidth == doctest::Approx(0.75));
}

TEST_CASE("our own kernel raises an achieved rate and never lowers one") {
  const double peak = database().peak_flops[kBf16]->value;
  const double known = *database().achieved_fraction[kBf16];
  MeasuredGpu measured = h200();
  measured.rates = {{RateKind::gemm_bf16, 0.4 * peak, 0, 15}};
  CHECK(*with_figures(database(), measured).achieved_fraction[kBf16] == doctest::Approx(known));
  measured.rates = {{RateKind::gemm_bf16, 0.95 * peak, 0, 15}};
  CHECK(*with_figures(database(), measured).achieved_fraction[kBf16] == doctest::Approx(0.95));
}

TEST_CASE("of several measurements of a kind the newest counts, then the one with less memory") {
  MeasuredGpu old = h200();
  old.day -= std::chrono::days(3);
  old.cuda_total = Bytes::mib(140000);
  MeasuredGpu less = h200();
  less.cuda_total = Bytes::mib(142000);
  const auto gpus = measured_gpus(set_of({old, h200(), less}), {});
  REQUIRE(gpus.size() == 1);
  CHECK(gpus.front().id == "h200-sxm");
  CHECK(gpus.front().usable_memory->low == Bytes::mib(142000));
}

TEST_CASE(
    "for a GPU of this machine another driver's or another card's measurement does not count") {
  const MeasuredSet set = set_of({h200()});
  CHECK(measured_gpus(set, {"580.10", {"h200-sxm"}, {"2335"}}).size() == 1);
  CHECK(measured_gpus(set, {"580.20", {"h200-sxm"}, {"2335"}}).empty());
  CHECK(measured_gpus(set, {"580.10", {"h200-sxm"}, {"233b"}}).empty());
  CHECK(measured_gpus(set, {"", {"h200-sxm"}, {}}).size() == 1);
  MeasuredGpu own = h200();
  own.card = "0a1b2c3d";
  CHECK(measured_gpus(set_of({own}), {"580.10", {"h200-sxm"}, {"2335"}, {"0a1b2c3d"}}).size() == 1);
  CHECK(measured_gpus(set_of({own}), {"580.10", {"h200-sxm"}, {"2335"}, {"ffffffff"}}).empty());
  // Measured elsewhere, for a target that is not here: the driver of this machine says nothing.
  CHECK(measured_gpus(set, {"535.01", {"rtx-4060"}, {"2882"}}).size() == 1);
}

TEST_CASE("the key of a machine is read from files of the kernel") {
  Machine machine;
  CHECK(machine_key(machine, catalog()).gpu_ids.empty());
  machine.files = {
      {"/proc/driver/nvidia/gpus/0000:03:00.0/information", "Model: \t\t NVIDIA H200\n"},
      {"/sys/bus/pci/devices/0000:03:00.0/device", "0x2335\n"},
      {"/sys/module/nvidia/version", "580.10\n"}};
  const MachineKey key = machine_key(machine, catalog());
  CHECK(key.driver_version == "580.10");
  CHECK(key.gpu_ids == std::vector<std::string>{"h200-sxm"});
  CHECK(key.pci_devices == std::vector<std::string>{"2335"});
}

}  // namespace measured_use_test
