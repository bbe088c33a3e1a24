// The kernels of the fake device, recognised by their names; their arguments are read as the real
// ones are declared. Small work is done for real, so that results can be checked; large work only
// moves a clock.

// A product of the trial takes as long as a test may.
#pragma GCC optimize("O3", "fast-math")

#include "probe/fake_kernels.h"

#include "device/driver_api.h"
#include "device/kernels.h"
#include "device/reference.h"
#include "probe/fake_driver.h"
#include "probe/fake_memory.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

using namespace gpulint::probe;

double fake_now = 0;
bool fake_busy = false;

InStream::InStream(void* stream) : stream_(static_cast<FakeStream*>(stream)) {
  fake_busy = true;
  if (stream_ == nullptr) return;  // the default one: nobody times what it does
  before_ = fake_now;
  fake_now = stream_->now;
}

InStream::~InStream() {
  if (stream_ == nullptr) return;
  stream_->now = fake_now;
  fake_now = before_;
}

namespace {

constexpr int kInvalidValue = 1;  // CUDA_ERROR_INVALID_VALUE
constexpr int kIllegalAddress = 700;
constexpr double kBytesPerSecond = 4e12;
constexpr double kEmptySeconds = 2.5e-6;
/// Larger products are not computed.
constexpr double kLargestProduct = 2e8;
constexpr double kRoundSeconds = 5e-7;  // of a loop of instructions

struct Kernel {
  const char* name;
  int (*run)(const Kernel& kernel, const FakeLaunch& launch, void** arguments);
  NumberFormat format = NumberFormat::fp32;
  unsigned int tile_columns = 128;
  long long depth = 1;  // bytes of k that a kernel takes at a time
  double per_second = 0;
  unsigned int shared_bytes = 0;
  unsigned int threads = 256;
  unsigned int tile_rows = 128;
};

/// What stands in a tensor map here.
struct FakeTensorMap {
  CudaAddress address;
  unsigned long long row_bytes;
  unsigned long long rows;
  unsigned long long matrices;
  unsigned long long box_rows;
};

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

int fill(const Kernel&, const FakeLaunch&, void** arguments) {
  const auto words = argument<CudaAddress>(arguments, 0);
  const auto count = argument<std::uint64_t>(arguments, 1);
  const auto seed = argument<std::uint32_t>(arguments, 2);
  const auto keep = argument<std::uint32_t>(arguments, 3);
  const auto exponent = argument<std::uint32_t>(arguments, 4);
  if (!is_live(words, count * 4)) return kIllegalAddress;
  // Of a large buffer the end alone: that is what is looked at.
  constexpr std::uint64_t kMost = 1U << 18;
  for (std::uint64_t i = count > kMost ? count - kMost : 0; i < count; ++i) {
    const auto random = static_cast<std::uint32_t>((i + seed) * 2654435761U);
    at<std::uint32_t>(words)[i] = ((random ^ random >> 15) & keep) | exponent;
  }
  return 0;
}

int copy_or_read(const Kernel& kernel, const FakeLaunch&, void** arguments) {
  const auto from = argument<CudaAddress>(arguments, 0);
  const auto to = argument<CudaAddress>(arguments, 1);
  const std::size_t size = argument<std::uint64_t>(arguments, 2) * 16;
  const bool copies = std::strcmp(kernel.name, "gpulint_copy") == 0;
  if (!is_live(from, size) || !is_live(to, copies ? size : 4)) return kIllegalAddress;
  if (copies && from == fake_driver.last_source) ++fake_driver.repeated_copies;
  if (copies) fake_driver.last_source = from;
  constexpr std::size_t kEnd = 4096;
  if (copies && !fake_driver.lost_copies) {
    std::memcpy(at<char>(to + size - kEnd), at<char>(from + size - kEnd), kEnd);
  }
  fake_now += static_cast<double>(size) * (copies ? 2 : 1) / kBytesPerSecond;
  return 0;
}

int empty(const Kernel&, const FakeLaunch&, void**) {
  fake_now += kEmptySeconds;
  return 0;
}

int issue(const Kernel& kernel, const FakeLaunch& launch, void** arguments) {
  const auto sink = argument<CudaAddress>(arguments, 0);
  const auto values = argument<CudaAddress>(arguments, 1);
  if (launch.threads != kernel.threads || launch.shared_bytes != kernel.shared_bytes) {
    return kInvalidValue;
  }
  if (!is_live(sink, 4) || !is_live(values, 4096)) return kIllegalAddress;
  fake_now += argument<int>(arguments, 2) * kRoundSeconds;
  return 0;
}

std::vector<float> floats(CudaAddress matrix, std::size_t count, NumberFormat format) {
  const auto bytes = std::span(at<std::byte>(matrix), count * bytes_of_value(format));
  const std::vector<double> values = decoded(bytes, format);
  return {values.begin(), values.end()};
}

void multiply(float* c, const std::vector<float>& a, const std::vector<float>& b, std::size_t m,
              std::size_t n, std::size_t k) {
  for (std::size_t row = 0; row < m; ++row) {
    for (std::size_t column = 0; column < n; ++column) {
      float sum = 0;
      for (std::size_t i = 0; i < k; ++i) sum += a[row * k + i] * b[column * k + i];
      c[row * n + column] = sum;
    }
  }
}

int multiply_matrices(const Kernel& kernel, const FakeLaunch& launch, CudaAddress c, CudaAddress a,
                      CudaAddress b, int m, int n, int k, std::size_t batch) {
  const std::size_t width = bytes_of_value(kernel.format);
  fake_driver.largest_product = std::max(fake_driver.largest_product, m);
  if (k <= 0 || static_cast<long long>(k) * static_cast<long long>(width) % kernel.depth != 0 ||
      launch.threads != kernel.threads || launch.shared_bytes != kernel.shared_bytes) {
    return kInvalidValue;
  }
  const auto rows = static_cast<std::size_t>(m);
  const auto columns = static_cast<std::size_t>(n);
  const auto depth = static_cast<std::size_t>(k);
  if (!is_live(a, batch * rows * depth * width) || !is_live(b, batch * columns * depth * width) ||
      !is_live(c, batch * rows * columns * 4)) {
    return kIllegalAddress;
  }
  const double terms = static_cast<double>(batch * rows * columns) * k;
  for (std::size_t i = 0; terms <= kLargestProduct && i < batch; ++i) {
    multiply(at<float>(c) + i * rows * columns,
             floats(a + i * rows * depth * width, rows * depth, kernel.format),
             floats(b + i * columns * depth * width, columns * depth, kernel.format), rows, columns,
             depth);
  }
  const bool wrong =
      fake_driver.wrong_products || std::string_view(kernel.name) == fake_driver.wrong_kernel;
  if (wrong) at<float>(c)[columns + 1] += 1;
  const bool slow = std::string_view(kernel.name) == fake_driver.slow_kernel;
  fake_now += (slow ? 2 : 1) * fake_driver.slow_products * 2 * terms / kernel.per_second;
  return 0;
}

int product(const Kernel& kernel, const FakeLaunch& launch, void** arguments) {
  const auto m = argument<int>(arguments, 3);
  const auto n = argument<int>(arguments, 4);
  const auto whole = [](int size, unsigned tile, unsigned blocks) {
    return size > 0 && static_cast<unsigned>(size) == tile * blocks;
  };
  if (!whole(m, kernel.tile_rows, launch.rows) || !whole(n, kernel.tile_columns, launch.columns)) {
    return kInvalidValue;
  }
  return multiply_matrices(kernel, launch, argument<CudaAddress>(arguments, 0),
                           argument<CudaAddress>(arguments, 1),
                           argument<CudaAddress>(arguments, 2), m, n, argument<int>(arguments, 5),
                           launch.layers);
}

/// Clusters of two blocks take one tile after the other, and read by tensor maps.
int product_of_clusters(const Kernel& kernel, const FakeLaunch& launch, void** arguments) {
  const auto a = argument<FakeTensorMap>(arguments, 0);
  const auto b = argument<FakeTensorMap>(arguments, 1);
  const auto m = argument<int>(arguments, 3);
  const auto n = argument<int>(arguments, 4);
  const auto k = argument<int>(arguments, 5);
  const auto batch = argument<int>(arguments, 6);
  const auto whole = [](int size, unsigned tile) {
    return size > 0 && static_cast<unsigned>(size) % tile == 0;
  };
  const auto describes = [&](const FakeTensorMap& map, int rows) {
    return map.box_rows == kBoxRows && map.row_bytes == k * bytes_of_value(kernel.format) &&
           map.rows == static_cast<unsigned>(rows) && map.matrices == static_cast<unsigned>(batch);
  };
  if (!whole(m, kernel.tile_rows) || !whole(n, kernel.tile_columns) || launch.rows != 1 ||
      launch.layers != 1 || launch.columns % kClusterBlocks != 0 || batch <= 0 ||
      !describes(a, m) || !describes(b, n)) {
    return kInvalidValue;
  }
  return multiply_matrices(kernel, launch, argument<CudaAddress>(arguments, 2), a.address,
                           b.address, m, n, k, static_cast<std::size_t>(batch));
}

constexpr unsigned int kWideShared = 4 * (128 + 256) * 64;
constexpr unsigned int kWgmmaShared = 4 * (128 + 256) * 128;
constexpr unsigned int kTmaShared = kWgmmaShared + 4 * 2 * 8;
constexpr unsigned int kWgmmaIssueShared = (64 + 256) * 128;
constexpr double kFp32 = 50e12;
constexpr double kTf32 = 250e12;
constexpr double kHalf = 500e12;
constexpr double kHalfByTma = 700e12;
constexpr double kFp8 = 900e12;

constexpr std::array<Kernel, 30> kKernels{{
    {"gpulint_fill", fill},
    {"gpulint_copy", copy_or_read},
    {"gpulint_read", copy_or_read},
    {"gpulint_empty", empty},
    {"gpulint_gemm_fp32", product, NumberFormat::fp32, 128, 32, kFp32},
    {"gpulint_prefetch_gemm_fp32", product, NumberFormat::fp32, 128, 32, kFp32},
    {"gpulint_gemm_tf32", product, NumberFormat::tf32, 128, 64, kTf32},
    {"gpulint_gemm_fp16", product, NumberFormat::fp16, 128, 64, kHalf},
    {"gpulint_gemm_bf16", product, NumberFormat::bf16, 128, 64, kHalf},
    {"gpulint_gemm_fp8", product, NumberFormat::fp8, 128, 64, kFp8},
    {"gpulint_wide_gemm_tf32", product, NumberFormat::tf32, 256, 64, kTf32, kWideShared},
    {"gpulint_wide_gemm_fp16", product, NumberFormat::fp16, 256, 64, kHalf, kWideShared},
    {"gpulint_wide_gemm_bf16", product, NumberFormat::bf16, 256, 64, kHalf, kWideShared},
    {"gpulint_wgmma_gemm_tf32", product, NumberFormat::tf32, 256, 128, kTf32, kWgmmaShared},
    {"gpulint_wgmma_gemm_fp16", product, NumberFormat::fp16, 256, 128, kHalf, kWgmmaShared},
    {"gpulint_wgmma_gemm_bf16", product, NumberFormat::bf16, 256, 128, kHalf, kWgmmaShared},
    {"gpulint_wgmma_gemm_fp8", product, NumberFormat::fp8, 256, 128, kFp8, kWgmmaShared},
    {"gpulint_tma_gemm_tf32", product_of_clusters, NumberFormat::tf32, 256, 128, kTf32, kTmaShared,
     288, 256},
    {"gpulint_tma_gemm_fp16", product_of_clusters, NumberFormat::fp16, 256, 128, kHalfByTma,
     kTmaShared, 288, 256},
    {"gpulint_tma_gemm_bf16", product_of_clusters, NumberFormat::bf16, 256, 128, kHalfByTma,
     kTmaShared, 288, 256},
    {"gpulint_tma_gemm_fp8", product_of_clusters, NumberFormat::fp8, 256, 128, kFp8, kTmaShared,
     288, 256},
    {"gpulint_issue_fp32", issue},
    {"gpulint_issue_tf32", issue},
    {"gpulint_issue_fp16", issue},
    {"gpulint_issue_bf16", issue},
    {"gpulint_issue_fp8", issue},
    {"gpulint_wgmma_issue_tf32", issue, NumberFormat::tf32, 0, 1, 0, kWgmmaIssueShared, 128},
    {"gpulint_wgmma_issue_fp16", issue, NumberFormat::fp16, 0, 1, 0, kWgmmaIssueShared, 128},
    {"gpulint_wgmma_issue_bf16", issue, NumberFormat::bf16, 0, 1, 0, kWgmmaIssueShared, 128},
    {"gpulint_wgmma_issue_fp8", issue, NumberFormat::fp8, 0, 1, 0, kWgmmaIssueShared, 128},
}};

}  // namespace

void* find_fake_kernel(const char* name) {
  for (const Kernel& kernel : kKernels) {
    if (std::strcmp(kernel.name, name) == 0) return const_cast<Kernel*>(&kernel);
  }
  return nullptr;
}

int run_fake_kernel(const void* kernel, const FakeLaunch& launch, void** arguments) {
  const auto* known = static_cast<const Kernel*>(kernel);
  // As on a device, the launch succeeds: what comes after it fails.
  if (std::string_view(known->name) == fake_driver.faulting_kernel) {
    fake_driver.broken = true;
    return 0;
  }
  const double began = fake_now;
  const int code = known->run(*known, launch, arguments);
  if (current_fake_device() == fake_driver.slow_device) {
    fake_now = began + (fake_now - began) * fake_driver.slow_kernels;
  }
  return code;
}

extern "C" int cuTensorMapEncodeTiled(CudaTensorMap* map, int type, unsigned int rank,
                                      void* address, const unsigned long long* sizes,
                                      const unsigned long long* strides, const unsigned int* box,
                                      const unsigned int* element_strides, int interleave,
                                      int swizzle, int promotion, int outside) {
  if (const int code = enter_fake("cuTensorMapEncodeTiled"); code != 0) return code;
  const auto start = reinterpret_cast<CudaAddress>(address);
  // What cuda.h asks for of bytes in the 128-byte swizzle.
  if (type != kTensorOfBytes || rank != 3 || start % 16 != 0 || interleave != kNoInterleave ||
      swizzle != kSwizzle128 || promotion != kPromoteTo256Bytes || outside != kZerosOutside ||
      reinterpret_cast<std::uintptr_t>(map) % alignof(CudaTensorMap) != 0) {
    return kInvalidValue;
  }
  constexpr unsigned long long kMostStride = 1ULL << 40;
  for (unsigned int i = 0; i < rank; ++i) {
    const bool right_stride = i == 0 || (strides[i - 1] % 16 == 0 && strides[i - 1] < kMostStride &&
                                         strides[i - 1] >= sizes[0]);
    if (sizes[i] == 0 || sizes[i] > 1ULL << 32 || box[i] == 0 || box[i] > 256 ||
        element_strides[i] != 1 || !right_stride) {
      return kInvalidValue;
    }
  }
  if (box[0] > 128 || strides[0] != sizes[0] || strides[1] != sizes[0] * sizes[1]) {
    return kInvalidValue;
  }
  const FakeTensorMap made{start, sizes[0], sizes[1], sizes[2], box[1]};
  static_assert(sizeof made <= sizeof *map);
  std::memcpy(static_cast<void*>(map), &made, sizeof made);
  return 0;
}

extern "C" void fake_work(void* stream, double seconds) {
  const InStream in(stream);
  const bool slow = current_fake_device() == fake_driver.slow_device;
  fake_now += seconds * (slow ? fake_driver.slow_kernels : 1);
}

extern "C" double* fake_clock(void* stream) { return &static_cast<FakeStream*>(stream)->now; }
