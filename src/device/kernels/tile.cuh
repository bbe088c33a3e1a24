// What every GEMM of tensor.cu and fp8.cu shares: c = a b^T, row-major, a of m x k and b of n x k
// values, float32 sums; m and n are multiples of 128, a row of k values of 64 bytes. blockIdx.z
// counts independent products that lie one behind the other.
//
// A block of 256 threads computes 128 x 128 of c from slices 64 bytes deep; its 8 warps lie 2 x 4,
// each with 64 x 32. Slices come through cp.async into three buffers, two of them in flight while
// one is used. A row of a slice is four pieces of 16 bytes, at the place piece ^ (row / 2) % 4: the
// 8 rows an ldmatrix reads then lie in different banks. Fragments of mma.sync hold 32 bytes of
// depth whatever the format (16 values of 16 bits, 8 of tf32, 32 of fp8), each lane the same bytes
// of it, so ldmatrix serves all formats and they differ in one instruction.
#pragma once

#ifndef GPULINT_PTX
#define GPULINT_PTX "ptx.cuh"
#endif
#include GPULINT_PTX
#include "tiles.cuh"

namespace {

constexpr int kTile = 128;
constexpr int kDepth = 64;  // bytes
constexpr int kPieces = kDepth / 16;
constexpr int kStep = 32;  // bytes of depth of one mma.sync
constexpr int kStages = 3;
constexpr int kThreads = 256;
constexpr int kWarpRows = 64;
constexpr int kWarpColumns = 32;
constexpr int kRowTiles = kWarpRows / 16;
constexpr int kColumnTiles = kWarpColumns / 8;

struct Slice {
  Byte a[kTile][kDepth];
  Byte b[kTile][kDepth];
};

struct Sums {
  float of[kRowTiles][kColumnTiles][4];
};

__device__ int place_of(int row, int piece) { return (piece ^ (row / 2 % kPieces)) * 16; }

/// 128 rows of four pieces: two pieces for each thread and matrix. Always ends a group of copies, so
/// that groups can be counted.
__device__ void start_loading(Slice& slice, const Byte* a, const Byte* b, long long row_bytes,
                              bool some) {
  if (some) {
#pragma unroll
    for (int i = 0; i < kTile * kPieces / kThreads; ++i) {
      const int index = threadIdx.x + kThreads * i;
      const int row = index / kPieces;
      const int piece = index % kPieces;
      copy_16_bytes(&slice.a[row][place_of(row, piece)], a + row * row_bytes + piece * 16);
      copy_16_bytes(&slice.b[row][place_of(row, piece)], b + row * row_bytes + piece * 16);
    }
  }
  end_group_of_copies();
}

template <class Format>
__device__ void use(const Slice& slice, int warp_row, int warp_column, Sums& sums) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int piece = 0; piece < kPieces; piece += kStep / 16) {
    Word a[kRowTiles][4];
    Word b[kColumnTiles / 2][4];
    // a: rows 0-7 and 8-15 of the first 16 bytes, then of the second, as mma orders its registers.
#pragma unroll
    for (int i = 0; i < kRowTiles; ++i) {
      const int row = warp_row + 16 * i + lane % 16;
      load_matrices(a[i], &slice.a[row][place_of(row, piece + lane / 16)]);
    }
    // b: columns 0-7 of the first and second 16 bytes, then columns 8-15: two tiles at once.
#pragma unroll
    for (int j = 0; j < kColumnTiles / 2; ++j) {
      const int column = warp_column + 16 * j + lane / 16 * 8 + lane % 8;
      load_matrices(b[j], &slice.b[column][place_of(column, piece + lane / 8 % 2)]);
    }
#pragma unroll
    for (int i = 0; i < kRowTiles; ++i) {
#pragma unroll
      for (int j = 0; j < kColumnTiles; ++j) {
        Format::multiply(sums.of[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
      }
    }
  }
}

/// Format: `kBytes` of a value, and `multiply`, one mma.sync.
template <class Format>
__device__ void gemm(float* c, const Byte* a, const Byte* b, long long m, long long n,
                     long long k) {
  __shared__ __align__(128) Slice slices[kStages];
  const int warp = threadIdx.x / 32;
  const int warp_row = warp / 4 * kWarpRows;
  const int warp_column = warp % 4 * kWarpColumns;
  const Place tile = my_tile();
  const long long row_bytes = k * Format::kBytes;
  a += (blockIdx.z * m + tile.row * kTile) * row_bytes;
  b += (blockIdx.z * n + tile.column * kTile) * row_bytes;
  const int steps = static_cast<int>(row_bytes / kDepth);
  Sums sums = {};
#pragma unroll
  for (int step = 0; step < kStages - 1; ++step) {
    start_loading(slices[step], a + step * kDepth, b + step * kDepth, row_bytes, step < steps);
  }
  for (int step = 0; step < steps; ++step) {
    wait_copies<kStages - 2>();
    __syncthreads();  // this slice has arrived for all, and nobody uses the one before any more
    const int next = step + kStages - 1;
    start_loading(slices[next % kStages], a + static_cast<long long>(next) * kDepth,
                  b + static_cast<long long>(next) * kDepth, row_bytes, next < steps);
    use<Format>(slices[step % kStages], warp_row, warp_column, sums);
  }
  c += (blockIdx.z * m + tile.row * kTile + warp_row) * n + tile.column * kTile + warp_column;
  store(c, n, sums.of);
}

/// mma.sync as fast as it can be issued: 8 independent products of each warp in registers, `rounds`
/// times. `values`: 1024 words of random numbers of the format.
template <class Format>
__device__ void issue(float* sink, const Word* values, int rounds) {
  constexpr int kProducts = 8;
  Word a[4];
  Word b[kProducts][2];
  float sums[kProducts][4] = {};
#pragma unroll
  for (int i = 0; i < 4; ++i) a[i] = values[(threadIdx.x * 4 + i) % 1024];
#pragma unroll
  for (int i = 0; i < kProducts; ++i) {
    b[i][0] = values[(threadIdx.x * 16 + 2 * i) % 1024];
    b[i][1] = values[(threadIdx.x * 16 + 2 * i + 1) % 1024];
  }
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < kProducts; ++i) Format::multiply(sums[i], a, b[i][0], b[i][1]);
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kProducts; ++i) sum += sums[i][0] + sums[i][1] + sums[i][2] + sums[i][3];
  if (sum == 1.5f) *sink = sum;  // keeps the products alive
}

}  // namespace

/// The entries of a format: gpulint_gemm_NAME and gpulint_issue_NAME.
#define GPULINT_ENTRIES(NAME, FORMAT)                                                             \
  extern "C" __global__ void __launch_bounds__(kThreads)                                          \
      gpulint_gemm_##NAME(float* c, const Byte* a, const Byte* b, int m, int n, int k) {          \
    gemm<FORMAT>(c, a, b, m, n, k);                                                               \
  }                                                                                               \
  extern "C" __global__ void __launch_bounds__(kThreads)                                          \
      gpulint_issue_##NAME(float* sink, const Word* values, int rounds) {                         \
    issue<FORMAT>(sink, values, rounds);                                                          \
  }
