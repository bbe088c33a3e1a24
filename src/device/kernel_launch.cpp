#include "device/kernel_launch.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace gpulint::probe {
namespace {

/// Of CUtensorMap in CUDA 13; in CUDA 12 half of it.
constexpr std::size_t kTensorMapAlignment = 128;

}  // namespace

KernelLaunch::KernelLaunch(Bench& bench, CudaFunction function, const GemmKernel& kernel,
                           const GemmShape& shape, NumberFormat format,
                           std::optional<unsigned int> most_clusters)
    : bench_(bench),
      function_(function),
      kernel_(kernel),
      shape_(shape),
      format_(format),
      most_clusters_(most_clusters) {}

bool KernelLaunch::operator()(CudaAddress c, CudaAddress a, CudaAddress b) const {
  return kernel_.walk == TileWalk::grid ? by_grid(c, a, b) : by_clusters(c, a, b);
}

bool KernelLaunch::by_grid(CudaAddress c, CudaAddress a, CudaAddress b) const {
  const LaunchShape blocks{.columns = static_cast<unsigned>(shape_.n / kernel_.tile_n),
                           .rows = static_cast<unsigned>(shape_.m / kernel_.tile_m),
                           .threads = kernel_.threads,
                           .layers = static_cast<unsigned>(shape_.batch),
                           .shared_bytes = kernel_.shared_bytes};
  auto m = static_cast<int>(shape_.m);
  auto n = static_cast<int>(shape_.n);
  auto k = static_cast<int>(shape_.k);
  return bench_.watch().launch(function_, blocks, {&c, &a, &b, &m, &n, &k});
}

/// A matrix as rows of bytes, whatever its numbers are, in the swizzle that wgmma reads.
bool KernelLaunch::encode(CudaTensorMap& map, CudaAddress matrix, std::int64_t rows) const {
  const auto row_bytes =
      static_cast<unsigned long long>(shape_.k) * bytes_of_value(format_);
  const auto height = static_cast<unsigned long long>(rows);
  const std::array<unsigned long long, 3> sizes{row_bytes, height,
                                                static_cast<unsigned long long>(shape_.batch)};
  const std::array<unsigned long long, 2> strides{row_bytes, row_bytes * height};
  constexpr std::array<unsigned int, 3> kBox{kBoxBytes, kBoxRows, 1};
  constexpr std::array<unsigned int, 3> kEach{1, 1, 1};
  const CudaResult encoded = bench_.cuda().tensor_maps.encode_tiled(
      &map, kTensorOfBytes, sizes.size(), reinterpret_cast<void*>(matrix), sizes.data(),
      strides.data(), kBox.data(), kEach.data(), kNoInterleave, kSwizzle128, kPromoteTo256Bytes,
      kZerosOutside);
  return bench_.calls().ok(encoded, "cuTensorMapEncodeTiled");
}

bool KernelLaunch::by_clusters(CudaAddress c, CudaAddress a, CudaAddress b) const {
  if (bench_.cuda().tensor_maps.encode_tiled == nullptr) {
    bench_.calls().fail(Reason::incomplete_driver, "the driver lacks cuTensorMapEncodeTiled");
    return false;
  }
  alignas(kTensorMapAlignment) CudaTensorMap map_a;
  alignas(kTensorMapAlignment) CudaTensorMap map_b;
  if (!encode(map_a, a, shape_.m) || !encode(map_b, b, shape_.n)) return false;
  const std::int64_t tiles =
      shape_.m / kernel_.tile_m * (shape_.n / kernel_.tile_n) * shape_.batch;
  const auto room = std::max(bench_.everywhere(1).columns / kClusterBlocks, 1U);
  const unsigned int clusters = static_cast<unsigned int>(
      std::min<std::int64_t>(tiles, std::min(room, most_clusters_.value_or(room))));
  auto m = static_cast<int>(shape_.m);
  auto n = static_cast<int>(shape_.n);
  auto k = static_cast<int>(shape_.k);
  auto batch = static_cast<int>(shape_.batch);
  return bench_.watch().launch(function_,
                               {.columns = clusters * kClusterBlocks,
                                .threads = kernel_.threads,
                                .shared_bytes = kernel_.shared_bytes},
                               {&map_a, &map_b, &c, &m, &n, &k, &batch});
}

}  // namespace gpulint::probe
