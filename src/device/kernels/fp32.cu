// The fp32 GEMM that loads ahead, for any card that memory.cu runs on. In its own file, so that a
// driver that fails on it still has the plain one.
//
// c = a b^T, row-major, a of m x k and b of n x k; m and n are multiples of 128, k of 8; blockIdx.z
// counts independent products that lie one behind the other. A block of 256 threads computes
// 128 x 128 of c from slices 8 deep, each thread 8 x 8 of it in registers: four rows and four
// columns, and as many 64 further on, so that neighbours read neighbouring banks. The next slice is
// on its way to registers while one of two buffers is used, and then fills the other.

namespace {

constexpr int kTile = 128;
constexpr int kDepth = 8;
constexpr int kQuarter = 4;
constexpr int kFar = kTile / 2;
constexpr int kPerThread = 2 * kQuarter;
constexpr int kRow = kTile + kQuarter;  // the two halves of a slice go to different banks

struct Slice {
  float a[kDepth][kRow];
  float b[kDepth][kRow];
};

/// Two threads hold the 8 values of a row.
__device__ void keep(float (*to)[kRow], const float4& values) {
  const int row = threadIdx.x / 2;
  const int depth = threadIdx.x % 2 * kQuarter;
  to[depth][row] = values.x;
  to[depth + 1][row] = values.y;
  to[depth + 2][row] = values.z;
  to[depth + 3][row] = values.w;
}

__device__ void read(float (&to)[kPerThread], const float* row, int first) {
  const float4 near = *reinterpret_cast<const float4*>(row + first);
  const float4 far = *reinterpret_cast<const float4*>(row + first + kFar);
  to[0] = near.x, to[1] = near.y, to[2] = near.z, to[3] = near.w;
  to[4] = far.x, to[5] = far.y, to[6] = far.z, to[7] = far.w;
}

}  // namespace

extern "C" __global__ void __launch_bounds__(256, 2)
    gpulint_prefetch_gemm_fp32(float* __restrict__ c, const float* __restrict__ a,
                               const float* __restrict__ b, int m, int n, int k) {
  __shared__ __align__(16) Slice slices[2];
  const long long row = blockIdx.y * kTile;
  const long long column = blockIdx.x * kTile;
  const long long of_thread =
      static_cast<long long>(threadIdx.x / 2) * k + threadIdx.x % 2 * kQuarter;
  a += (static_cast<long long>(blockIdx.z) * m + row) * k + of_thread;
  b += (static_cast<long long>(blockIdx.z) * n + column) * k + of_thread;
  c += (static_cast<long long>(blockIdx.z) * m + row) * n + column;
  const int my_row = threadIdx.x / 16 * kQuarter;
  const int my_column = threadIdx.x % 16 * kQuarter;
  float sum[kPerThread][kPerThread] = {};
  float4 next_a = *reinterpret_cast<const float4*>(a);
  float4 next_b = *reinterpret_cast<const float4*>(b);
  keep(slices[0].a, next_a);
  keep(slices[0].b, next_b);
  __syncthreads();
  int used = 0;
  for (int depth = kDepth; depth <= k; depth += kDepth) {
    const bool more = depth < k;
    if (more) {
      next_a = *reinterpret_cast<const float4*>(a + depth);
      next_b = *reinterpret_cast<const float4*>(b + depth);
    }
    const Slice& slice = slices[used];
#pragma unroll
    for (int step = 0; step < kDepth; ++step) {
      float a_part[kPerThread];
      float b_part[kPerThread];
      read(a_part, slice.a[step], my_row);
      read(b_part, slice.b[step], my_column);
#pragma unroll
      for (int i = 0; i < kPerThread; ++i) {
#pragma unroll
        for (int j = 0; j < kPerThread; ++j) sum[i][j] += a_part[i] * b_part[j];
      }
    }
    if (!more) break;
    used ^= 1;  // whoever reads that buffer has done so before the last barrier
    keep(slices[used].a, next_a);
    keep(slices[used].b, next_b);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    const long long at = my_row + i % kQuarter + i / kQuarter * kFar;
    float* to = c + at * n + my_column;
    *reinterpret_cast<float4*>(to) = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
    *reinterpret_cast<float4*>(to + kFar) = make_float4(sum[i][4], sum[i][5], sum[i][6], sum[i][7]);
  }
}
