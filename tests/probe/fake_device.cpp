// The part of the fake driver that has memory and runs kernels. Memory is the host's; kernels are
// recognised by their names in the PTX, whose arguments are read as the real ones are declared.
// Small work is done for real, so that results can be checked; large work only moves a clock by
// what a card of fixed rates would take.

#include "probe/driver_api.h"
#include "probe/fake_driver.h"
#include "probe/fake_memory.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

using namespace gpulint::probe;

namespace {

constexpr std::array<const char*, 6> kKernels{"gpulint_fill",      "gpulint_copy",
                                              "gpulint_read",      "gpulint_gemm_fp32",
                                              "gpulint_gemm_fp16", "gpulint_gemm_bf16"};
constexpr double kBytesPerSecond = 4e12;
constexpr double kFp32PerSecond = 50e12;
constexpr double kTensorPerSecond = 500e12;
constexpr int kLargestProduct = 256;  // larger ones are not computed

double now = 0;                  // seconds of the device's clock
std::array<double, 2> events{};  // times of recorded events

template <class T>
T argument(void** arguments, int index) {
  T value;
  std::memcpy(&value, arguments[index], sizeof value);
  return value;
}

template <class T>
T* at(CudaAddress address) {
  return reinterpret_cast<T*>(address);
}

void fill(CudaAddress words, std::uint64_t count, std::uint32_t seed, std::uint32_t keep,
          std::uint32_t exponent) {
  const auto value = [&](std::uint64_t i) {
    const auto random = static_cast<std::uint32_t>((i + seed) * 2654435761U);
    return ((random ^ random >> 15) & keep) | exponent;
  };
  // Of a large buffer the end alone: that is what is looked at.
  constexpr std::uint64_t kMost = 1U << 18;
  const std::uint64_t first = count > kMost ? count - kMost : 0;
  for (std::uint64_t i = first; i < count; ++i) at<std::uint32_t>(words)[i] = value(i);
}

float from_bits(std::uint32_t bits) {
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

float from_half(std::uint16_t bits) {
  const float magnitude =
      std::ldexp(1.0F + static_cast<float>(bits & 0x3ff) / 1024.0F, ((bits >> 10) & 0x1f) - 15);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

std::vector<float> values_of(CudaAddress matrix, int count, std::string_view kernel) {
  std::vector<float> values;
  for (int i = 0; i < count; ++i) {
    if (kernel == "gpulint_gemm_fp32") {
      values.push_back(at<float>(matrix)[i]);
    } else if (kernel == "gpulint_gemm_fp16") {
      values.push_back(from_half(at<std::uint16_t>(matrix)[i]));
    } else {
      values.push_back(from_bits(static_cast<std::uint32_t>(at<std::uint16_t>(matrix)[i]) << 16));
    }
  }
  return values;
}

void multiply(CudaAddress c, CudaAddress a, CudaAddress b, int n, std::string_view kernel) {
  const std::vector<float> left = values_of(a, n * n, kernel);
  const std::vector<float> right = values_of(b, n * n, kernel);
  for (int row = 0; row < n; ++row) {
    for (int column = 0; column < n; ++column) {
      const float* x = left.data() + row * n;
      const float* y = right.data() + column * n;
      float sum = 0;
      for (int k = 0; k < n; ++k) sum += x[k] * y[k];
      at<float>(c)[row * n + column] = sum;
    }
  }
  if (fake_driver.wrong_products) at<float>(c)[n + 1] += 1;
}

constexpr int kInvalidValue = 1;  // CUDA_ERROR_INVALID_VALUE
constexpr int kIllegalAddress = 700;

int run_product(const char* kernel, unsigned columns, unsigned rows, void** arguments) {
  const auto c = argument<CudaAddress>(arguments, 0);
  const auto a = argument<CudaAddress>(arguments, 1);
  const auto b = argument<CudaAddress>(arguments, 2);
  const int n = argument<int>(arguments, 3);
  const auto values = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
  const std::size_t width = std::strcmp(kernel, "gpulint_gemm_fp32") == 0 ? 4 : 2;
  if (n % 128 != 0 || columns != rows || static_cast<int>(columns) * 128 != n) return kInvalidValue;
  if (!is_live(a, values * width) || !is_live(b, values * width) || !is_live(c, values * 4)) {
    return kIllegalAddress;
  }
  if (n <= kLargestProduct) multiply(c, a, b, n, kernel);
  now += 2.0 * n * static_cast<double>(values) / (width == 4 ? kFp32PerSecond : kTensorPerSecond);
  return 0;
}

int run_kernel(const char* kernel, unsigned columns, unsigned rows, void** arguments) {
  if (std::strstr(kernel, "gemm") != nullptr) return run_product(kernel, columns, rows, arguments);
  const auto first = argument<CudaAddress>(arguments, 0);
  if (std::strcmp(kernel, "gpulint_fill") == 0) {
    const auto count = argument<std::uint64_t>(arguments, 1);
    if (!is_live(first, count * 4)) return kIllegalAddress;
    fill(first, count, argument<std::uint32_t>(arguments, 2), argument<std::uint32_t>(arguments, 3),
         argument<std::uint32_t>(arguments, 4));
    return 0;
  }
  const auto second = argument<CudaAddress>(arguments, 1);
  const std::size_t size = argument<std::uint64_t>(arguments, 2) * 16;
  const bool copies = std::strcmp(kernel, "gpulint_copy") == 0;
  if (!is_live(first, size) || !is_live(second, copies ? size : 4)) return kIllegalAddress;
  constexpr std::size_t kEnd = 4096;
  if (copies && !fake_driver.lost_copies) {
    std::memcpy(at<char>(second + size - kEnd), at<char>(first + size - kEnd), kEnd);
  }
  now += static_cast<double>(size) * (copies ? 2 : 1) / kBytesPerSecond;
  return 0;
}

}  // namespace

extern "C" {
#pragma GCC diagnostic ignored "-Wmissing-declarations"

CudaResult cuModuleLoadData(CudaModule* module, const void* image) {
  const int code = enter_fake("cuModuleLoadData");
  if (code != 0) return code;
  if (std::strstr(static_cast<const char*>(image), ".version ") == nullptr) return 218;
  *module = const_cast<void*>(image);
  ++fake_driver.live_objects;
  return 0;
}
CudaResult cuModuleUnload(CudaModule) {
  --fake_driver.live_objects;
  return enter_fake("cuModuleUnload");
}
CudaResult cuModuleGetFunction(CudaFunction* function, CudaModule module, const char* name) {
  const int code = enter_fake("cuModuleGetFunction");
  if (code != 0) return code;
  const std::string entry = std::string(".visible .entry ") + name + "(";
  if (std::strstr(static_cast<const char*>(module), entry.c_str()) == nullptr) return 500;
  for (const char* const& kernel : kKernels) {
    if (std::strcmp(kernel, name) == 0) *function = const_cast<char*>(kernel);
  }
  return 0;
}
CudaResult cuLaunchKernel(CudaFunction function, unsigned int grid_x, unsigned int grid_y,
                          unsigned int grid_z, unsigned int block_x, unsigned int block_y,
                          unsigned int block_z, unsigned int shared_bytes, CudaStream stream,
                          void** arguments, void** extra) {
  const int code = enter_fake("cuLaunchKernel");
  if (code != 0) return code;
  if (grid_x == 0 || grid_y == 0 || grid_z != 1 || block_x != 256 || block_y != 1 || block_z != 1 ||
      shared_bytes != 0 || stream == nullptr || extra != nullptr) {
    return kInvalidValue;
  }
  ++fake_driver.launches;
  return run_kernel(static_cast<const char*>(function), grid_x, grid_y, arguments);
}
CudaResult cuMemcpyDtoH_v2(void* to, CudaAddress from, std::size_t bytes) {
  const int code = enter_fake("cuMemcpyDtoH_v2");
  if (code != 0) return code;
  if (!is_live(from, bytes)) return kInvalidValue;
  std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
  return 0;
}
CudaResult cuStreamCreate(CudaStream* stream, unsigned int) {
  const int code = enter_fake("cuStreamCreate");
  if (code != 0) return code;
  *stream = &fake_driver;
  ++fake_driver.live_objects;
  return 0;
}
CudaResult cuStreamDestroy_v2(CudaStream) {
  --fake_driver.live_objects;
  return enter_fake("cuStreamDestroy_v2");
}
CudaResult cuEventCreate(CudaEvent* event, unsigned int) {
  const int code = enter_fake("cuEventCreate");
  if (code != 0) return code;
  static std::size_t next = 0;
  *event = &events[next++ % events.size()];
  ++fake_driver.live_objects;
  return 0;
}
CudaResult cuEventDestroy_v2(CudaEvent) {
  --fake_driver.live_objects;
  return enter_fake("cuEventDestroy_v2");
}
CudaResult cuEventRecord(CudaEvent event, CudaStream) {
  *static_cast<double*>(event) = now;
  return enter_fake("cuEventRecord");
}
CudaResult cuEventSynchronize(CudaEvent) { return enter_fake("cuEventSynchronize"); }
CudaResult cuEventElapsedTime(float* milliseconds, CudaEvent start, CudaEvent end) {
  double factor = 1;
  if (fake_driver.clock_scatter > 0) {  // every second sample takes longer
    static int samples = 0;
    factor += samples++ % 2 == 0 ? 0 : fake_driver.clock_scatter;
  }
  const double seconds = *static_cast<double*>(end) - *static_cast<double*>(start);
  *milliseconds = static_cast<float>(seconds * 1000 * factor);
  return enter_fake("cuEventElapsedTime");
}
NvmlResult nvmlDeviceGetCurrentClocksThrottleReasons(NvmlDevice, unsigned long long* bits) {
  *bits = fake_driver.throttle_bits;
  return enter_fake("nvmlDeviceGetCurrentClocksThrottleReasons");
}
}
