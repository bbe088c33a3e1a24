// GEMM on tensor cores through mma.sync, for compute capability 8.0 and later. On 9.0 and later the
// cards reach their peak only through wgmma or tcgen05: there this is a lower bound.
//
// c = a b^T, square row-major matrices of 16-bit values, n a multiple of 128, float32 sums. A block
// of 256 threads computes 128 x 128 of c from slices 32 deep; its 8 warps lie 2 x 4, each with
// 64 x 32. Slices come through cp.async into two buffers, one filled while the other is used. Rows
// are padded to 40 values (80 bytes): the 8 rows an ldmatrix reads then lie in different banks.

typedef unsigned int Word;
typedef unsigned short Half;  // fp16 or bf16 bits

namespace {

constexpr int kTile = 128;
constexpr int kDepth = 32;
constexpr int kPadded = 40;
constexpr int kWarpRows = 64;
constexpr int kWarpColumns = 32;
constexpr int kRowTiles = kWarpRows / 16;
constexpr int kColumnTiles = kWarpColumns / 8;

struct Slice {
  Half a[kTile][kPadded];
  Half b[kTile][kPadded];
};

struct Sums {
  float of[kRowTiles][kColumnTiles][4];
};

__device__ Word shared_address(const void* pointer) {
  return static_cast<Word>(__cvta_generic_to_shared(pointer));
}

__device__ void copy_16_bytes(const Half* to, const Half* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from)
               : "memory");
}

constexpr int kThreads = 256;

/// 128 rows of 32 values are 512 pieces of 16 bytes: two for each thread and matrix.
__device__ void start_loading(Slice& slice, const Half* a, const Half* b, long long n) {
#pragma unroll
  for (int i = 0; i < kTile * kDepth / 8 / kThreads; ++i) {
    const int piece = threadIdx.x + kThreads * i;
    const int row = piece / 4;
    const int depth = (piece % 4) * 8;
    copy_16_bytes(&slice.a[row][depth], a + row * n + depth);
    copy_16_bytes(&slice.b[row][depth], b + row * n + depth);
  }
  asm volatile("cp.async.commit_group;" ::: "memory");
}

/// Four 8 x 8 matrices; lane i names row i % 8 of matrix i / 8.
__device__ void load_matrices(Word (&to)[4], const Half* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(row))
               : "memory");
}

template <bool kBf16>
__device__ void multiply(float (&sum)[4], const Word (&a)[4], Word b_low, Word b_high) {
  if (kBf16) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b_low), "r"(b_high));
  } else {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b_low), "r"(b_high));
  }
}

template <bool kBf16>
__device__ void use(const Slice& slice, int warp_row, int warp_column, Sums& sums) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int depth = 0; depth < kDepth; depth += 16) {
    Word a[kRowTiles][4];
    Word b[kColumnTiles / 2][4];
    // a: rows 0-7 and 8-15 of depth 0-7, then both of depth 8-15, as mma orders its registers.
#pragma unroll
    for (int i = 0; i < kRowTiles; ++i) {
      load_matrices(a[i], &slice.a[warp_row + 16 * i + lane % 16][depth + lane / 16 * 8]);
    }
    // b: columns 0-7 of depth 0-7 and 8-15, then columns 8-15 of both: two tiles at once.
#pragma unroll
    for (int j = 0; j < kColumnTiles / 2; ++j) {
      const int column = warp_column + 16 * j + lane / 16 * 8 + lane % 8;
      load_matrices(b[j], &slice.b[column][depth + lane / 8 % 2 * 8]);
    }
#pragma unroll
    for (int i = 0; i < kRowTiles; ++i) {
#pragma unroll
      for (int j = 0; j < kColumnTiles; ++j) {
        multiply<kBf16>(sums.of[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
      }
    }
  }
}

/// Lane i holds columns 2 (i % 4) and the next of rows i / 4 and i / 4 + 8 of each tile.
__device__ void store(float* c, long long n, const Sums& sums) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < kRowTiles; ++i) {
#pragma unroll
    for (int j = 0; j < kColumnTiles; ++j) {
      float* to = c + (16 * i + lane / 4) * n + 8 * j + lane % 4 * 2;
      const float* sum = sums.of[i][j];
      *reinterpret_cast<float2*>(to) = make_float2(sum[0], sum[1]);
      *reinterpret_cast<float2*>(to + 8 * n) = make_float2(sum[2], sum[3]);
    }
  }
}

template <bool kBf16>
__device__ void gemm(float* c, const Half* a, const Half* b, long long n) {
  __shared__ __align__(16) Slice slices[2];
  const int warp = threadIdx.x / 32;
  const int warp_row = warp / 4 * kWarpRows;
  const int warp_column = warp % 4 * kWarpColumns;
  const Half* a_rows = a + blockIdx.y * kTile * n;
  const Half* b_rows = b + blockIdx.x * kTile * n;
  Sums sums = {};
  start_loading(slices[0], a_rows, b_rows, n);
  for (int step = 0; step < n / kDepth; ++step) {
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();  // this slice has arrived for all, and nobody uses the other any more
    if ((step + 1) * kDepth < n) {
      const int depth = (step + 1) * kDepth;
      start_loading(slices[(step + 1) % 2], a_rows + depth, b_rows + depth, n);
    }
    use<kBf16>(slices[step % 2], warp_row, warp_column, sums);
  }
  store(c + (blockIdx.y * kTile + warp_row) * n + blockIdx.x * kTile + warp_column, n, sums);
}

}  // namespace

extern "C" __global__ void __launch_bounds__(kThreads)
    gpulint_gemm_fp16(float* c, const Half* a, const Half* b, int n) {
  gemm<false>(c, a, b, n);
}

extern "C" __global__ void __launch_bounds__(kThreads)
    gpulint_gemm_bf16(float* c, const Half* a, const Half* b, int n) {
  gemm<true>(c, a, b, n);
}
