#include "probe/measured.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace measured_test {

using namespace gpulint;
using namespace gpulint::probe;
using namespace std::chrono_literals;

namespace {

constexpr std::chrono::sys_days kToday = std::chrono::year(2026) / 11 / 21;

MeasuredGpu h200() {
  return {.name = "NVIDIA H200",
          .pci_device_id = "2335",
          .driver_version = "580.10",
          .memory_total = Bytes::mib(143771),
          .cuda_total = Bytes::mib(143156),
          .context = Bytes::mib(519),
          .rates = {{RateKind::copy, 4.3e12, 1e10, 15}},
          .day = kToday};
}

const Catalog& catalog() {
  static const Result<Catalog> opened = Catalog::open(embedded_data());
  return *opened;
}

std::string refusal(const MeasuredGpu& measured) {
  const auto good = check_measured(measured, *catalog().gpu("h200-sxm"), kToday);
  return good ? "" : good.error().message;
}

}  // namespace

TEST_CASE("a rate that scatters and a report that was cut off are not kept") {
  DeviceReport device;
  device.name = "NVIDIA A10G";
  device.nvml_total = Bytes::mib(23028);
  device.rates = {{RateKind::copy, 500e9, 24e9, 15}, {RateKind::read, 500e9, 26e9, 15}};
  const auto kept = measured_from(device, "", std::chrono::sys_days{});
  REQUIRE(kept.has_value());
  REQUIRE(kept->rates.size() == 1);
  CHECK(kept->rates.front().kind == RateKind::copy);
  device.cut_off = "the driver did not answer within 10000 ms";
  CHECK_FALSE(measured_from(device, "", std::chrono::sys_days{}).has_value());
}

TEST_CASE("measurements survive the way through a file") {
  const auto read = read_measured(write_measured(h200(), "1"));
  REQUIRE(read.has_value());
  CHECK(*read == h200());
}

TEST_CASE("another driver, card or memory is another file") {
  CHECK(file_name_of(h200()) == "nvidia-h200-2335-143771-580.10.json");
  MeasuredGpu odd = h200();
  odd.name = "../../etc";
  odd.driver_version.clear();
  odd.pci_device_id.clear();
  CHECK(file_name_of(odd) == "..-..-etc-143771-.json");
}

TEST_CASE("another power limit, library or card of the kind is another file, and all survive it") {
  MeasuredGpu own = h200();
  own.card = "0a1b2c3d";
  own.power_limit = 700;
  own.library = "cuBLASLt 13.1.0";
  CHECK(file_name_of(own) == "nvidia-h200-2335-143771-580.10-0a1b2c3d-700w-cublaslt-13.1.0.json");
  CHECK(read_measured(write_measured(own, "1")).value() == own);
  MeasuredGpu limited = own;
  limited.power_limit = 500;
  CHECK(file_name_of(limited) != file_name_of(own));
  DeviceReport device;
  device.nvml_total = Bytes::mib(1);
  device.library = "cuBLASLt 12.4.5, /home/somebody/lib/libcublasLt.so.12";
  CHECK(measured_from(device, "", std::chrono::sys_days{})->library == "cuBLASLt 12.4.5");
}

TEST_CASE("a part of a card and a card without NVML are not kept") {
  DeviceReport device;
  device.nvml_total = Bytes::mib(1);
  CHECK(measured_from(device, "", kToday).has_value());
  device.mig = true;
  CHECK_FALSE(measured_from(device, "", kToday).has_value());
  device.mig = false;
  device.limited_by = "MPS grants a part of the card";
  CHECK_FALSE(measured_from(device, "", kToday).has_value());
  device.limited_by.clear();
  device.nvml_total.reset();
  CHECK_FALSE(measured_from(device, "", kToday).has_value());
}

TEST_CASE("the folder is under an absolute XDG_CONFIG_HOME, else under HOME") {
  CHECK(measured_folder("/x", "/h") == "/x/gpulint/measured");
  CHECK(measured_folder("x", "/h") == "/h/.config/gpulint/measured");
  CHECK(measured_folder("", "/h") == "/h/.config/gpulint/measured");
  CHECK(measured_folder(nullptr, nullptr) == "");
  CHECK(measured_folder(nullptr, "h") == "");
}

TEST_CASE("figures within 0.2 to 1.3 of the database's are kept, others refused") {
  CHECK(refusal(h200()) == "");
  MeasuredGpu odd = h200();
  odd.rates.front().value = 0.9 * 4.8e12 * 0.2;
  CHECK(refusal(odd) == "copy is 8.64e+11, outside of 0.2 to 1.3 of the database's 4.8e+12");
  odd.rates.front().value = 1.31 * 4.8e12;
  CHECK(refusal(odd).starts_with("copy is 6.29e+12"));
  odd = h200();
  odd.cuda_total = Bytes::mib(1);
  CHECK(refusal(odd).starts_with("cuda_total"));
  odd = h200();
  odd.context = Bytes::gib(5);
  CHECK(refusal(odd) == "context is 5120 MiB; one takes 32 to 4096");
  odd = h200();
  odd.memory_total = Bytes::gib(400);
  CHECK(refusal(odd).starts_with("memory_total"));
  odd = h200();
  odd.rates.front().kind = RateKind::gemm_bf16;
  odd.rates.front().value = 2e15;
  CHECK(refusal(odd).starts_with("gemm_bf16"));
  odd.rates.front().value = 100e12;  // a lower bound may be low
  CHECK(refusal(odd) == "");
  odd.rates.front().kind = RateKind::library_gemm_bf16;
  CHECK(refusal(odd).starts_with("library_gemm_bf16"));
}

TEST_CASE("measurements age out after 90 days, and the future is refused") {
  MeasuredGpu old = h200();
  old.day = kToday - std::chrono::days(90);
  CHECK(refusal(old) == "");
  old.day = kToday - std::chrono::days(91);
  CHECK(refusal(old) == "is older than 90 days (2026-08-22); run gpulint confirm again");
  old.day = kToday + std::chrono::days(1);
  CHECK(refusal(old) == "is from the future: 2026-11-22");
}

TEST_CASE("what is not a measurement is refused with a reason") {
  const auto why = [](std::string_view text) {
    const auto read = read_measured(text);
    return read ? "" : read.error().message;
  };
  const std::string good = write_measured(h200(), "1");
  CHECK(why(good.substr(0, 100)) == "is not JSON, or cut off");
  CHECK(why("[]") == "is not of schema gpulint.measured/1");
  CHECK(why(R"({"schema": "gpulint.measured/2"})") == "is not of schema gpulint.measured/1");
  auto json = nlohmann::json::parse(good);
  json["day"] = "2026-13-01";
  CHECK(why(json.dump()) == "lacks its day or its figures");
  json["day"] = "2026-11-20";
  json["pci_device_id"] = "../../x";
  CHECK(why(json.dump()) == "has no valid pci_device_id");
  json["pci_device_id"] = "2335";
  json["measured"]["device"]["rates"][0]["value"] = "fast";
  CHECK(why(json.dump()) == "has incomplete figures");
}

TEST_CASE("a folder gives what holds, beside the database's figures, and names what does not") {
  MeasuredGpu unknown = h200();
  unknown.name = "NVIDIA Nothing";
  unknown.pci_device_id = "ffff";
  const std::vector<disk::PrivateFile> files{{"a.json", write_measured(h200(), "1")},
                                             {"b.json", std::string("{")},
                                             {"c.json", write_measured(unknown, "1")},
                                             {"d.json", fail("belongs to another user")}};
  const MeasuredSet set = load_measured(files, catalog(), kToday);
  CHECK(set.refused == std::vector<std::string>{"b.json: is not JSON, or cut off",
                                                "c.json: \"NVIDIA Nothing\" is not in the database",
                                                "d.json: belongs to another user"});
  CHECK(measured_text(set) ==
        "h200-sxm  measured 2026-11-21, driver 580.10: CUDA 143156 MiB (database 143156 to 143156 "
        "MiB), context 519 MiB, copy 4300 GB/s (nominal 4800 GB/s)\n");
}

}  // namespace measured_test
