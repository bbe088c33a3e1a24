#pragma once

// What CUDA C++ adds to the language, for compiling a kernel's file for the host.

#include "probe/emulated/device.h"

#include <algorithm>
#include <cmath>

#define __device__ inline
#define __global__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __grid_constant__
#define __shared__ static
#define __align__(n) __attribute__((aligned(n)))
#define threadIdx emulated::thread_index
#define blockIdx emulated::block_index
#define gridDim emulated::grid_size
#define blockDim emulated::block_size

struct float2 {
  float x, y;
};
struct float4 {
  float x, y, z, w;
};
struct uint4 {
  unsigned int x, y, z, w;
};
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
using std::min;
inline void __syncthreads() { emulated::barrier(emulated::block_size.x); }

#define GPULINT_PTX "probe/emulated/ptx.h"
#define GPULINT_PTX_BULK "probe/emulated/ptx_bulk.h"
