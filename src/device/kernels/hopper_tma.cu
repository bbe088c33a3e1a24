// GEMM through wgmma and TMA, for compute capability 9.0 alone (sm_90a). In its own file: if a
// driver or a card refuses anything here, hopper.cu still runs.
//
// c = a b^T, row-major, a of m x k and b of n x k values, float32 sums; m and n are multiples of
// 256, a row of k values of 128 bytes. `batch` counts independent products.
//
// Two blocks of a cluster compute 256 x 256 of c from slices 128 bytes deep, each its 128 rows. They
// need the same rows of b: each copies one half of them to both. In each block one thread copies,
// two warpgroups multiply, each 64 x 256 in registers. Four buffers; `full` of a buffer ends when all
// its bytes are there, `empty` when the warps of both blocks have used it. The cluster takes one tile
// after the other, and copies for the next go on while the sums of one are written.

#ifndef GPULINT_PTX
#define GPULINT_PTX "ptx.cuh"
#define GPULINT_PTX_BULK "ptx_bulk.cuh"
#endif
#include "wgmma.cuh"
#include GPULINT_PTX_BULK

namespace {

constexpr int kBlocks = 2;  // of a cluster
constexpr int kRows = 128;  // of a block
constexpr int kStages = 4;
constexpr int kWarpgroupRows = 64;
constexpr int kUsers = kRows / kWarpgroupRows * kWarpgroup;  // threads that multiply
constexpr int kUserWarps = kUsers / 32;
constexpr int kThreads = kUsers + 32;
constexpr int kBoxRows = 64;    // of both tensor maps
constexpr unsigned short kAll = (1 << kBlocks) - 1;

struct Stage {
  Byte a[kRows][kDepth];
  Byte b[kColumns][kDepth];
};
struct Shared {
  Stage stages[kStages];
  Barrier full[kStages];
  Barrier empty[kStages];
};

/// Which buffer, and how often it was used before.
struct Turn {
  int slot = 0;
  Word parity = 0;
  __device__ void next() {
    if (++slot < kStages) return;
    slot = 0;
    parity ^= 1;
  }
};

struct Tile {
  int row;
  int column;
  int matrix;
};

/// The tiles of this cluster, one after the other.
struct Walk {
  int rows;  // of tiles
  int columns;
  int matrices;
  int index;
  int stride;
  __device__ Walk(int m, int n, int batch)
      : rows(m / (kRows * kBlocks)),
        columns(n / kColumns),
        matrices(batch),
        index(blockIdx.x / kBlocks),
        stride(gridDim.x / kBlocks) {}
  __device__ bool more() const { return index < rows * columns * matrices; }
  __device__ void next() { index += stride; }
  __device__ Tile tile() const {
    const int in_matrix = index % (rows * columns);
    const Place place = place_of_tile(in_matrix, rows, columns);
    return {place.row * kRows * kBlocks, place.column * kColumns, index / (rows * columns)};
  }
};

/// One thread of each block.
__device__ void copy_all(Shared& shared, const TensorMap& a, const TensorMap& b, Walk walk,
                         int steps) {
  const int rank = static_cast<int>(rank_in_cluster());
  constexpr int kHalf = kColumns / kBlocks;
  Turn turn;
  for (bool first = true; walk.more(); walk.next()) {
    const Tile tile = walk.tile();
    for (int step = 0; step < steps; ++step) {
      if (!first) wait_for(&shared.empty[turn.slot], turn.parity ^ 1);
      Stage& stage = shared.stages[turn.slot];
      Barrier* full = &shared.full[turn.slot];
      arrive_and_announce(full, sizeof(Stage));
#pragma unroll
      for (int row = 0; row < kRows; row += kBoxRows) {
        copy_box(stage.a[row], a, step * kDepth, tile.row + rank * kRows + row, tile.matrix, full);
      }
#pragma unroll
      for (int row = 0; row < kHalf; row += kBoxRows) {
        copy_box_to(kAll, stage.b[rank * kHalf + row], b, step * kDepth,
                    tile.column + rank * kHalf + row, tile.matrix, full);
      }
      turn.next();
      if (turn.slot == 0) first = false;
    }
  }
}

/// This warp is done with a buffer, of which the other block fills a half too.
__device__ void give_back(Shared& shared, int slot) {
  const int lane = threadIdx.x % 32;
  if (lane < kBlocks) arrive_at(&shared.empty[slot], lane);
}

template <class Format>
__device__ void use_all(Shared& shared, float* c, long long m, long long n, Walk walk, int steps) {
  const int rank = static_cast<int>(rank_in_cluster());
  const int first_row = threadIdx.x / kWarpgroup * kWarpgroupRows;
  Turn turn;
  for (; walk.more(); walk.next()) {
    const Tile tile = walk.tile();
    float sums[kSums] = {};
    int before = 0;
    for (int step = 0; step < steps; ++step) {
      wait_for(&shared.full[turn.slot], turn.parity);
      const Stage& stage = shared.stages[turn.slot];
      const Descriptor a = descriptor(shared_address(stage.a[first_row]));
      const Descriptor b = descriptor(shared_address(stage.b[0]));
      hand_over(sums);
#pragma unroll
      for (int i = 0; i < kDepth / kStep; ++i) {
        Format::multiply(sums, a + i * (kStep / 16), b + i * (kStep / 16));
      }
      end_group_of_products();
      wait_products<1>(sums);
      if (step > 0) give_back(shared, before);
      before = turn.slot;
      turn.next();
    }
    wait_products<0>(sums);
    give_back(shared, before);
    store(c + (tile.matrix * m + tile.row + rank * kRows) * n + tile.column, n, sums);
  }
}

template <class Format>
__device__ void gemm(const TensorMap& a, const TensorMap& b, float* c, int m, int n, int k,
                     int batch) {
  Shared& shared = *reinterpret_cast<Shared*>(launched_shared());
  if (threadIdx.x == 0) {
    for (int i = 0; i < kStages; ++i) {
      make_barrier(&shared.full[i], 1);
      make_barrier(&shared.empty[i], kUserWarps * kBlocks);
    }
    show_barriers();
  }
  meet_in_cluster();
  const Walk walk(m, n, batch);
  const int steps = k * Format::kBytes / kDepth;
  const Word warp = of_first_lane(threadIdx.x / 32);
  if (warp < kUserWarps) {
    use_all<Format>(shared, c, m, n, walk, steps);
  } else if (threadIdx.x % 32 == 0) {
    copy_all(shared, a, b, walk, steps);
  }
  meet_in_cluster();  // nobody ends while the other may still write here
}

}  // namespace

/// The entry of a format: gpulint_tma_gemm_NAME.
#define GPULINT_ENTRY(NAME, FORMAT)                                                               \
  extern "C" __global__ void __cluster_dims__(kBlocks, 1, 1) __launch_bounds__(kThreads, 1)       \
      gpulint_tma_gemm_##NAME(const __grid_constant__ TensorMap a,                                \
                              const __grid_constant__ TensorMap b, float* c, int m, int n, int k, \
                              int batch) {                                                        \
    gemm<FORMAT>(a, b, c, m, n, k, batch);                                                        \
  }

GPULINT_ENTRY(fp16, WgmmaFp16)
GPULINT_ENTRY(bf16, WgmmaBf16)
GPULINT_ENTRY(tf32, WgmmaTf32)
GPULINT_ENTRY(fp8, WgmmaFp8)
