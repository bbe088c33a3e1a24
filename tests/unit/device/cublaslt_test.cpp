#include "device/cublaslt.h"

#include "device/library_search.h"
#include "device/measure.h"
#include "device/timing_session.h"
#include "host/library.h"
#include "probe/fake_cublaslt.h"
#include "unit/device/fake.h"

#include <algorithm>
#include <string>
#include <vector>

using namespace gpulint;
using namespace gpulint::probe;

namespace {

FakeCublaslt& fresh_library() {
  static const Result<Library> library = Library::open(GPULINT_FAKE_CUBLASLT);
  REQUIRE(library.has_value());
  auto* fake = static_cast<FakeCublaslt*>(library->symbol("fake_cublaslt"));
  REQUIRE(fake != nullptr);
  return *fake = FakeCublaslt{};
}

FakeDriver& fake_ampere() {
  FakeDriver& fake = fresh_fake();
  fake.compute_capability_major = 8;
  return fake;
}

DeviceReport measured(const std::vector<std::string>& libraries = {GPULINT_FAKE_CUBLASLT}) {
  Assignment assignment;
  assignment.libraries = libraries;
  const Outcome outcome = measure(load_fake(), {}, assignment);
  REQUIRE(std::holds_alternative<DeviceReport>(outcome));
  return std::get<DeviceReport>(outcome);
}

double rate(const DeviceReport& report, RateKind kind) {
  for (const Rate& each : report.rates) {
    if (each.kind == kind) return each.value;
  }
  return 0;
}

bool mentions(const DeviceReport& report, const std::string& text) {
  return std::any_of(report.not_timed.begin(), report.not_timed.end(),
                     [&](const std::string& each) { return each.find(text) != std::string::npos; });
}

}  // namespace

TEST_CASE("the vendor's library is timed in every format, named and given back") {
  fake_ampere();
  const FakeCublaslt& library = fresh_library();
  const DeviceReport report = measured();
  CHECK(report.library == std::string("cuBLASLt 13.1.0, ") + GPULINT_FAKE_CUBLASLT);
  const auto is = [&](RateKind kind, double expected) {
    CAPTURE(name_of(kind));
    CHECK(rate(report, kind) == doctest::Approx(expected).epsilon(1e-3));
  };
  is(RateKind::library_gemm_fp32, 52e12);
  is(RateKind::library_gemm_tf32, 400e12);
  is(RateKind::library_gemm_fp16, 790e12);
  is(RateKind::library_gemm_bf16, 790e12);
  is(RateKind::library_gemm_fp8, 1400e12);
  is(RateKind::library_gemm_fp8_fast, 1600e12);
  is(RateKind::gemm_bf16, 500e12);  // ours is timed beside it
  CHECK(library.live_objects == 0);
}

TEST_CASE("a library without fast accumulation is timed without, and the reason is named") {
  fake_ampere();
  fresh_library().has_fast_fp8 = false;
  const DeviceReport report = measured();
  CHECK(rate(report, RateKind::library_gemm_fp8) == doctest::Approx(1400e12).epsilon(1e-3));
  CHECK(rate(report, RateKind::library_gemm_fp8_fast) == 0);
  CHECK(mentions(report,
                 "library_gemm_fp8_fast: cublasLtMatmulDescSetAttribute returned 7"));
}

TEST_CASE("a library whose products are wrong is not timed") {
  fake_ampere();
  fresh_library().wrong_products = true;
  const DeviceReport report = measured();
  CHECK(rate(report, RateKind::library_gemm_bf16) == 0);
  CHECK(mentions(report, "library_gemm_bf16: the product differs from a float64 one"));
  CHECK(rate(report, RateKind::gemm_bf16) > 0);
}

TEST_CASE("whatever call of the library fails, the rest is timed and nothing leaks") {
  for (const char* call :
       {"cublasLtCreate", "cublasLtMatmulDescCreate", "cublasLtMatmulDescSetAttribute",
        "cublasLtMatrixLayoutCreate", "cublasLtMatrixLayoutSetAttribute",
        "cublasLtMatmulPreferenceCreate", "cublasLtMatmulPreferenceSetAttribute",
        "cublasLtMatmulAlgoGetHeuristic", "cublasLtMatmul"}) {
    CAPTURE(call);
    fake_ampere();
    FakeCublaslt& library = fresh_library();
    library.failing_call = call;
    library.failing_status = 15;
    const DeviceReport report = measured();
    CHECK(rate(report, RateKind::library_gemm_bf16) == 0);
    CHECK(rate(report, RateKind::gemm_bf16) > 0);
    CHECK(mentions(report, std::string(call) + " returned 15"));
    CHECK(library.live_objects == 0);
  }
}

TEST_CASE("a product without an algorithm says so") {
  fake_ampere();
  fresh_library().has_algorithm = false;
  CHECK(mentions(measured(), "cuBLASLt has no algorithm for this product"));
}

TEST_CASE("a library newer than the driver is passed over") {
  fake_ampere();
  const DeviceReport report = measured({"/usr/lib/libcublasLt.so.14"});
  CHECK(report.library.empty());
  CHECK(mentions(report, "library: the driver is too old for /usr/lib/libcublasLt.so.14"));
}

TEST_CASE("what is not cuBLASLt is passed over and the next one taken") {
  fake_ampere();
  fresh_library();
  const DeviceReport report = measured({GPULINT_FAKE_DRIVER, GPULINT_FAKE_CUBLASLT});
  CHECK_FALSE(report.library.empty());
  CHECK(mentions(measured({GPULINT_FAKE_DRIVER}), "lacks cublasLtGetVersion"));
}

TEST_CASE("any product is timed by the best way there is") {
  fake_ampere();
  fresh_library();
  const Driver driver = load_fake();
  DeviceReport device;
  device.cuda_version = 13000;
  device.compute_capability = 80;
  device.sm_count = 108;
  device.cuda_free = Bytes::gib(40);
  const GemmShape shape{.m = 1000, .n = 3000, .k = 520, .batch = 3};
  {
    TimingSession session(driver.cuda, {}, device, {.libraries = {GPULINT_FAKE_CUBLASLT}});
    const auto time = session.gemm().time(shape, NumberFormat::bf16);
    REQUIRE(time.has_value());
    CHECK(time->tier == Tier::library);
    CHECK(time->timing.median.value == doctest::Approx(operations_of(shape) / 790e12));
  }
  TimingSession session(driver.cuda, {}, device, Assignment{});
  const auto time = session.gemm().time(shape, NumberFormat::bf16);
  REQUIRE(time.has_value());
  CHECK(time->tier == Tier::kernel);
  // whole tiles: 1024 x 3072 x 544
  CHECK(time->timing.median.value ==
        doctest::Approx(2.0 * 3 * 1024 * 3072 * 544 / 500e12).epsilon(1e-3));
  CHECK_FALSE(session.gemm().time({.m = 1 << 20, .n = 1 << 20, .k = 64}, NumberFormat::bf16));
  CHECK(session.why() == "the product takes too much memory");
}

TEST_CASE("every function is in the CUDA toolkit of this machine, if it has one") {
  const LibraryChoice choice = find_cublaslt({}, "");
  if (choice.paths.empty()) {
    MESSAGE("skipped: no cuBLASLt here");
    return;
  }
  const auto api = load_cublaslt(choice.paths.front());
  CAPTURE(choice.paths.front());
  REQUIRE(api.has_value());
  CHECK(api->version() / 10000 == static_cast<std::size_t>(*library_major(choice.paths.front())));
}
