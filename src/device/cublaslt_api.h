#pragma once

// The part of cuBLASLt that `confirm` calls, declared by hand: a C interface that is the same in
// its releases 12 and 13. Handles are opaque; numbers are those of cublasLt.h, cublas_api.h and
// library_types.h.

#include <array>
#include <cstddef>
#include <cstdint>

namespace gpulint::probe {

using CublasStatus = int;  // cublasStatus_t; 0 = success
using CublasHandle = void*;
using CublasObject = void*;  // a descriptor, layout or preference

inline constexpr CublasStatus kCublasSuccess = 0;

/// cudaDataType
inline constexpr int kCublasFloat32 = 0;
inline constexpr int kCublasFloat16 = 2;
inline constexpr int kCublasBfloat16 = 14;
inline constexpr int kCublasFloat8E4m3 = 28;
/// cublasComputeType_t
inline constexpr int kCublasCompute32F = 68;
inline constexpr int kCublasCompute32FFastTf32 = 77;
/// cublasLtMatmulDescAttributes_t, and cublasOperation_t
inline constexpr int kCublasDescTransposeA = 3;
inline constexpr std::int32_t kCublasTranspose = 1;
inline constexpr int kCublasDescFastAccumulation = 25;  // int8, of fp8
/// cublasLtMatrixLayoutAttribute_t
inline constexpr int kCublasLayoutBatchCount = 5;          // int32
inline constexpr int kCublasLayoutStridedBatchOffset = 6;  // int64, elements
/// cublasLtMatmulPreferenceAttributes_t
inline constexpr int kCublasPreferenceWorkspace = 1;  // uint64, bytes

struct CublasAlgorithm {
  std::array<std::uint64_t, 8> data{};
};
/// cublasLtMatmulHeuristicResult_t
struct CublasHeuristic {
  CublasAlgorithm algorithm;
  std::size_t workspace = 0;
  CublasStatus state = kCublasSuccess;
  float waves = 0;
  std::array<int, 4> reserved{};
};
static_assert(sizeof(CublasAlgorithm) == 64 && sizeof(CublasHeuristic) == 96);

/// All of it is needed.
struct CublasltApi {
  std::size_t (*version)() = nullptr;  // 10000 * major + 100 * minor + patch
  CublasStatus (*create)(CublasHandle* handle) = nullptr;
  CublasStatus (*destroy)(CublasHandle handle) = nullptr;
  CublasStatus (*desc_create)(CublasObject* desc, int compute_type, int scale_type) = nullptr;
  CublasStatus (*desc_destroy)(CublasObject desc) = nullptr;
  CublasStatus (*desc_set)(CublasObject desc, int attribute, const void* value,
                           std::size_t bytes) = nullptr;
  CublasStatus (*layout_create)(CublasObject* layout, int type, std::uint64_t rows,
                                std::uint64_t columns, std::int64_t leading) = nullptr;
  CublasStatus (*layout_destroy)(CublasObject layout) = nullptr;
  CublasStatus (*layout_set)(CublasObject layout, int attribute, const void* value,
                             std::size_t bytes) = nullptr;
  CublasStatus (*preference_create)(CublasObject* preference) = nullptr;
  CublasStatus (*preference_destroy)(CublasObject preference) = nullptr;
  CublasStatus (*preference_set)(CublasObject preference, int attribute, const void* value,
                                 std::size_t bytes) = nullptr;
  CublasStatus (*heuristic)(CublasHandle handle, CublasObject desc, CublasObject a, CublasObject b,
                            CublasObject c, CublasObject d, CublasObject preference, int wanted,
                            CublasHeuristic* results, int* found) = nullptr;
  CublasStatus (*matmul)(CublasHandle handle, CublasObject desc, const void* alpha, const void* a,
                         CublasObject a_layout, const void* b, CublasObject b_layout,
                         const void* beta, const void* c, CublasObject c_layout, void* d,
                         CublasObject d_layout, const CublasAlgorithm* algorithm, void* workspace,
                         std::size_t workspace_bytes, void* stream) = nullptr;
};

}  // namespace gpulint::probe
