// GEMM and issue ceiling through wgmma, for compute capability 9.0 alone (sm_90a): mma.sync reaches
// two thirds of such a card's peak, and has no fp8 of its own there.
//
// c = a b^T, row-major, a of m x k and b of n x k values, float32 sums; m is a multiple of 128, n of
// 256, a row of k values of 128 bytes. blockIdx.z counts independent products.
//
// A block of two warpgroups computes 128 x 256 of c, each warpgroup 64 x 256 in registers, from
// slices 128 bytes deep. wgmma reads both operands from shared memory in the 128-byte swizzle: row r
// of a slice takes 128 bytes, its piece p of 16 bytes lies at p ^ r % 8, and eight rows make a group
// of 1024 bytes. cp.async writes there; the tensor map of TMA would do it with fewer instructions.
// Four buffers: one wgmma may still run while the next is started, so the buffer that is filled is
// the one used two slices before, and one barrier for each slice is enough.

#include "wgmma.cuh"

namespace {

constexpr int kRows = 128;
constexpr int kPieces = kDepth / 16;
constexpr int kStages = 4;
constexpr int kAhead = kStages - 2;  // slices under way while one is used
constexpr int kThreads = 256;

struct Slice {
  Byte a[kRows][kDepth];
  Byte b[kColumns][kDepth];
};

template <int kCount>
__device__ void copy_rows(Byte (*to)[kDepth], const Byte* from, long long row_bytes) {
#pragma unroll
  for (int i = 0; i < kCount * kPieces / kThreads; ++i) {
    const int index = threadIdx.x + kThreads * i;
    const int row = index / kPieces;
    const int piece = index % kPieces;
    copy_16_bytes(&to[row][(piece ^ row % 8) * 16], from + row * row_bytes + piece * 16);
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

/// Four wgmma over the 128 bytes of a slice.
template <class Format>
__device__ void start_product(float (&sums)[kSums], Descriptor a, Descriptor b) {
#pragma unroll
  for (int step = 0; step < kDepth / kStep; ++step) {
    Format::multiply(sums, a + step * (kStep / 16), b + step * (kStep / 16));
  }
  end_group_of_products();
}

template <class Format>
__device__ void gemm(float* c, const Byte* a, const Byte* b, long long m, long long n,
                     long long k) {
  Slice* slices = reinterpret_cast<Slice*>(launched_shared());
  const Place tile = my_tile();
  const long long row = static_cast<long long>(tile.row) * kRows;
  const long long column = static_cast<long long>(tile.column) * kColumns;
  const long long row_bytes = k * Format::kBytes;
  const int steps = static_cast<int>(row_bytes / kDepth);
  a += (blockIdx.z * m + row) * row_bytes;
  b += (blockIdx.z * n + column) * row_bytes;
  float sums[kSums] = {};
#pragma unroll
  for (int step = 0; step < kAhead; ++step) {
    start_loading(slices[step], a + step * kDepth, b + step * kDepth, row_bytes, step < steps);
  }
  for (int step = 0; step < steps; ++step) {
    wait_copies<kAhead - 1>();
    show_to_wgmma();  // the slice has arrived for all, and all have finished that of step - 2
    const Slice& slice = slices[step % kStages];
    hand_over(sums);
    start_product<Format>(sums,
                          descriptor(shared_address(slice.a[threadIdx.x / kWarpgroup * 64])),
                          descriptor(shared_address(slice.b[0])));
    const int next = step + kAhead;
    start_loading(slices[next % kStages], a + static_cast<long long>(next) * kDepth,
                  b + static_cast<long long>(next) * kDepth, row_bytes, next < steps);
    wait_products<1>(sums);
  }
  wait_products<0>(sums);
  store(c + (blockIdx.z * m + row) * n + column, n, sums);
}

/// wgmma as fast as it can be issued, from one slice of random numbers in shared memory: 64 x 256 of
/// 128 bytes for each block of 128 threads and round.
template <class Format>
__device__ void issue(float* sink, const Word* values, int rounds) {
  Byte* memory = launched_shared();
  Word* words = reinterpret_cast<Word*>(memory);
  constexpr int kWords = (64 + kColumns) * kDepth / 4;
  for (int i = threadIdx.x; i < kWords; i += kWarpgroup) words[i] = values[i % 1024];
  float sums[kSums] = {};
  show_to_wgmma();
  const Descriptor a = descriptor(shared_address(memory));
  const Descriptor b = descriptor(shared_address(memory + 64 * kDepth));
  for (int round = 0; round < rounds; ++round) {
    hand_over(sums);
    start_product<Format>(sums, a, b);
    wait_products<0>(sums);
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kSums; ++i) sum += sums[i];
  if (sum == 1.5f) *sink = sum;  // keeps the products alive
}

}  // namespace

/// The entries of a format: gpulint_wgmma_gemm_NAME and gpulint_wgmma_issue_NAME.
#define GPULINT_ENTRIES(NAME, FORMAT)                                                             \
  extern "C" __global__ void __launch_bounds__(kThreads, 1)                                       \
      gpulint_wgmma_gemm_##NAME(float* c, const Byte* a, const Byte* b, int m, int n, int k) {    \
    gemm<FORMAT>(c, a, b, m, n, k);                                                               \
  }                                                                                               \
  extern "C" __global__ void __launch_bounds__(kWarpgroup)                                        \
      gpulint_wgmma_issue_##NAME(float* sink, const Word* values, int rounds) {                   \
    issue<FORMAT>(sink, values, rounds);                                                          \
  }

GPULINT_ENTRIES(fp16, WgmmaFp16)
GPULINT_ENTRIES(bf16, WgmmaBf16)
GPULINT_ENTRIES(tf32, WgmmaTf32)
GPULINT_ENTRIES(fp8, WgmmaFp8)
