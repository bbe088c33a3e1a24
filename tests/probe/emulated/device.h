#pragma once

// A GPU's blocks of threads on one processor: each thread is a fiber, and whoever waits passes
// control on until what it waits for has happened. Deterministic, and slow enough for small
// products alone.

#include <cstddef>
#include <functional>

namespace emulated {

struct Index {
  unsigned int x = 0;
  unsigned int y = 0;
  unsigned int z = 0;
};

/// Runs a kernel, cluster after cluster; the blocks of one, which lie one behind the other in x, at
/// the same time.
void launch(Index grid, unsigned int threads, std::size_t shared_bytes,
            const std::function<void()>& kernel, unsigned int cluster = 1);

/// Of the thread that runs.
extern Index thread_index;
extern Index block_index;
extern Index grid_size;
extern Index block_size;
extern unsigned int rank_in_cluster;

/// Of all threads that may run at the same time, the one that runs.
constexpr unsigned int kMostThreads = 640;
unsigned int fiber();

/// Until all of the `count` threads around this one, counted from a multiple of it, have come.
void barrier(unsigned int count);
void cluster_barrier();
/// Until something has happened that others, or what is under way, bring about.
void wait_until(const std::function<bool()>& happened);
/// Happens when nothing else can: whoever waits for it sees it as late as may be.
void happen_late(std::function<void()> event);

/// What a launch asked for, aligned to 1024 bytes; that of this block, or of one of its cluster.
unsigned char* shared_memory();
unsigned char* shared_memory(unsigned int rank);

/// Ends the test: a kernel did what a card would not let it do.
[[noreturn]] void forbid(const char* what);

/// Whether asynchronous copies and products happen when they are started, or only when they are
/// waited for: a kernel has to be right either way.
struct Timing {
  bool late_copies = false;
  bool late_products = false;
};
extern Timing timing;

}  // namespace emulated
