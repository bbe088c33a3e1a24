#pragma once

// A GPU's block of threads on one processor: each thread is a fiber, and a barrier passes control
// on until all have come. Deterministic, and slow enough for small products alone.

#include <cstddef>
#include <functional>

namespace emulated {

struct Index {
  unsigned int x = 0;
  unsigned int y = 0;
  unsigned int z = 0;
};

/// Runs a kernel, block after block.
void launch(Index grid, unsigned int threads, std::size_t shared_bytes,
            const std::function<void()>& kernel);

/// Of the thread that runs.
extern Index thread_index;
extern Index block_index;
extern Index grid_size;
extern Index block_size;

/// Until all of the `count` threads around this one, counted from a multiple of it, have come.
void barrier(unsigned int count);

/// What a launch asked for, aligned to 1024 bytes.
unsigned char* shared_memory();

/// Whether asynchronous copies and products happen when they are started, or only when they are
/// waited for: a kernel has to be right either way.
struct Timing {
  bool late_copies = false;
  bool late_products = false;
};
extern Timing timing;

}  // namespace emulated
