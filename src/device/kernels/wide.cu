// GEMM on tensor cores through mma.sync with warp tiles of 64 x 64, for compute capability 8.0 and
// later: a warp tile of 64 x 32, as in tile.cuh, reads half as much again of shared memory for each
// product, which keeps an A100 from its peak. In its own file, as it asks for more shared memory and
// registers than tensor.cu.
//
// c = a b^T, row-major, a of m x k and b of n x k values, float32 sums; m is a multiple of 128, n of
// 256, a row of k values of 64 bytes. blockIdx.z counts independent products.
//
// A block of 8 warps, 2 x 4, computes 128 x 256 of c. Slices 64 bytes deep come through cp.async into
// four buffers, laid out as in tile.cuh. Each warp loads the next 32 bytes of depth into registers
// while it multiplies the last; the barrier lies between both halves of a slice, when everybody has
// read it.

#ifndef GPULINT_PTX
#define GPULINT_PTX "ptx.cuh"
#endif
#include GPULINT_PTX
#include "tiles.cuh"

namespace {

constexpr int kRows = 128;
constexpr int kColumns = 256;
constexpr int kDepth = 64;  // bytes
constexpr int kPieces = kDepth / 16;
constexpr int kStages = 4;
constexpr int kThreads = 256;
constexpr int kWarpSide = 64;
constexpr int kRowTiles = kWarpSide / 16;
constexpr int kColumnTiles = kWarpSide / 8;

struct Slice {
  Byte a[kRows][kDepth];
  Byte b[kColumns][kDepth];
};

/// What a warp multiplies at a time: 32 bytes of depth.
struct Fragments {
  Word a[kRowTiles][4];
  Word b[kColumnTiles / 2][4];
};

struct Sums {
  float of[kRowTiles][kColumnTiles][4];
};

__device__ int place_of(int row, int piece) { return (piece ^ (row / 2 % kPieces)) * 16; }

template <int kCount>
__device__ void copy_rows(Byte (*to)[kDepth], const Byte* from, long long row_bytes) {
#pragma unroll
  for (int i = 0; i < kCount * kPieces / kThreads; ++i) {
    const int index = threadIdx.x + kThreads * i;
    const int row = index / kPieces;
    const int piece = index % kPieces;
    copy_16_bytes(&to[row][place_of(row, piece)], from + row * row_bytes + piece * 16);
  }
}

/// Always ends a group of copies, so that groups can be counted.
__device__ void start_loading(Slice& slice, const Byte* a, const Byte* b, long long row_bytes,
                              bool some) {
  if (some) {
    copy_rows<kRows>(slice.a, a, row_bytes);
    copy_rows<kColumns>(slice.b, b, row_bytes);
  }
  end_group_of_copies();
}

/// Which lane names which row: as in tile.cuh.
__device__ void load(Fragments& to, const Slice& slice, int piece, int warp_row, int warp_column) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < kRowTiles; ++i) {
    const int row = warp_row + 16 * i + lane % 16;
    load_matrices(to.a[i], &slice.a[row][place_of(row, piece + lane / 16)]);
  }
#pragma unroll
  for (int j = 0; j < kColumnTiles / 2; ++j) {
    const int column = warp_column + 16 * j + lane / 16 * 8 + lane % 8;
    load_matrices(to.b[j], &slice.b[column][place_of(column, piece + lane / 8 % 2)]);
  }
}

template <class Format>
__device__ void multiply(Sums& sums, const Fragments& from) {
#pragma unroll
  for (int i = 0; i < kRowTiles; ++i) {
#pragma unroll
    for (int j = 0; j < kColumnTiles; ++j) {
      Format::multiply(sums.of[i][j], from.a[i], from.b[j / 2][j % 2 * 2],
                       from.b[j / 2][j % 2 * 2 + 1]);
    }
  }
}

template <class Format>
__device__ void gemm(float* c, const Byte* a, const Byte* b, long long m, long long n,
                     long long k) {
  Slice* slices = reinterpret_cast<Slice*>(launched_shared());
  const int warp = threadIdx.x / 32;
  const int warp_row = warp / 4 * kWarpSide;
  const int warp_column = warp % 4 * kWarpSide;
  const Place tile = my_tile();
  const long long row = static_cast<long long>(tile.row) * kRows;
  const long long column = static_cast<long long>(tile.column) * kColumns;
  const long long row_bytes = k * Format::kBytes;
  const int steps = static_cast<int>(row_bytes / kDepth);
  a += (blockIdx.z * m + row) * row_bytes;
  b += (blockIdx.z * n + column) * row_bytes;
#pragma unroll
  for (int step = 0; step < kStages; ++step) {
    start_loading(slices[step], a + step * kDepth, b + step * kDepth, row_bytes, step < steps);
  }
  Sums sums = {};
  Fragments first;
  Fragments second;
  wait_copies<kStages - 1>();
  __syncthreads();
  load(first, slices[0], 0, warp_row, warp_column);
  for (int step = 0; step < steps; ++step) {
    Slice& slice = slices[step % kStages];
    load(second, slice, kPieces / 2, warp_row, warp_column);
    multiply<Format>(sums, first);
    wait_copies<kStages - 2>();
    __syncthreads();  // the next slice has arrived for all, and all have read this one
    const int next = step + kStages;
    start_loading(slice, a + static_cast<long long>(next) * kDepth,
                  b + static_cast<long long>(next) * kDepth, row_bytes, next < steps);
    // After the last slice it reads what nobody uses.
    load(first, slices[(step + 1) % kStages], 0, warp_row, warp_column);
    multiply<Format>(sums, second);
  }
  store(c + (blockIdx.z * m + row + warp_row) * n + column + warp_column, n, sums.of);
}

}  // namespace

/// The entry of a format: gpulint_wide_gemm_NAME.
#define GPULINT_ENTRY(NAME, FORMAT)                                                               \
  extern "C" __global__ void __launch_bounds__(kThreads, 1)                                       \
      gpulint_wide_gemm_##NAME(float* c, const Byte* a, const Byte* b, int m, int n, int k) {     \
    gemm<FORMAT>(c, a, b, m, n, k);                                                               \
  }

GPULINT_ENTRY(fp16, MmaFp16)
GPULINT_ENTRY(bf16, MmaBf16)
GPULINT_ENTRY(tf32, MmaTf32)
