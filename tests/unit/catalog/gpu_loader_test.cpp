#include "unit/catalog/texts.h"

#include <doctest/doctest.h>

namespace gpu_loader_test {

using namespace gpulint;

namespace {

std::string error_of(const std::string& text) {
  const Document gpu = document("hardware_db/gpus/rtx-3080.yaml", text);
  const Result<Gpu> parsed = parse_gpu(gpu);
  return parsed ? "no error" : parsed.error().to_string();
}

}  // namespace

TEST_CASE("a GPU file gives every number in base units") {
  const Document file = document("hardware_db/gpus/rtx-3080.yaml", kRtx3080);
  const Result<Gpu> gpu = parse_gpu(file);
  REQUIRE(gpu);
  CHECK(gpu->id == "rtx-3080");
  CHECK(gpu->names == std::vector<std::string>{"NVIDIA GeForce RTX 3080"});
  CHECK(gpu->compute_capability == 86);
  CHECK(gpu->memory_total == Bytes::mib(10240));
  CHECK(gpu->usable_memory == BytesRange{Bytes::mib(10002), Bytes::mib(10009)});
  CHECK(gpu->usable_memory_evidence == Evidence::observed);
  CHECK(gpu->memory_bandwidth == PerSecond{760e9});
  CHECK(gpu->peak_flops[static_cast<std::size_t>(Precision::fp16)] == PerSecond{59.5e12});
  CHECK(gpu->peak_evidence == Evidence::recalled);
  CHECK(gpu->achieved_fraction[static_cast<std::size_t>(Precision::fp16)] == 1.05);
  CHECK(gpu->tdp_watts == 320);
  CHECK(gpu->pcie_lanes == 16);
  CHECK(gpu->tensor_cores);
  CHECK_FALSE(gpu->fp8);
  CHECK(gpu->sources == std::vector<std::string>{"usable_memory: logs", "others: data sheet"});
}

TEST_CASE("what a GPU file leaves out is unknown") {
  const Document file = document("hardware_db/gpus/rtx-3080.yaml", kRtx3080);
  const Result<Gpu> gpu = parse_gpu(file);
  REQUIRE(gpu);
  CHECK_FALSE(gpu->sm_count.has_value());
  CHECK_FALSE(gpu->mig.has_value());
  CHECK_FALSE(gpu->peak_flops[static_cast<std::size_t>(Precision::bf16)].has_value());
}

TEST_CASE("a band of rates has two ends in order and a citation") {
  const std::string band = "achieved_band: {fp16: {low: 0.9, high: 1.2}}\ntdp:";
  const auto with_band = [&](const std::string& text) {
    return with(with(kRtx3080, "tdp:", text), "others:", "achieved_band: derived, others:");
  };
  const Document file = document("hardware_db/gpus/rtx-3080.yaml", with_band(band));
  const Result<Gpu> gpu = parse_gpu(file);
  REQUIRE(gpu);
  const auto& range = gpu->achieved_band[static_cast<std::size_t>(Precision::fp16)];
  REQUIRE(range.has_value());
  CHECK(range->low == 0.9);
  CHECK(range->high == 1.2);
  CHECK_FALSE(gpu->achieved_band[static_cast<std::size_t>(Precision::bf16)].has_value());
  CHECK(error_of(with_band(with(band, "1.2", "0.8"))).find("\"low\" is above \"high\"") !=
        std::string::npos);
  CHECK(error_of(with(with_band(band), "high: 1.2", "most: 1.2")).find("high") !=
        std::string::npos);
}

TEST_CASE("a size without unit is refused with two ways to write it") {
  CHECK(
      error_of(with(kRtx3080, "10240 MiB", "\"80\"")) ==
      "hardware_db/gpus/rtx-3080.yaml:6:15: memory_total: \"80\" has no unit; write \"80 GiB\" or "
      "\"80 GB\"");
}

TEST_CASE("other quantities without unit are refused with theirs") {
  CHECK(error_of(with(kRtx3080, "320 W", "320")) ==
        "hardware_db/gpus/rtx-3080.yaml:14:6: tdp: \"320\" has no unit; write \"320 W\"");
  CHECK(error_of(with(kRtx3080, "760 GB/s", "760 GB")) ==
        "hardware_db/gpus/rtx-3080.yaml:8:19: memory_bandwidth: \"760 GB\" is not a quantity; "
        "write a "
        "number and its unit, as in \"80 GB/s\"");
  CHECK(error_of(with(kRtx3080, "29.8 TFLOP/s", "29.8")) ==
        "hardware_db/gpus/rtx-3080.yaml:9:20: fp32: \"29.8\" has no unit; write \"29.8 TFLOP/s\"");
}

TEST_CASE("an unknown key is refused with what was probably meant") {
  CHECK(error_of(with(kRtx3080, "memory_bandwidth", "memory_bandwith")) ==
        "hardware_db/gpus/rtx-3080.yaml:8:1: unknown key \"memory_bandwith\" (did you mean "
        "\"memory_bandwidth\"?)");
}

TEST_CASE("a missing key is named at the place of its mapping") {
  CHECK(error_of(with(kRtx3080, ", evidence: observed", "")) ==
        "hardware_db/gpus/rtx-3080.yaml:7:16: usable_memory: \"evidence\" is missing");
  CHECK(
      error_of(with(kRtx3080, "vendor: nvidia\n", "")) ==
      "hardware_db/gpus/rtx-3080.yaml:2:15: architecture: \"Ampere\" is not a known architecture; "
      "name one, or state vendor and features here");
}

TEST_CASE("a number without a source is refused") {
  CHECK(
      error_of(with(kRtx3080, "others: data sheet", "names: logs")).find("no source for \"tdp\"") !=
      std::string::npos);
  CHECK(error_of(with(kRtx3080, "sources: {usable_memory: logs, others: data sheet}\n", "")) ==
        "hardware_db/gpus/rtx-3080.yaml:1:1: file: \"sources\" is missing");
  CHECK(error_of(with(kRtx3080, "{usable_memory: logs, others: data sheet}", "[]")) ==
        "hardware_db/gpus/rtx-3080.yaml:16:10: sources: names no source; cite at least one");
}

TEST_CASE("a value of another type is refused") {
  CHECK(error_of(with(kRtx3080, "tf32: true", "tf32: \"yes\"")) ==
        "hardware_db/gpus/rtx-3080.yaml:11:57: tf32: expected true or false, found \"yes\"");
  CHECK(error_of(with(kRtx3080, "names: [NVIDIA GeForce RTX 3080]", "names: {a: b}")) ==
        "hardware_db/gpus/rtx-3080.yaml:1:8: names: expected a list, found a mapping");
  CHECK(
      error_of(with(kRtx3080, "lanes: 16", "lanes: -1")) ==
      "hardware_db/gpus/rtx-3080.yaml:15:30: lanes: expected a whole number from 1 to 32767, found "
      "\"-1\"");
  CHECK(error_of(with(kRtx3080, "\"8.6\"", "8.61")) ==
        "hardware_db/gpus/rtx-3080.yaml:4:21: compute_capability: expected major.minor as in "
        "\"8.6\", found \"8.61\"");
}

TEST_CASE("usable memory above the total is refused") {
  CHECK(error_of(with(kRtx3080, "high: 10009 MiB", "high: 11 GiB")) ==
        "hardware_db/gpus/rtx-3080.yaml:7:16: usable_memory: more than memory_total (10.0 GiB)");
}

TEST_CASE("all errors of a file are named in the order of their places") {
  const std::string text =
      error_of(with(with(kRtx3080, "320 W", "320"), "vendor: nvidia", "vendr: nvidia"));
  CHECK(
      text ==
      "hardware_db/gpus/rtx-3080.yaml:2:1: unknown key \"vendr\" (did you mean \"vendor\"?)\n"
      "hardware_db/gpus/rtx-3080.yaml:3:15: architecture: \"Ampere\" is not a known architecture; "
      "name one, or state vendor and features here\n"
      "hardware_db/gpus/rtx-3080.yaml:14:6: tdp: \"320\" has no unit; write \"320 W\"");
}

TEST_CASE("a file that is not a mapping is refused") {
  CHECK(error_of("- a\n") ==
        "hardware_db/gpus/rtx-3080.yaml:1:1: file: expected a mapping, found a list");
  CHECK(error_of("") == "hardware_db/gpus/rtx-3080.yaml:1:1: the file is empty; expected a GPU");
}

}  // namespace gpu_loader_test
