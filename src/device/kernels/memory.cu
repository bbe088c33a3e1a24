// Data, memory bandwidth and the fp32 GEMM: everything that needs no tensor core. No CUDA header is
// included, so that the PTX stays at the lowest ISA version that carries it. All sizes are handed
// in; the host sees to their divisibility.

typedef unsigned int Word;
typedef unsigned long long Count;

namespace {

__device__ Count thread_index() {
  return blockIdx.x * static_cast<Count>(blockDim.x) + threadIdx.x;
}
__device__ Count thread_count() { return static_cast<Count>(gridDim.x) * blockDim.x; }

/// A bijection of the 32-bit words in which every input bit moves every output bit.
__device__ Word scramble(Word x) {
  x = (x ^ (x >> 16)) * 0x85ebca6bu;
  x = (x ^ (x >> 13)) * 0xc2b2ae35u;  // finaliser of MurmurHash3, public domain
  return x ^ (x >> 16);
}

}  // namespace

/// Fills with random bits, of which `keep` remain and to which `exponent` is added: numbers of
/// magnitude 0.5 to 1 with either sign in any format, so never zero, denormal, infinite or NaN.
extern "C" __global__ void gpulint_fill(Word* words, Count count, Word seed, Word keep,
                                        Word exponent) {
  for (Count i = thread_index(); i < count; i += thread_count()) {
    const Word random = scramble(scramble(static_cast<Word>(i) ^ seed) + static_cast<Word>(i >> 32));
    words[i] = (random & keep) | exponent;
  }
}

/// Copies 16 bytes at a time, four loads in flight for each thread.
extern "C" __global__ void gpulint_copy(const uint4* __restrict__ from, uint4* __restrict__ to,
                                        Count count) {
  const Count stride = thread_count();
  Count i = thread_index();
  for (; i + 3 * stride < count; i += 4 * stride) {
    const uint4 a = from[i];
    const uint4 b = from[i + stride];
    const uint4 c = from[i + 2 * stride];
    const uint4 d = from[i + 3 * stride];
    to[i] = a;
    to[i + stride] = b;
    to[i + 2 * stride] = c;
    to[i + 3 * stride] = d;
  }
  for (; i < count; i += stride) to[i] = from[i];
}

/// Reads everything; the one word written, if at all, keeps the loads alive.
extern "C" __global__ void gpulint_read(const uint4* __restrict__ from, Word* sink, Count count) {
  const Count stride = thread_count();
  Word mixed = 0;
  Count i = thread_index();
  for (; i + 3 * stride < count; i += 4 * stride) {
    const uint4 a = from[i];
    const uint4 b = from[i + stride];
    const uint4 c = from[i + 2 * stride];
    const uint4 d = from[i + 3 * stride];
    mixed ^= a.x ^ a.y ^ a.z ^ a.w ^ b.x ^ b.y ^ b.z ^ b.w;
    mixed ^= c.x ^ c.y ^ c.z ^ c.w ^ d.x ^ d.y ^ d.z ^ d.w;
  }
  for (; i < count; i += stride) mixed ^= from[i].x ^ from[i].y ^ from[i].z ^ from[i].w;
  if (mixed == 1) sink[0] = mixed;
}

/// c = a b^T, row-major, a of m x k and b of n x k; m and n multiples of 128, k of 8; blockIdx.z
/// counts independent products that lie one behind the other. A block of 256 threads computes
/// 128 x 128 of c from slices 8 deep, each thread 8 x 8 of it in registers.
extern "C" __global__ void __launch_bounds__(256)
    gpulint_gemm_fp32(float* __restrict__ c, const float* __restrict__ a,
                      const float* __restrict__ b, int m, int n, int k) {
  constexpr int kTile = 128;
  constexpr int kDepth = 8;
  constexpr int kPerThread = 8;
  __shared__ float a_slice[kDepth][kTile];
  __shared__ float b_slice[kDepth][kTile];
  const long long row = blockIdx.y * kTile;
  const long long column = blockIdx.x * kTile;
  a += static_cast<long long>(blockIdx.z) * m * k;
  b += static_cast<long long>(blockIdx.z) * n * k;
  c += static_cast<long long>(blockIdx.z) * m * n;
  const int load_row = threadIdx.x / 2;         // two threads load the 8 values of a row
  const int load_depth = (threadIdx.x % 2) * 4;
  const int my_row = (threadIdx.x / 16) * kPerThread;
  const int my_column = (threadIdx.x % 16) * kPerThread;
  float sum[kPerThread][kPerThread] = {};
  for (int depth = 0; depth < k; depth += kDepth) {
    const long long a_at = (row + load_row) * k + depth + load_depth;
    const long long b_at = (column + load_row) * k + depth + load_depth;
    const float4 a_values = *reinterpret_cast<const float4*>(a + a_at);
    const float4 b_values = *reinterpret_cast<const float4*>(b + b_at);
    __syncthreads();  // the slices of the step before have been used
    a_slice[load_depth + 0][load_row] = a_values.x;
    a_slice[load_depth + 1][load_row] = a_values.y;
    a_slice[load_depth + 2][load_row] = a_values.z;
    a_slice[load_depth + 3][load_row] = a_values.w;
    b_slice[load_depth + 0][load_row] = b_values.x;
    b_slice[load_depth + 1][load_row] = b_values.y;
    b_slice[load_depth + 2][load_row] = b_values.z;
    b_slice[load_depth + 3][load_row] = b_values.w;
    __syncthreads();
#pragma unroll
    for (int step = 0; step < kDepth; ++step) {
      float a_part[kPerThread];
      float b_part[kPerThread];
#pragma unroll
      for (int i = 0; i < kPerThread; ++i) {
        a_part[i] = a_slice[step][my_row + i];
        b_part[i] = b_slice[step][my_column + i];
      }
#pragma unroll
      for (int i = 0; i < kPerThread; ++i) {
#pragma unroll
        for (int j = 0; j < kPerThread; ++j) sum[i][j] += a_part[i] * b_part[j];
      }
    }
  }
#pragma unroll
  for (int i = 0; i < kPerThread; ++i) {
    float* to = c + (row + my_row + i) * n + column + my_column;
#pragma unroll
    for (int j = 0; j < kPerThread; j += 4) {
      *reinterpret_cast<float4*>(to + j) =
          make_float4(sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]);
    }
  }
}

/// Multiply-adds as fast as they can be issued: 16 independent sums of each thread, 8 times a round.
extern "C" __global__ void __launch_bounds__(256)
    gpulint_issue_fp32(float* sink, const float* values, int rounds) {
  constexpr int kSums = 16;
  constexpr int kTimes = 8;
  const float factor = values[threadIdx.x % 1024];
  const float addend = values[(threadIdx.x + 1) % 1024];
  float sums[kSums];
#pragma unroll
  for (int i = 0; i < kSums; ++i) sums[i] = values[(threadIdx.x + i) % 1024];
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int time = 0; time < kTimes; ++time) {
#pragma unroll
      for (int i = 0; i < kSums; ++i) sums[i] = fmaf(sums[i], factor, addend);
    }
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kSums; ++i) sum += sums[i];
  if (sum == 1.5f) *sink = sum;  // keeps the sums alive
}

/// What a launch costs by itself.
extern "C" __global__ void gpulint_empty() {}
