// What both products through wgmma share: slices of 128 bytes of depth in the 128-byte swizzle, and
// 64 x 256 of c in the registers of a warpgroup.
#pragma once

#include "tiles.cuh"

#ifndef GPULINT_PTX
#define GPULINT_PTX "ptx.cuh"
#endif
#include GPULINT_PTX

namespace {

constexpr int kColumns = 256;
constexpr int kDepth = 128;  // bytes
constexpr int kStep = 32;    // bytes of depth of one wgmma
constexpr int kWarpgroup = 128;
constexpr int kSums = kWgmmaSums;

/// Rows of 128 bytes in the 128-byte swizzle, groups of 8 rows 1024 bytes apart. Fields count in 16
/// bytes. The leading offset has no meaning for rows this short.
__device__ Descriptor descriptor(Word address) {
  constexpr Descriptor kLeading = 1;
  constexpr Descriptor kGroup = 1024 / 16;
  constexpr Descriptor kSwizzle128 = 1;
  return (address >> 4 & 0x3fff) | kLeading << 16 | kGroup << 32 | kSwizzle128 << 62;
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

}  // namespace
