#include "probe/rate_checks.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

namespace rate_checks_test {

using namespace gpulint;
using namespace gpulint::probe;

namespace {

/// 1000 TFLOP/s in 16 bits, of which 700 to 900 are usual, 50 in fp32, 4000 GB/s.
Gpu card() {
  Gpu gpu;
  const auto set = [&](Precision precision, double peak, double fraction, FractionRange band) {
    const auto index = static_cast<std::size_t>(precision);
    gpu.peak_flops[index] = PerSecond{peak};
    gpu.achieved_fraction[index] = fraction;
    gpu.achieved_band[index] = band;
  };
  set(Precision::fp32, 50e12, 0.8, {0.7, 0.9});
  set(Precision::tf32, 500e12, 0.8, {0.7, 0.9});
  set(Precision::bf16, 1000e12, 0.8, {0.7, 0.9});
  gpu.memory_bandwidth = PerSecond{4000e9};
  gpu.achieved_bandwidth = 0.9;
  return gpu;
}

DeviceReport with(std::vector<Rate> rates) {
  DeviceReport device;
  device.rates = std::move(rates);
  return device;
}

Rate steady(RateKind kind, double value) { return {kind, value, 0.001 * value, 15}; }

/// "confirmed", …; "" without such a check.
std::string verdict(const DeviceReport& device, const std::string& name) {
  for (const Check& check : check_rates(device, card())) {
    CHECK_FALSE(check.baseline.empty());
    if (check.name == name) return std::string(name_of(check.judgement.verdict));
  }
  return "";
}

std::string verdict(RateKind kind, double value) {
  return verdict(with({steady(kind, value)}), std::string(name_of(kind)));
}

}  // namespace

TEST_CASE("a copy may be 12 % off what copies reach of the data sheet") {
  CHECK(verdict(RateKind::copy, 0.89 * 3600e9) == "confirmed");
  CHECK(verdict(RateKind::copy, 0.87 * 3600e9) == "contradicted");
  CHECK(verdict(RateKind::copy, 1.11 * 3600e9) == "confirmed");
  CHECK(verdict(RateKind::copy, 1.13 * 3600e9) == "contradicted");
}

TEST_CASE("the library's rate has to lie in the database's band") {
  CHECK(verdict(RateKind::library_gemm_bf16, 699e12) == "contradicted");
  CHECK(verdict(RateKind::library_gemm_bf16, 701e12) == "confirmed");
  CHECK(verdict(RateKind::library_gemm_bf16, 899e12) == "confirmed");
  CHECK(verdict(RateKind::library_gemm_bf16, 901e12) == "contradicted");
  CHECK(verdict(RateKind::library_gemm_fp32, 34e12) == "contradicted");
  CHECK(verdict(RateKind::library_gemm_tf32, 400e12) == "confirmed");
}

TEST_CASE("our own kernel confirms by reaching the band, and contradicts only from above") {
  CHECK(verdict(RateKind::gemm_bf16, 600e12) == "inconclusive");
  CHECK(verdict(RateKind::gemm_bf16, 700e12) == "confirmed");
  CHECK(verdict(RateKind::gemm_bf16, 901e12) == "contradicted");
}

TEST_CASE("beside the library our own kernel's rate is not news") {
  const DeviceReport device =
      with({steady(RateKind::library_gemm_bf16, 800e12), steady(RateKind::gemm_bf16, 950e12)});
  CHECK(verdict(device, "library_gemm_bf16") == "confirmed");
  CHECK(verdict(device, "gemm_bf16") == "");
}

TEST_CASE("the ceiling of the instructions can only contradict") {
  CHECK(verdict(RateKind::issue_bf16, 690e12) == "contradicted");
  CHECK(verdict(RateKind::issue_bf16, 710e12) == "");
  CHECK(verdict(RateKind::issue_bf16, 2000e12) == "");
}

TEST_CASE("what 16 bits win may be 20 % off the ratio of the database's rates") {
  const auto ratio = [](double half, double full, RateKind kind, const std::string& name) {
    return verdict(with({steady(RateKind::library_gemm_bf16, half), steady(kind, full)}), name);
  };
  // 800 / 40 = 20
  CHECK(ratio(800e12, 800e12 / 23.9, RateKind::library_gemm_fp32, "amp_gemm_bf16_over_fp32") ==
        "confirmed");
  CHECK(ratio(800e12, 800e12 / 24.1, RateKind::library_gemm_fp32, "amp_gemm_bf16_over_fp32") ==
        "contradicted");
  CHECK(ratio(800e12, 800e12 / 16.1, RateKind::library_gemm_fp32, "amp_gemm_bf16_over_fp32") ==
        "confirmed");
  CHECK(ratio(800e12, 800e12 / 15.9, RateKind::library_gemm_fp32, "amp_gemm_bf16_over_fp32") ==
        "contradicted");
  CHECK(ratio(800e12, 400e12, RateKind::library_gemm_tf32, "amp_gemm_bf16_over_tf32") ==
        "confirmed");
  // two lower bounds say nothing of their ratio
  CHECK(verdict(with({steady(RateKind::gemm_bf16, 500e12), steady(RateKind::gemm_fp32, 25e12)}),
                "amp_gemm_bf16_over_fp32") == "");
}

TEST_CASE("pinned copies have to reach what the link carries") {
  const auto on = [](PcieLink link, double value) {
    DeviceReport device = with({steady(RateKind::pinned_upload, value)});
    device.pcie = link;
    return verdict(device, "pinned_upload");
  };
  CHECK(on({16, 16, 4, 4}, 25.6e9) == "confirmed");
  CHECK(on({16, 16, 4, 4}, 22.4e9) == "contradicted");
  CHECK(on({16, 16, 4, 4}, 28.8e9) == "contradicted");
  CHECK(on({8, 16, 4, 4}, 12.8e9) == "confirmed");      // the width it has
  CHECK(on({16, 16, 1, 4}, 25.6e9) == "confirmed");     // asleep, not slower
  CHECK(verdict(RateKind::pinned_upload, 25e9) == "");  // no link is known
}

TEST_CASE("plain memory is copied as fast as one thread does, whatever the link carries") {
  const auto beside = [](double pinned, double pageable) {
    return verdict(with({steady(RateKind::pinned_upload, pinned),
                         steady(RateKind::pageable_upload, pageable)}),
                   "pinned_copy_speedup");
  };
  CHECK(beside(12e9, 10e9) == "contradicted");  // no 1.3 times
  CHECK(beside(12e9, 6e9) == "confirmed");
  CHECK(beside(25.6e9, 6e9) == "confirmed");
  CHECK(beside(54e9, 6e9) == "confirmed");  // PCIe 5
  CHECK(beside(54e9, 4e9) == "confirmed");
  CHECK(beside(54e9, 2.8e9) == "contradicted");
  CHECK(beside(54e9, 25e9) == "contradicted");
}

TEST_CASE("noisy rates and disturbed cards decide nothing") {
  CHECK(verdict(with({{RateKind::copy, 3000e9, 230e9, 15}}), "copy") == "inconclusive");
  CHECK(verdict(with({{RateKind::library_gemm_bf16, 600e12, 60e12, 15}}), "library_gemm_bf16") ==
        "inconclusive");
  DeviceReport hot = with({steady(RateKind::copy, 1000e9)});
  hot.disturbed_by = "the card is slowed down by heat";
  CHECK(verdict(hot, "copy") == "inconclusive");
}

TEST_CASE("nothing is checked of a slice, nor what the database does not know") {
  DeviceReport slice = with({steady(RateKind::copy, 1e9)});
  slice.mig = true;
  CHECK(check_rates(slice, card()).empty());
  const DeviceReport whole =
      with({steady(RateKind::copy, 1e9), steady(RateKind::library_gemm_bf16, 1e9)});
  CHECK(check_rates(whole, Gpu{}).empty());
  CHECK(verdict(RateKind::library_gemm_fp8, 1e12) == "");
}

}  // namespace rate_checks_test
