#include "probe/device_objects.h"
#include "probe/measure.h"
#include "probe/reference.h"
#include "probe/statistics.h"
#include "unit/probe/fake.h"

#include <cmath>
#include <limits>
#include <span>

using namespace gpulint;
using namespace gpulint::probe;

namespace {

DeviceReport measured() {
  const Outcome outcome = measure(load_fake(), {});
  REQUIRE(std::holds_alternative<DeviceReport>(outcome));
  return std::get<DeviceReport>(outcome);
}

std::vector<std::string> names(const DeviceReport& report) {
  std::vector<std::string> all;
  for (const Rate& rate : report.rates) all.emplace_back(name_of(rate.kind));
  return all;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a card of known rates is measured to have them, and everything is given back") {
  const FakeDriver& fake = fresh_fake();
  const DeviceReport report = measured();
  CHECK(report.not_timed.empty());
  REQUIRE(names(report) == Names{"copy", "read", "gemm_fp16", "gemm_bf16", "gemm_fp32"});
  for (const Rate& rate : report.rates) {
    CAPTURE(name_of(rate.kind));
    const double expected = quantity_of(rate.kind) == Quantity::bandwidth ? 4e12
                            : rate.kind == RateKind::gemm_fp32            ? 50e12
                                                                          : 500e12;
    CHECK(rate.value == doctest::Approx(expected).epsilon(1e-3));
    CHECK(rate.noise < 1e-3 * rate.value);
    CHECK(rate.samples == 15);
  }
  CHECK(fake.live_objects == 0);
  CHECK(fake.live_contexts == 0);
  CHECK(fake.launches > 5 * 15);
}

TEST_CASE("every failing call of a timing is named, costs no other figure and leaks nothing") {
  for (const char* call : {"cuModuleLoadData", "cuModuleGetFunction", "cuLaunchKernel",
                           "cuMemAlloc_v2", "cuMemcpyDtoH_v2", "cuStreamCreate", "cuEventCreate",
                           "cuEventRecord", "cuEventSynchronize", "cuEventElapsedTime"}) {
    CAPTURE(call);
    FakeDriver& fake = fresh_fake();
    fake.failing_call = call;
    fake.failing_code = 2;
    const DeviceReport report = measured();
    // A read is timed without looking at its result.
    const bool reads = std::string_view(call) == "cuMemcpyDtoH_v2";
    CHECK(names(report) == (reads ? Names{"read"} : Names{}));
    REQUIRE_FALSE(report.not_timed.empty());
    CHECK(report.not_timed.front().find(std::string("out_of_memory: ") + call +
                                        " returned 2 (FAKE_ERROR)") != std::string::npos);
    CHECK(report.context == Bytes::mib(519));
    CHECK(fake.live_objects == 0);
    CHECK(fake.live_contexts == 0);
  }
}

TEST_CASE("failing to give something back does not stop the rest") {
  for (const char* call :
       {"cuModuleUnload", "cuMemFree_v2", "cuStreamDestroy_v2", "cuEventDestroy_v2"}) {
    FakeDriver& fake = fresh_fake();
    fake.failing_call = call;
    fake.failing_code = 700;
    CHECK(measured().rates.size() == 5);
    CHECK(fake.live_objects == 0);
  }
}

TEST_CASE("a kernel whose product is wrong is not timed") {
  fresh_fake().wrong_products = true;
  const DeviceReport report = measured();
  CHECK(names(report) == Names{"copy", "read"});
  CHECK(report.not_timed == Names{"gemm_fp16: our kernel's product differs from a float64 one",
                                  "gemm_bf16: our kernel's product differs from a float64 one",
                                  "gemm_fp32: our kernel's product differs from a float64 one"});
}

TEST_CASE("a copy that does not arrive is not timed") {
  fresh_fake().lost_copies = true;
  const DeviceReport report = measured();
  CHECK(report.not_timed == Names{"copy: our kernel's copy differs from its source"});
}

TEST_CASE("nothing is timed beside another process, on an old card or without room") {
  fresh_fake().processes = 1;
  CHECK(measured().not_timed == Names{"rates: another process computes"});
  fresh_fake().compute_capability_major = 5;
  CHECK(measured().not_timed == Names{"rates: the GPU is too old"});
  FakeDriver& full = fresh_fake();
  full.other_process_mib = full.cuda_total_mib - 2000;
  CHECK(measured().not_timed == Names{"rates: too little free memory"});
  CHECK(full.launches == 0);
}

TEST_CASE("a card without our tensor-core instructions is timed in fp32") {
  fresh_fake().compute_capability_major = 7;
  const DeviceReport report = measured();
  CHECK(names(report) == Names{"copy", "read", "gemm_fp32"});
  CHECK(report.not_timed == Names{"gemm_fp16: our kernel needs compute capability 8.0",
                                  "gemm_bf16: our kernel needs compute capability 8.0"});
}

TEST_CASE("a clock that jumps shows as noise, one that stands still as a reason") {
  fresh_fake().clock_scatter = 0.5;
  for (const Rate& rate : measured().rates) CHECK(rate.noise > 0.1 * rate.value);
  fresh_fake().clock_scatter = 0;
}

TEST_CASE("heat and power limits are reported, the normal power cap is not") {
  fresh_fake().throttle_bits = 0x4 | 0x1;
  CHECK(measured().disturbed_by == "");
  fresh_fake().throttle_bits = 0x40;
  CHECK(measured().disturbed_by == "the card is slowed down by heat");
  fresh_fake().throttle_bits = 0x80;
  CHECK(measured().disturbed_by == "the card is slowed down by its power supply");
  fresh_fake().throttle_bits = 0x8;
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
}

TEST_CASE("random bits are numbers of magnitude 0.5 to 1 in each format") {
  for (const NumberFormat format : {NumberFormat::fp32, NumberFormat::fp16, NumberFormat::bf16}) {
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
  const std::uint32_t halves = 0xBA003800;  // -0.75 above 0.5
  CHECK(decoded(std::as_bytes(std::span(&halves, 1)), NumberFormat::fp16) ==
        std::vector<double>{0.5, -0.75});
  const std::uint32_t brain = 0xBF403F00;
  CHECK(decoded(std::as_bytes(std::span(&brain, 1)), NumberFormat::bf16) ==
        std::vector<double>{0.5, -0.75});
}

TEST_CASE("one wrong element, one NaN or a transposed operand is no product") {
  constexpr std::size_t kValues = std::size_t{kReferenceSize} * kReferenceSize;
  std::vector<double> a(kValues);
  std::vector<double> identity(kValues, 0.0);
  std::vector<float> c(kValues);
  for (std::size_t i = 0; i < kValues; ++i) {
    a[i] = 0.5 + static_cast<double>(i % 97) / 256;
    c[i] = static_cast<float>(a[i]);
    if (i % (kReferenceSize + 1) == 0) identity[i] = 1;
  }
  CHECK(is_product(c, a, identity));
  CHECK_FALSE(is_product(c, identity, a));  // the transpose
  c[300] *= 1.001F;
  CHECK_FALSE(is_product(c, a, identity));
  c[300] = std::numeric_limits<float>::quiet_NaN();
  CHECK_FALSE(is_product(c, a, identity));
}
