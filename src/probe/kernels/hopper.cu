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

typedef unsigned int Word;
typedef unsigned long long Descriptor;
typedef unsigned char Byte;

namespace {

constexpr int kRows = 128;
constexpr int kColumns = 256;
constexpr int kDepth = 128;  // bytes
constexpr int kPieces = kDepth / 16;
constexpr int kStep = 32;  // bytes of depth of one wgmma
constexpr int kStages = 4;
constexpr int kAhead = kStages - 2;  // slices under way while one is used
constexpr int kThreads = 256;
constexpr int kWarpgroup = 128;
constexpr int kGroupRows = 8;  // as in tile.cuh
constexpr int kSums = kColumns / 2;

struct Slice {
  Byte a[kRows][kDepth];
  Byte b[kColumns][kDepth];
};

__device__ Word shared_address(const void* pointer) {
  return static_cast<Word>(__cvta_generic_to_shared(pointer));
}

/// Rows of 128 bytes in the 128-byte swizzle, groups of 8 rows 1024 bytes apart. Fields count in 16
/// bytes. The leading offset has no meaning for rows this short.
__device__ Descriptor descriptor(Word address) {
  constexpr Descriptor kLeading = 1;
  constexpr Descriptor kGroup = 1024 / 16;
  constexpr Descriptor kSwizzle128 = 1;
  return (address >> 4 & 0x3fff) | kLeading << 16 | kGroup << 32 | kSwizzle128 << 62;
}

template <int kCount>
__device__ void copy_rows(Byte (*to)[kDepth], const Byte* from, long long row_bytes) {
#pragma unroll
  for (int i = 0; i < kCount * kPieces / kThreads; ++i) {
    const int index = threadIdx.x + kThreads * i;
    const int row = index / kPieces;
    const int piece = index % kPieces;
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     shared_address(&to[row][(piece ^ row % 8) * 16])),
                 "l"(from + row * row_bytes + piece * 16)
                 : "memory");
  }
}

/// Always ends a group of copies, so that groups can be counted.
__device__ void start_loading(Slice& slice, const Byte* a, const Byte* b, long long row_bytes,
                              bool some) {
  if (some) {
    copy_rows<kRows>(slice.a, a, row_bytes);
    copy_rows<kColumns>(slice.b, b, row_bytes);
  }
  asm volatile("cp.async.commit_group;" ::: "memory");
}

/// The sums are wgmma's from here on.
__device__ void hand_over(float (&sums)[kSums]) {
#pragma unroll
  for (int i = 0; i < kSums; ++i) asm volatile("" : "+f"(sums[i])::"memory");
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

/// Four wgmma over the 128 bytes of a slice.
template <class Format>
__device__ void start_product(float (&sums)[kSums], Descriptor a, Descriptor b) {
#pragma unroll
  for (int step = 0; step < kDepth / kStep; ++step) {
    Format::multiply(sums, a + step * (kStep / 16), b + step * (kStep / 16));
  }
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/// Until at most `kPending` products are under way.
template <int kPending>
__device__ void wait_products(float (&sums)[kSums]) {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
#pragma unroll
  for (int i = 0; i < kSums; ++i) asm volatile("" : "+f"(sums[i])::"memory");
}

/// Warp w of a warpgroup holds rows 16 w to 16 w + 15; of each 8 columns, lane i holds columns
/// 2 (i % 4) and the next of rows i / 4 and i / 4 + 8. The second warpgroup's rows follow.
__device__ void store(float* c, long long n, const float (&sums)[kSums]) {
  const int lane = threadIdx.x % 32;
  c += (threadIdx.x / 32 * 16 + lane / 4) * n + lane % 4 * 2;
#pragma unroll
  for (int i = 0; i < kColumns / 8; ++i) {
    *reinterpret_cast<float2*>(c + 8 * i) = make_float2(sums[4 * i], sums[4 * i + 1]);
    *reinterpret_cast<float2*>(c + 8 * i + 8 * n) = make_float2(sums[4 * i + 2], sums[4 * i + 3]);
  }
}

/// Threads wrote the operands, wgmma reads them as another proxy: without the fence it may see what
/// lay there before.
__device__ void show_to_wgmma() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
}

template <class Format>
__device__ void gemm(float* c, const Byte* a, const Byte* b, long long m, long long n,
                     long long k) {
  extern __shared__ __align__(1024) Byte memory[];
  Slice* slices = reinterpret_cast<Slice*>(memory);
  const int index = blockIdx.y * gridDim.x + blockIdx.x;
  const int in_group = kGroupRows * gridDim.x;
  const int group = index / in_group * kGroupRows;
  const int rows = min(static_cast<int>(gridDim.y) - group, kGroupRows);
  const long long row = (group + index % in_group % rows) * kRows;
  const long long column = index % in_group / rows * kColumns;
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
    asm volatile("cp.async.wait_group %0;" ::"n"(kAhead - 1) : "memory");
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
  extern __shared__ __align__(1024) Byte memory[];
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

#define GPULINT_8_SUMS(I)                                                                         \
  "+f"(sums[I]), "+f"(sums[I + 1]), "+f"(sums[I + 2]), "+f"(sums[I + 3]), "+f"(sums[I + 4]),      \
      "+f"(sums[I + 5]), "+f"(sums[I + 6]), "+f"(sums[I + 7])
#define GPULINT_32_SUMS(I)                                                                        \
  GPULINT_8_SUMS(I), GPULINT_8_SUMS(I + 8), GPULINT_8_SUMS(I + 16), GPULINT_8_SUMS(I + 24)

/// One wgmma of a format, 64 x 256 of 32 bytes: `SHAPE`, `TYPES` and the signs and transpositions
/// `FLAGS` as PTX spells them.
#define GPULINT_FORMAT(NAME, BYTES, SHAPE, TYPES, FLAGS)                                          \
  struct NAME {                                                                                   \
    static constexpr int kBytes = BYTES;                                                          \
    static __device__ void multiply(float (&sums)[kSums], Descriptor a, Descriptor b) {           \
      asm volatile("wgmma.mma_async.sync.aligned." SHAPE ".f32." TYPES                            \
                   " {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "     \
                   "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, "  \
                   "%31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, "  \
                   "%46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, "  \
                   "%61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, "  \
                   "%76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, "  \
                   "%91, %92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, "  \
                   "%105, %106, %107, %108, %109, %110, %111, %112, %113, %114, %115, %116, "     \
                   "%117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "          \
                   "%128, %129, 1, " FLAGS ";"                                                    \
                   : GPULINT_32_SUMS(0), GPULINT_32_SUMS(32), GPULINT_32_SUMS(64),                \
                     GPULINT_32_SUMS(96)                                                          \
                   : "l"(a), "l"(b));                                                             \
    }                                                                                             \
  }

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

namespace {

GPULINT_FORMAT(Fp16, 2, "m64n256k16", "f16.f16", "1, 1, 0, 0");
GPULINT_FORMAT(Bf16, 2, "m64n256k16", "bf16.bf16", "1, 1, 0, 0");
GPULINT_FORMAT(Tf32, 4, "m64n256k8", "tf32.tf32", "1, 1");
GPULINT_FORMAT(Fp8, 1, "m64n256k32", "e4m3.e4m3", "1, 1");

}  // namespace

GPULINT_ENTRIES(fp16, Fp16)
GPULINT_ENTRIES(bf16, Bf16)
GPULINT_ENTRIES(tf32, Tf32)
GPULINT_ENTRIES(fp8, Fp8)
