#include "device/device_copy.h"
#include "device/measure.h"
#include "device/reference.h"
#include "device/timing_session.h"
#include "host/statistics.h"
#include "unit/device/fake.h"
#include "unit/host/kernel_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>

namespace timing_test {

using namespace gpulint;
using namespace gpulint::probe;

namespace {

/// Of an Ampere card unless a test says otherwise: its trials are the smallest.
FakeDriver& fake_ampere() {
  FakeDriver& fake = fresh_fake();
  fake.compute_capability_major = 8;
  return fake;
}

DeviceReport measured(const Assignment& assignment = {}) {
  const Outcome outcome = measure(load_fake(), {}, assignment);
  REQUIRE(std::holds_alternative<DeviceReport>(outcome));
  return std::get<DeviceReport>(outcome);
}

using Names = std::vector<std::string>;

Names names(const DeviceReport& report) {
  Names all;
  for (const Rate& rate : report.rates) all.emplace_back(name_of(rate.kind));
  return all;
}

bool holds(const Names& texts, const std::string& text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

double rate(const DeviceReport& report, RateKind kind) {
  for (const Rate& each : report.rates) {
    if (each.kind == kind) return each.value;
  }
  return 0;
}

const Names kAmpere{"copy",
                    "read",
                    "driver_copy",
                    "pinned_upload",
                    "pinned_download",
                    "pageable_upload",
                    "cold_upload",
                    "gemm_bf16",
                    "gemm_fp16",
                    "gemm_fp32",
                    "gemm_tf32",
                    "issue_bf16",
                    "issue_fp16",
                    "issue_fp32",
                    "issue_tf32",
                    "launch"};

}  // namespace

TEST_CASE("a card of known rates is measured to have them, and everything is given back") {
  const FakeDriver& fake = fake_ampere();
  const DeviceReport report = measured();
  CHECK(names(report) == kAmpere);
  CHECK(report.not_timed ==
        Names{"library: no cuBLASLt was found", "gemm_fp8: no kernel of ours runs this on this GPU",
              "issue_fp8: our kernels do not use the instructions that reach this GPU's peak"});
  const auto is = [&](RateKind kind, double expected) {
    CAPTURE(name_of(kind));
    CHECK(rate(report, kind) == doctest::Approx(expected).epsilon(1e-3));
  };
  is(RateKind::copy, 4e12);
  is(RateKind::read, 4e12);
  is(RateKind::driver_copy, 4.1e12);
  is(RateKind::pinned_upload, 50e9);
  is(RateKind::pinned_download, 50e9);
  is(RateKind::pageable_upload, 12.5e9);
  is(RateKind::launch, 4e5);
  is(RateKind::gemm_fp32, 50e12);
  is(RateKind::gemm_tf32, 250e12);
  is(RateKind::gemm_fp16, 500e12);
  is(RateKind::gemm_bf16, 500e12);
  // 132 SMs with 2 blocks of 8 warps, 8 products of 16 x 8 x 16 each, in half a microsecond
  is(RateKind::issue_bf16, 132 * 2 * 8 * 8 * 2.0 * 16 * 8 * 16 / 5e-7);
  for (const Rate& each : report.rates) {
    if (each.kind != RateKind::cold_upload) CHECK(each.noise < 1e-3 * each.value);
  }
  CHECK(fake.live_objects == 0);
  CHECK(fake.live_contexts == 0);
  CHECK(fake.most_pinned <= std::size_t{256} << 20);
}

TEST_CASE("on Hopper products and ceilings go through wgmma, fed by tensor maps") {
  fresh_fake();
  const DeviceReport report = measured();
  CHECK(report.not_timed == Names{"library: no cuBLASLt was found"});
  CHECK(rate(report, RateKind::gemm_bf16) == doctest::Approx(700e12).epsilon(1e-3));
  CHECK(rate(report, RateKind::gemm_fp8) == doctest::Approx(900e12).epsilon(1e-3));
  CHECK(rate(report, RateKind::issue_fp8) ==
        doctest::Approx(132 * 2 * 2.0 * 64 * 256 * 128 / 5e-7).epsilon(1e-3));
}

TEST_CASE("a wgmma kernel that is wrong leaves the product to mma.sync and is named") {
  fresh_fake().wrong_kernel = "gpulint_wgmma_gemm_bf16";
  const DeviceReport report = measured();
  CHECK(rate(report, RateKind::gemm_bf16) > 0);
  CHECK(holds(report.not_timed, "gpulint_wgmma_gemm_bf16: the product differs from a float64 one"));
}

TEST_CASE("a kernel of tensor maps that is wrong leaves the product to the next, and is named") {
  fresh_fake().wrong_kernel = "gpulint_tma_gemm_bf16";
  const DeviceReport report = measured();
  CHECK(rate(report, RateKind::gemm_bf16) == doctest::Approx(500e12).epsilon(1e-3));
  CHECK(report.not_timed ==
        Names{"library: no cuBLASLt was found",
              "gpulint_tma_gemm_bf16: the product differs from a float64 one"});
}

TEST_CASE("where the driver encodes no tensor map the next kernel multiplies") {
  FakeDriver& fake = fresh_fake();
  fake.failing_call = "cuTensorMapEncodeTiled";
  fake.failing_code = 801;
  const DeviceReport report = measured();
  CHECK(rate(report, RateKind::gemm_bf16) == doctest::Approx(500e12).epsilon(1e-3));
  CHECK(report.broken_by.empty());
  CHECK(holds(report.not_timed,
              "gpulint_tma_gemm_bf16: cuTensorMapEncodeTiled returned 801 (FAKE_ERROR)"));
  CHECK(fake.live_objects == 0);
}

TEST_CASE("a kernel of tensor maps that breaks the context is left out the next time") {
  fresh_fake().faulting_kernel = "gpulint_tma_gemm_fp16";
  CHECK(measured().broken_by == "gpulint_tma_gemm_fp16");
  fresh_fake().faulting_kernel = "gpulint_tma_gemm_fp16";
  Assignment assignment;
  assignment.broken = {"gpulint_tma_gemm_fp16"};
  const DeviceReport again = measured(assignment);
  CHECK(again.broken_by.empty());
  CHECK(rate(again, RateKind::gemm_fp16) == doctest::Approx(500e12).epsilon(1e-3));
  CHECK(rate(again, RateKind::gemm_bf16) == doctest::Approx(700e12).epsilon(1e-3));
}

TEST_CASE("of two kernels that are right the faster one is timed") {
  fresh_fake().slow_kernel = "gpulint_tma_gemm_bf16";
  CHECK(rate(measured(), RateKind::gemm_bf16) == doctest::Approx(500e12).epsilon(1e-3));
  fake_ampere().slow_kernel = "gpulint_gemm_bf16";
  CHECK(rate(measured(), RateKind::gemm_bf16) == doctest::Approx(500e12).epsilon(1e-3));
  fake_ampere().slow_kernel = "gpulint_wide_gemm_bf16";
  CHECK(rate(measured(), RateKind::gemm_bf16) == doctest::Approx(500e12).epsilon(1e-3));
}

TEST_CASE("every failing call of a timing is named, costs no other figure and leaks nothing") {
  for (const char* call : {"cuModuleLoadData", "cuModuleGetFunction", "cuLaunchKernel",
                           "cuMemAlloc_v2", "cuMemcpyDtoH_v2", "cuStreamCreate", "cuEventCreate",
                           "cuEventRecord", "cuEventSynchronize", "cuEventElapsedTime"}) {
    CAPTURE(call);
    FakeDriver& fake = fake_ampere();
    fake.failing_call = call;
    fake.failing_code = 2;
    const DeviceReport report = measured();
    CHECK_FALSE(holds(names(report), "copy"));
    REQUIRE_FALSE(report.not_timed.empty());
    CHECK(report.not_timed.front().find(std::string("out_of_memory: ") + call +
                                        " returned 2 (FAKE_ERROR)") != std::string::npos);
    CHECK(report.context == Bytes::mib(519));
    CHECK(fake.live_objects == 0);
    CHECK(fake.live_contexts == 0);
  }
}

TEST_CASE("what copies between host and device fail with costs those copies alone") {
  for (const char* call : {"cuMemAllocHost_v2", "cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2",
                           "cuMemcpyDtoDAsync_v2"}) {
    CAPTURE(call);
    FakeDriver& fake = fake_ampere();
    fake.failing_call = call;
    fake.failing_code = 2;
    const DeviceReport report = measured();
    CHECK(holds(names(report), "gemm_fp32"));
    CHECK(report.rates.size() < kAmpere.size());
    CHECK(report.not_timed.front().find(call) != std::string::npos);
    CHECK(fake.live_objects == 0);
  }
}

TEST_CASE("failing to give something back does not stop the rest") {
  for (const char* call : {"cuModuleUnload", "cuMemFree_v2", "cuMemFreeHost", "cuStreamDestroy_v2",
                           "cuEventDestroy_v2"}) {
    FakeDriver& fake = fake_ampere();
    fake.failing_call = call;
    fake.failing_code = 700;
    CHECK(measured().rates.size() == kAmpere.size());
    CHECK(fake.live_objects == 0);
  }
}

TEST_CASE("without a compiler for PTX the host copies are still timed") {
  for (const int code : {221, 223}) {
    FakeDriver& fake = fake_ampere();
    fake.failing_call = "cuModuleLoadData";
    fake.failing_code = code;
    const DeviceReport report = measured();
    CHECK(names(report) ==
          Names{"pinned_upload", "pinned_download", "pageable_upload", "cold_upload"});
    CHECK(report.not_timed.front() ==
          "kernels: cuModuleLoadData returned " + std::to_string(code) + " (FAKE_ERROR)");
    CHECK(report.context == Bytes::mib(519));
  }
}

TEST_CASE("a kernel whose product is wrong is not timed") {
  fake_ampere().wrong_products = true;
  const DeviceReport report = measured();
  for (const char* name : {"gemm_bf16", "gemm_fp16", "gemm_fp32", "gemm_tf32"}) {
    CHECK_FALSE(holds(names(report), name));
    CHECK(holds(report.not_timed, std::string(name) + ": the product differs from a float64 one"));
  }
}

TEST_CASE("a copy that does not arrive is not timed") {
  fake_ampere().lost_copies = true;
  const DeviceReport report = measured();
  CHECK_FALSE(holds(names(report), "copy"));
  CHECK(holds(report.not_timed, "copy: the copy differs from its source"));
}

TEST_CASE("nothing is timed beside another process, on an old card or without room") {
  fake_ampere().processes = 1;
  CHECK(measured().not_timed ==
        Names{"rates: another process uses the GPU; --share times beside it"});
  fresh_fake().compute_capability_major = 5;
  CHECK(measured().not_timed == Names{"rates: the GPU is too old"});
  FakeDriver& full = fake_ampere();
  full.other_process_mib = full.cuda_total_mib - 2000;
  CHECK(measured().not_timed == Names{"rates: too little free memory"});
  CHECK(full.launches == 0);
}

TEST_CASE("with --share rates are timed beside another process, and are disturbed") {
  fake_ampere().processes = 1;
  Assignment assignment;
  assignment.share = true;
  const Outcome outcome = measure(load_fake(), {}, assignment);
  REQUIRE(std::holds_alternative<DeviceReport>(outcome));
  const auto& report = std::get<DeviceReport>(outcome);
  CHECK(holds(names(report), "copy"));
  CHECK(report.disturbed_by == "another process uses the GPU");
}

TEST_CASE("a product that takes long is timed three times, not fifteen") {
  FakeDriver& fake = fake_ampere();
  fake.slow_products = 100'000;
  const DeviceReport report = measured();
  const auto found = std::find_if(report.rates.begin(), report.rates.end(), [](const Rate& rate) {
    return rate.kind == RateKind::gemm_bf16;
  });
  REQUIRE(found != report.rates.end());
  CHECK(found->samples == 3);
}

TEST_CASE("a slow format is timed on a smaller product, and the rest keeps its time") {
  FakeDriver& fake = fake_ampere();
  fake.slow_products = 220;  // 2.3 TFLOP/s, as emulated bf16 does
  const DeviceReport report = measured();
  CHECK(fake.largest_product == 2048);
  CHECK(rate(report, RateKind::gemm_bf16) == doctest::Approx(500e12 / 220));
  CHECK(holds(names(report), "launch"));
}

TEST_CASE("what a product draws is kept: clock, power and temperature") {
  fake_ampere();
  const CardState state = measured().under_load;
  CHECK(state == CardState{1755e6, 690, 700, 61});
}

TEST_CASE("a product that is sustained is watched, and says what it held") {
  fake_ampere();
  Assignment assignment;
  assignment.sustain = std::chrono::seconds(1);
  const DeviceReport report = measured(assignment);
  REQUIRE(report.sustained.has_value());
  CHECK(report.sustained->kind == RateKind::gemm_bf16);
  CHECK(report.sustained->first == doctest::Approx(500e12));
  CHECK(report.sustained->last == doctest::Approx(500e12));
  CHECK(report.sustained->seconds >= 1);
  CHECK(report.sustained->high == CardState{1755e6, 690, 700, 61});
  CHECK(report.sustained->slowed_down.empty());
}

TEST_CASE("trials run every kernel of a card once, also those that others come before") {
  FakeDriver& fake = fresh_fake();
  Assignment assignment;
  assignment.trials_only = true;
  const DeviceReport report = measured(assignment);
  CHECK(report.rates.empty());
  CHECK(report.not_timed.empty());
  for (const char* name : {"gpulint_copy", "gpulint_read", "gpulint_empty", "gpulint_gemm_fp32",
                           "gpulint_prefetch_gemm_fp32", "gpulint_gemm_bf16",
                           "gpulint_wide_gemm_bf16", "gpulint_tma_gemm_bf16", "gpulint_wgmma_gemm_bf16", "gpulint_gemm_fp8",
                           "gpulint_wgmma_issue_fp8", "gpulint_issue_fp8", "gpulint_issue_fp32"}) {
    CAPTURE(name);
    CHECK(std::count(report.trials.begin(), report.trials.end(), name) == 1);
  }
  CHECK(fake.live_objects == 0);
  fresh_fake().wrong_kernel = "gpulint_gemm_bf16";
  CHECK(measured(assignment).not_timed ==
        Names{"gpulint_gemm_bf16: the product differs from a float64 one"});
}

TEST_CASE("without wgmma a Hopper card multiplies by mma.sync") {
  fresh_fake().faulting_kernel = "gpulint_wgmma_gemm_bf16";
  Assignment assignment;
  assignment.newest_products = false;
  const DeviceReport report = measured(assignment);
  CHECK(report.broken_by.empty());
  CHECK(holds(names(report), "gemm_bf16"));
  CHECK(holds(names(report), "issue_bf16"));
}

TEST_CASE("a kernel that breaks the context is named, and left out the next time") {
  FakeDriver& fake = fresh_fake();
  fake.faulting_kernel = "gpulint_wgmma_gemm_bf16";
  const DeviceReport first = measured();
  CHECK(first.broken_by == "gpulint_wgmma_gemm_bf16");
  CHECK(holds(names(first), "pinned_upload"));
  fresh_fake().faulting_kernel = "gpulint_wgmma_gemm_bf16";
  Assignment assignment;
  assignment.broken = {first.broken_by};
  const DeviceReport again = measured(assignment);
  CHECK(again.broken_by.empty());
  CHECK(rate(again, RateKind::gemm_bf16) == doctest::Approx(700e12));
  CHECK(holds(again.not_timed,
              "gpulint_wgmma_gemm_bf16: it broke the CUDA context; all else was "
              "measured again without it"));
}

TEST_CASE("nothing is timed where only memory was asked about") {
  FakeDriver& fake = fake_ampere();
  Assignment assignment;
  assignment.timed = false;
  CHECK(measured(assignment).not_timed == Names{"rates: not asked for"});
  CHECK(fake.launches == 0);
}

TEST_CASE("small products take turns over several sets of operands") {
  FakeDriver& fake = fake_ampere();
  const Driver driver = load_fake();
  DeviceReport device;
  device.compute_capability = 80;
  device.sm_count = 108;
  device.cuda_free = Bytes::gib(40);
  device.l2_cache = Bytes::mib(40);
  {
    TimingSession session(driver.cuda, {}, device, Assignment{});
    const GemmShape small{.m = 1024, .n = 1024, .k = 1024};
    REQUIRE(session.gemm().sample(small, NumberFormat::bf16, Tier::kernel).has_value());
    // 8 MiB of operands each, for a cache of 40 MiB
    CHECK(fake.peak_bytes >= (80 << 20));
  }
  CHECK(fake.live_objects == 0);
}

TEST_CASE("passes that fit the caches take other bytes each time") {
  FakeDriver& fake = fake_ampere();
  const Driver driver = load_fake();
  const MachineFacts machine;
  Calls calls(driver.cuda, machine);
  {
    Bench bench(driver.cuda, calls, 108);
    constexpr std::size_t kPass = std::size_t{1} << 20;
    REQUIRE(sample_copy(bench, kPass, {}, 20 * kPass).has_value());
    CHECK(fake.repeated_copies == 0);
    REQUIRE(sample_copy(bench, kPass).has_value());
    CHECK(fake.repeated_copies > 0);
  }
  CHECK(fake.live_objects == 0);
}

TEST_CASE("a card without our tensor-core instructions is timed in fp32") {
  fresh_fake().compute_capability_major = 7;
  const DeviceReport report = measured();
  CHECK(holds(names(report), "gemm_fp32"));
  CHECK(holds(names(report), "issue_fp32"));
  CHECK_FALSE(holds(names(report), "gemm_bf16"));
  CHECK(holds(report.not_timed, "gemm_bf16: no kernel of ours runs this on this GPU"));
}

TEST_CASE("late, the least needed is left out first") {
  fake_ampere();
  Assignment assignment;
  assignment.end = std::chrono::steady_clock::now();
  const DeviceReport report = measured(assignment);
  CHECK(report.rates.empty());
  CHECK(report.not_timed.front() == "copy: out of time");
  CHECK(report.not_timed.back() == "launch: out of time");
}

TEST_CASE("a clock that jumps shows as noise, one that stands still as a reason") {
  fake_ampere().clock_scatter = 0.5;
  for (const Rate& each : measured().rates) {
    // Cold copies go by the host's clock; five samples of launches are fewer than the rest.
    if (each.kind != RateKind::cold_upload) CHECK(each.noise > 0.1 * each.value);
  }
  fresh_fake().clock_scatter = 0;
}

TEST_CASE("heat and power limits are reported, the normal power cap is not") {
  fake_ampere().throttle_bits = 0x4 | 0x1;
  CHECK(measured().disturbed_by == "");
  fake_ampere().throttle_bits = 0x40;
  CHECK(measured().disturbed_by == "the card is slowed down by heat");
  fake_ampere().throttle_bits = 0x80;
  CHECK(measured().disturbed_by == "the card is slowed down by its power supply");
  fake_ampere().throttle_bits = 0x8;
  CHECK(measured().disturbed_by == "the card slows itself down");
}

TEST_CASE("medians, scatter and drift") {
  CHECK(median_of({3}) == 3);
  CHECK(median_of({1, 9, 2, 4}) == 3);
  CHECK(summarize({5, 5, 5, 5}).noise == 0);
  CHECK(summarize({10, 10, 10, 6, 6, 6}).noise == doctest::Approx(4));  // drift
  CHECK(summarize({9, 11, 9, 11}).median == 10);
  CHECK(summarize({9, 11, 9, 11}).noise == doctest::Approx(1.4826));
  CHECK(summarize({7}).noise == 0);
  CHECK(mean_of({1, 9, 2, 4}) == 4);
}

TEST_CASE("random bits are numbers of magnitude 0.5 to 1 in each format") {
  for (const NumberFormat format : {NumberFormat::fp32, NumberFormat::tf32, NumberFormat::fp16,
                                    NumberFormat::bf16, NumberFormat::fp8}) {
    const RandomBits bits = random_bits(format);
    for (const std::uint32_t random : {0U, 0xffffffffU, 0x12345678U, 0x80008000U}) {
      const std::uint32_t word = (random & bits.keep) | bits.exponent;
      const auto bytes = std::as_bytes(std::span(&word, 1));
      for (const double value : decoded(bytes, format)) {
        CHECK(std::abs(value) >= 0.5);
        CHECK(std::abs(value) < 1.0);
      }
    }
  }
}

TEST_CASE("numbers are decoded exactly") {
  const auto values = [](std::uint32_t word, NumberFormat format) {
    return decoded(std::as_bytes(std::span(&word, 1)), format);
  };
  using Values = std::vector<double>;
  CHECK(values(0xBA003800, NumberFormat::fp16) == Values{0.5, -0.75});
  CHECK(values(0xBF403F00, NumberFormat::bf16) == Values{0.5, -0.75});
  CHECK(values(0xBF400000, NumberFormat::tf32) == Values{-0.75});
  // e4m3: 1 sign, 4 exponent bits with a bias of 7, 3 fraction bits
  CHECK(values(0x38B43F00, NumberFormat::fp8) == Values{0, 1.875, -0.75, 1});
}

TEST_CASE("one wrong element, one NaN or a transposed operand is not a product") {
  const GemmShape shape{.m = 64, .n = 32, .k = 96, .batch = 2};
  const ProductTolerance tolerance = product_tolerance(NumberFormat::fp32, NumberFormat::fp32);
  std::vector<double> a;
  std::vector<double> b;
  std::vector<double> c;
  for (int i = 0; i < 2 * 64 * 96; ++i) a.push_back(0.5 + (i * 37 % 101) / 256.0);
  for (int i = 0; i < 2 * 32 * 96; ++i) b.push_back(0.5 + (i * 53 % 103) / 256.0);
  for (int row = 0; row < 2 * 64; ++row) {
    for (int column = 0; column < 32; ++column) {
      double sum = 0;
      for (int k = 0; k < 96; ++k) {
        sum += a[static_cast<std::size_t>(row * 96 + k)] *
               b[static_cast<std::size_t>((row / 64 * 32 + column) * 96 + k)];
      }
      c.push_back(sum);
    }
  }
  CHECK(is_product(c, a, b, shape, tolerance));
  CHECK_FALSE(is_product(c, b, a, {.m = 32, .n = 64, .k = 96, .batch = 2}, tolerance));
  CHECK_FALSE(is_product(c, a, b, {.m = 128, .n = 32, .k = 96}, tolerance));
  const double right = c[300];
  c[300] = right * 1.001;
  CHECK_FALSE(is_product(c, a, b, shape, tolerance));
  CHECK(is_product(c, a, b, shape, product_tolerance(NumberFormat::bf16, NumberFormat::bf16)));
  c[300] = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(is_product(c, a, b, shape, tolerance));
}

}  // namespace timing_test

TEST_CASE("what slows a card down only while it works disturbs its rates") {
  FakeDriver& fake = fresh_fake();
  fake.throttle_bits_under_load = 0x20;
  const Outcome outcome = measure(load_fake(), {}, {});
  CHECK(std::get<DeviceReport>(outcome).disturbed_by == "the card is slowed down by heat");
}

TEST_CASE("host copies are made beside the card, where the machine says where that is") {
  FakeDriver& fake = fresh_fake();
  KernelTree tree;
  tree.file("sys/devices/system/node/online", "0-1\n");
  tree.file("sys/devices/system/node/node0/cpulist", "0\n");
  tree.file("sys/devices/system/node/node1/cpulist", "1\n");
  tree.file("sys/bus/pci/devices/0000:03:00.0/numa_node", "0\n");
  Outcome outcome = measure(load_fake(), {}, {.root = tree.root()});
  CHECK(std::get<DeviceReport>(outcome).numa_node == 0);
  CHECK(fake.pinned_cpus == 1);
  tree.file("sys/bus/pci/devices/0000:03:00.0/numa_node", "-1\n");
  outcome = measure(load_fake(), {}, {.root = tree.root()});
  CHECK_FALSE(std::get<DeviceReport>(outcome).numa_node.has_value());
}
