#pragma once

// Tensor maps, as cuda.h declares them: what a copy of boxes (TMA) has to know of a tensor.

#include <array>
#include <cstdint>

namespace gpulint::probe {

/// CUtensorMap, which only the driver can read.
struct alignas(64) CudaTensorMap {
  std::array<std::uint64_t, 16> opaque{};
};
static_assert(sizeof(CudaTensorMap) == 128);

inline constexpr int kTensorOfBytes = 0;         // CU_TENSOR_MAP_DATA_TYPE_UINT8
inline constexpr int kNoInterleave = 0;          // CU_TENSOR_MAP_INTERLEAVE_NONE
inline constexpr int kSwizzle128 = 3;            // CU_TENSOR_MAP_SWIZZLE_128B
inline constexpr int kPromoteTo256Bytes = 3;     // CU_TENSOR_MAP_L2_PROMOTION_L2_256B
inline constexpr int kZerosOutside = 0;          // CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE

/// Drivers before CUDA 12.0 lack it.
struct TensorMapApi {
  /// Strides in bytes, from the second dimension on.
  int (*encode_tiled)(CudaTensorMap* map, int type, unsigned int rank, void* address,
                      const unsigned long long* sizes, const unsigned long long* strides,
                      const unsigned int* box, const unsigned int* element_strides,
                      int interleave, int swizzle, int promotion, int outside) = nullptr;
};

}  // namespace gpulint::probe
