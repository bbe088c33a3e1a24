// What the products through mma.sync and those through wgmma share: in which order tiles of c are
// computed, and where the sums of mma.sync go.
#pragma once

namespace {

/// Tiles above each other in c that are computed at one time, so that they share rows of b in L2.
constexpr int kGroupRows = 8;

struct Place {
  int row;
  int column;
};

/// Of `rows` x `columns` tiles: groups of rows of tiles, each column by column.
__device__ Place place_of_tile(int index, int rows, int columns) {
  const int in_group = kGroupRows * columns;
  const int group = index / in_group * kGroupRows;
  const int high = min(rows - group, kGroupRows);
  return {group + index % in_group % high, index % in_group / high};
}

/// The block's tile, where each block of the grid has one.
__device__ Place my_tile() {
  return place_of_tile(blockIdx.y * gridDim.x + blockIdx.x, gridDim.y, gridDim.x);
}

/// Lane i holds columns 2 (i % 4) and the next of rows i / 4 and i / 4 + 8 of each 16 x 8 of c.
template <int kHigh, int kWide>
__device__ void store(float* c, long long n, const float (&sums)[kHigh][kWide][4]) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < kHigh; ++i) {
#pragma unroll
    for (int j = 0; j < kWide; ++j) {
      float* to = c + (16 * i + lane / 4) * n + 8 * j + lane % 4 * 2;
      const float* sum = sums[i][j];
      *reinterpret_cast<float2*>(to) = make_float2(sum[0], sum[1]);
      *reinterpret_cast<float2*>(to + 8 * n) = make_float2(sum[2], sum[3]);
    }
  }
}

}  // namespace
