// Untested on hardware. Every sample is the device's own time between two events, over launches
// that together take at least a millisecond, after a tenth of a second of load that brings the
// clocks up. Buffers are larger than any cache and hold random numbers: zeros switch fewer bits,
// draw less power and look faster. A product is compared with a float64 one before it is timed.

#include "probe/timing.h"

#include "probe/device_objects.h"
#include "probe/reference.h"
#include "probe/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

extern "C" const char gpulint_memory_ptx[];
extern "C" const char gpulint_tensor_ptx[];

namespace gpulint::probe {
namespace {

constexpr Seconds kLeastSample{1e-3};  // events resolve about half a microsecond
constexpr Seconds kWarmUp{0.1};
constexpr int kMostWarmUps = 1000;
constexpr int kMostLaunches = 256;  // of one sample
constexpr int kSamples = 15;
constexpr std::size_t kCachesFull = 8;  // buffers are this many times the L2
constexpr std::size_t kLeastBuffer = std::size_t{256} << 20;
constexpr std::size_t kFreeParts = 8;  // one buffer takes at most this part of the free memory
constexpr std::array<int, 4> kSizes{8192, 4096, 2048, 1024};  // of matrices, largest that fits
constexpr int kTile = 128;                                    // of a block, as in kernels/*.cu
constexpr unsigned int kThreads = 256;
constexpr int kBlocksPerSm = 8;
constexpr int kFirstWithTensorPtx = 80;  // compute capabilities of kernels/*.ptx
constexpr int kFirstWithMemoryPtx = 60;
constexpr double kLongestProduct = 0.04;    // seconds of one launch on a small card, which does …
constexpr double kSmallCardFp32 = 5e12;     // … so many operations/s,
constexpr double kSmallCardTensor = 30e12;  // and so many on tensor cores

struct GemmKind {
  RateKind kind;
  const char* kernel;
  NumberFormat format;
};
constexpr std::array<GemmKind, 3> kGemms{
    {{RateKind::gemm_fp16, "gpulint_gemm_fp16", NumberFormat::fp16},
     {RateKind::gemm_bf16, "gpulint_gemm_bf16", NumberFormat::bf16},
     {RateKind::gemm_fp32, "gpulint_gemm_fp32", NumberFormat::fp32}}};

class Timer {
 public:
  Timer(const CudaApi& cuda, Calls& calls, DeviceReport& report)
      : cuda_(cuda),
        calls_(calls),
        report_(report),
        memory_(cuda, calls, gpulint_memory_ptx),
        watch_(cuda, calls) {}

  bool ready() { return watch_.ready() && (fill_ = memory_.function("gpulint_fill")) != nullptr; }

  bool time_bandwidth(RateKind kind, std::size_t bytes) {
    const bool copies = kind == RateKind::copy;
    CudaFunction kernel = memory_.function(copies ? "gpulint_copy" : "gpulint_read");
    DeviceBuffer from(cuda_, calls_, bytes);
    DeviceBuffer to(cuda_, calls_, copies ? bytes : kThreads);
    if (kernel == nullptr || !from.ready() || !to.ready() || !fill(from, NumberFormat::fp32)) {
      return false;
    }
    CudaAddress source = from.address();
    CudaAddress target = to.address();
    std::uint64_t count = bytes / 16;
    const auto launch = [&] {
      return watch_.launch(kernel, everywhere(), {&source, &target, &count});
    };
    if (!launch() || (copies && !same_end(from, to))) return false;
    return sample(kind, static_cast<double>(bytes) * (copies ? 2 : 1), launch);
  }

  bool time_gemm(const GemmKind& gemm, Module& module, int size) {
    CudaFunction kernel = module.function(gemm.kernel);
    if (kernel == nullptr || !is_right(kernel, gemm.format)) return false;
    const std::size_t values = static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
    DeviceBuffer a(cuda_, calls_, values * bytes_of_value(gemm.format));
    DeviceBuffer b(cuda_, calls_, values * bytes_of_value(gemm.format));
    DeviceBuffer c(cuda_, calls_, values * sizeof(float));
    if (!a.ready() || !b.ready() || !c.ready() || !fill(a, gemm.format) || !fill(b, gemm.format)) {
      return false;
    }
    const double operations = 2.0 * size * static_cast<double>(values);
    return sample(gemm.kind, operations, [&] { return multiply(kernel, c, a, b, size); });
  }

  Module& memory() { return memory_; }

 private:
  LaunchShape everywhere() const {
    return {static_cast<unsigned>(std::clamp(report_.sm_count, 1, 1024) * kBlocksPerSm), 1,
            kThreads};
  }

  bool fill(const DeviceBuffer& buffer, NumberFormat format) {
    const RandomBits bits = random_bits(format);
    CudaAddress words = buffer.address();
    std::uint64_t count = buffer.size() / sizeof(std::uint32_t);
    std::uint32_t seed = ++seed_;
    std::uint32_t keep = bits.keep;
    std::uint32_t exponent = bits.exponent;
    return watch_.launch(fill_, everywhere(), {&words, &count, &seed, &keep, &exponent});
  }

  bool multiply(CudaFunction kernel, const DeviceBuffer& c, const DeviceBuffer& a,
                const DeviceBuffer& b, int size) {
    std::array<CudaAddress, 3> addresses{c.address(), a.address(), b.address()};
    const auto blocks = static_cast<unsigned>(size / kTile);
    return watch_.launch(kernel, {blocks, blocks, kThreads},
                         {&addresses[0], &addresses[1], &addresses[2], &size});
  }

  bool wait() { return watch_.start() && watch_.stop().has_value(); }

  /// The last bytes arrived: the whole range was covered.
  bool same_end(const DeviceBuffer& from, const DeviceBuffer& to) {
    constexpr std::size_t kEnd = 4096;
    std::array<std::uint32_t, kEnd / 4> expected{};
    std::array<std::uint32_t, kEnd / 4> arrived{};
    if (!wait() || !from.read(expected.data(), kEnd, from.size() - kEnd) ||
        !to.read(arrived.data(), kEnd, to.size() - kEnd)) {
      return false;
    }
    if (expected == arrived && expected.front() != 0) return true;
    calls_.fail(Reason::init_failed, "our kernel's copy differs from its source");
    return false;
  }

  bool is_right(CudaFunction kernel, NumberFormat format) {
    const std::size_t values = std::size_t{kReferenceSize} * kReferenceSize;
    DeviceBuffer a(cuda_, calls_, values * bytes_of_value(format));
    DeviceBuffer b(cuda_, calls_, values * bytes_of_value(format));
    DeviceBuffer c(cuda_, calls_, values * sizeof(float));
    std::vector<std::byte> a_host(a.size());
    std::vector<std::byte> b_host(b.size());
    std::vector<float> c_host(values);
    if (!a.ready() || !b.ready() || !c.ready() || !fill(a, format) || !fill(b, format) ||
        !multiply(kernel, c, a, b, kReferenceSize) || !wait() || !a.read(a_host.data(), a.size()) ||
        !b.read(b_host.data(), b.size()) || !c.read(c_host.data(), c.size())) {
      return false;
    }
    if (is_product(c_host, decoded(a_host, format), decoded(b_host, format))) return true;
    calls_.fail(Reason::init_failed, "our kernel's product differs from a float64 one");
    return false;
  }

  template <class Launch>
  std::optional<Seconds> timed(int launches, const Launch& launch) {
    if (!watch_.start()) return std::nullopt;
    for (int i = 0; i < launches; ++i) {
      if (!launch()) return std::nullopt;
    }
    return watch_.stop();
  }

  template <class Launch>
  bool sample(RateKind kind, double work, const Launch& launch) {
    Seconds spent;
    Seconds once;
    for (int i = 0; i < kMostWarmUps && spent < kWarmUp; ++i) {
      const auto took = timed(1, launch);
      if (!took) return false;
      once = *took;
      spent.value += once.value;
    }
    const double wanted = once.value > 0 ? kLeastSample.value / once.value : kMostLaunches;
    const int launches = 1 + static_cast<int>(std::min(wanted, double{kMostLaunches - 1}));
    std::vector<double> rates;
    for (int i = 0; i < kSamples; ++i) {
      const auto took = timed(launches, launch);
      if (!took) return false;
      if (took->value <= 0) {
        calls_.fail(Reason::init_failed, "the device's clock did not move");
        return false;
      }
      rates.push_back(launches * work / took->value);
    }
    const Summary summary = summarize(rates);
    report_.rates.push_back({kind, summary.median, summary.noise, kSamples});
    return true;
  }

  const CudaApi& cuda_;
  Calls& calls_;
  DeviceReport& report_;
  Module memory_;
  Stopwatch watch_;
  CudaFunction fill_ = nullptr;
  std::uint32_t seed_ = 0;
};

/// Bytes of one buffer: past the caches, and others keep what they need. 0 = does not fit.
std::size_t buffer_size(const DeviceReport& report) {
  const auto count = [](Bytes bytes) {
    return static_cast<std::size_t>(std::max<std::int64_t>(bytes.count(), 0));
  };
  const std::size_t wanted = std::max(kCachesFull * count(report.l2_cache), kLeastBuffer);
  const std::size_t room = count(report.cuda_free) / kFreeParts;
  return wanted <= room ? wanted : 0;
}

int matrix_size(const DeviceReport& report, NumberFormat format) {
  const double room = report.cuda_free.as_double() / 4;
  const double rate = format == NumberFormat::fp32 ? kSmallCardFp32 : kSmallCardTensor;
  for (const int size : kSizes) {
    const double values = static_cast<double>(size) * size;
    const double bytes = values * static_cast<double>(2 * bytes_of_value(format) + sizeof(float));
    if (bytes <= room && 2 * values * size / rate <= kLongestProduct) return size;
  }
  return 0;
}

}  // namespace

void time_device(const CudaApi& cuda, const MachineFacts& machine, const NvmlSession& nvml,
                 std::chrono::milliseconds budget, DeviceReport& report) {
  const auto end = std::chrono::steady_clock::now() + budget;
  const auto skip = [&report](std::string_view what, std::string_view why) {
    report.not_timed.push_back(fmt::format("{}: {}", what, why));
  };
  if (!can_time(cuda)) return skip("rates", "the driver lacks a function");
  if (report.compute_capability < kFirstWithMemoryPtx) return skip("rates", "the GPU is too old");
  if (report.other_processes.value_or(0) > 0) return skip("rates", "another process computes");
  const std::size_t bytes = buffer_size(report);
  if (bytes == 0) return skip("rates", "too little free memory");
  Calls calls(cuda, machine);
  const auto failed = [&](std::string_view what) {
    const auto& [reason, detail] = calls.failure();
    // The name of a driver's failure says more than its text; our own findings have only that.
    skip(what,
         reason == Reason::init_failed ? detail : fmt::format("{}: {}", name_of(reason), detail));
  };
  Timer timer(cuda, calls, report);
  if (!timer.ready()) return failed("rates");
  const auto in_time = [&](RateKind kind) {
    const bool early = std::chrono::steady_clock::now() < end;
    if (!early) skip(name_of(kind), "out of time");
    return early;
  };
  for (const RateKind kind : {RateKind::copy, RateKind::read}) {
    if (in_time(kind) && !timer.time_bandwidth(kind, bytes)) failed(name_of(kind));
  }
  const bool has_tensor = report.compute_capability >= kFirstWithTensorPtx;
  std::optional<Module> tensor;
  if (has_tensor) tensor.emplace(cuda, calls, gpulint_tensor_ptx);
  for (const GemmKind& gemm : kGemms) {
    const bool in_tensor = gemm.kind != RateKind::gemm_fp32;
    if (in_tensor && !has_tensor) {
      skip(name_of(gemm.kind), "our kernel needs compute capability 8.0");
    } else if (const int size = matrix_size(report, gemm.format); size == 0) {
      skip(name_of(gemm.kind), "too little free memory");
    } else if (in_time(gemm.kind) &&
               !timer.time_gemm(gemm, in_tensor ? *tensor : timer.memory(), size)) {
      failed(name_of(gemm.kind));
    }
  }
  report.disturbed_by = nvml.disturbance();
}

}  // namespace gpulint::probe
