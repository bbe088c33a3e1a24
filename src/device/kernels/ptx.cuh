// The instructions that CUDA C++ has no words for, each as one function. Tests compile the kernels
// with functions of the same names for the host (tests/probe/emulated).
#pragma once

typedef unsigned int Word;
typedef unsigned char Byte;
typedef unsigned long long Descriptor;

namespace {

__device__ Word shared_address(const void* pointer) {
  return static_cast<Word>(__cvta_generic_to_shared(pointer));
}

/// The shared memory a launch asked for.
__device__ Byte* launched_shared() {
  extern __shared__ __align__(1024) Byte memory[];
  return memory;
}

/// Copies 16 bytes to shared memory; has arrived when its group was waited for.
__device__ void copy_16_bytes(Byte* to, const Byte* from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(from)
               : "memory");
}
__device__ void end_group_of_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
/// Until at most `kPending` groups of this thread are under way.
template <int kPending>
__device__ void wait_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kPending) : "memory");
}

/// Four matrices of 8 rows of 16 bytes; lane i names row i % 8 of matrix i / 8.
__device__ void load_matrices(Word (&to)[4], const Byte* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(shared_address(row))
               : "memory");
}

}  // namespace

/// One mma.sync of a format: `SHAPE` and `TYPES` as PTX spells them.
#define GPULINT_MMA(NAME, BYTES, SHAPE, TYPES)                                                 \
  struct NAME {                                                                                   \
    static constexpr int kBytes = BYTES;                                                          \
    static __device__ void multiply(float (&sum)[4], const Word (&a)[4], Word b_low,              \
                                    Word b_high) {                                                \
      asm volatile("mma.sync.aligned." SHAPE ".row.col.f32." TYPES                                \
                   ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"         \
                   : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])                       \
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b_low), "r"(b_high));        \
    }                                                                                             \
  }


namespace {

GPULINT_MMA(MmaFp16, 2, "m16n8k16", "f16.f16");
GPULINT_MMA(MmaBf16, 2, "m16n8k16", "bf16.bf16");
GPULINT_MMA(MmaTf32, 4, "m16n8k8", "tf32.tf32");
GPULINT_MMA(MmaFp8, 1, "m16n8k32", "e4m3.e4m3");

/// Sums of one thread in a wgmma of 64 x 256.
constexpr int kWgmmaSums = 128;

/// Threads wrote the operands, wgmma reads them as another proxy: without the fence it may see what
/// lay there before.
__device__ void show_to_wgmma() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
}

/// The sums are wgmma's from here on.
__device__ void hand_over(float (&sums)[kWgmmaSums]) {
#pragma unroll
  for (int i = 0; i < kWgmmaSums; ++i) asm volatile("" : "+f"(sums[i])::"memory");
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ void end_group_of_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
/// Until at most `kPending` groups are under way.
template <int kPending>
__device__ void wait_products(float (&sums)[kWgmmaSums]) {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
#pragma unroll
  for (int i = 0; i < kWgmmaSums; ++i) asm volatile("" : "+f"(sums[i])::"memory");
}

}  // namespace

#define GPULINT_8_SUMS(I)                                                                         \
  "+f"(sums[I]), "+f"(sums[I + 1]), "+f"(sums[I + 2]), "+f"(sums[I + 3]), "+f"(sums[I + 4]),      \
      "+f"(sums[I + 5]), "+f"(sums[I + 6]), "+f"(sums[I + 7])
#define GPULINT_32_SUMS(I)                                                                        \
  GPULINT_8_SUMS(I), GPULINT_8_SUMS(I + 8), GPULINT_8_SUMS(I + 16), GPULINT_8_SUMS(I + 24)

/// One wgmma of a format, 64 x 256 of 32 bytes: `SHAPE`, `TYPES` and the signs and transpositions
/// `FLAGS` as PTX spells them.
#define GPULINT_WGMMA(NAME, BYTES, SHAPE, TYPES, FLAGS)                                          \
  struct NAME {                                                                                   \
    static constexpr int kBytes = BYTES;                                                          \
    static __device__ void multiply(float (&sums)[kWgmmaSums], Descriptor a, Descriptor b) {           \
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

namespace {

GPULINT_WGMMA(WgmmaFp16, 2, "m64n256k16", "f16.f16", "1, 1, 0, 0");
GPULINT_WGMMA(WgmmaBf16, 2, "m64n256k16", "bf16.bf16", "1, 1, 0, 0");
GPULINT_WGMMA(WgmmaTf32, 4, "m64n256k8", "tf32.tf32", "1, 1");
GPULINT_WGMMA(WgmmaFp8, 1, "m64n256k32", "e4m3.e4m3", "1, 1");

}  // namespace
