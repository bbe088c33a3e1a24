#include "probe/emulated/device.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <ucontext.h>
#include <utility>
#include <vector>

namespace emulated {

Index thread_index;
Index block_index;
Index grid_size;
Index block_size;
unsigned int rank_in_cluster;
Timing timing;

namespace {

constexpr std::size_t kStack = std::size_t{128} << 10;
constexpr std::size_t kAlignment = 1024;
constexpr std::size_t kGroupings = 4;  // of threads: by 32, by 128, by block, by cluster

struct Fiber {
  ucontext_t context;
  std::unique_ptr<char[]> stack = std::make_unique<char[]>(kStack);
  bool done = false;
};

struct Meeting {
  unsigned int arrived = 0;
  std::uint64_t held = 0;
};

ucontext_t scheduler;
std::vector<Fiber> fibers;
std::vector<Meeting> meetings;
const std::function<void()>* running = nullptr;
std::vector<std::vector<unsigned char>> memories;  // by rank
std::vector<std::function<void()>> late;
bool moved = false;  // since all fibers were asked the last time

void enter() {
  (*running)();
  moved = true;
  const unsigned int me = fiber();
  fibers[me].done = true;
  swapcontext(&fibers[me].context, &scheduler);
}

void begin(Fiber& fiber) {
  fiber.done = false;
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = fiber.stack.get();
  fiber.context.uc_stack.ss_size = kStack;
  fiber.context.uc_link = &scheduler;
  makecontext(&fiber.context, enter, 0);
}

/// The newest event first: what was started later may well be there sooner.
void let_something_happen() {
  if (late.empty()) forbid("all threads wait for what never happens");
  const auto event = std::move(late.back());
  late.pop_back();
  event();
}

void run_blocks(Index first) {
  meetings.assign(kGroupings * fibers.size(), Meeting{});
  for (Fiber& fiber : fibers) begin(fiber);
  for (bool some = true; some;) {
    some = false;
    moved = false;
    for (unsigned int i = 0; i < fibers.size(); ++i) {
      if (fibers[i].done) continue;
      some = true;
      thread_index = {i % block_size.x, 0, 0};
      rank_in_cluster = i / block_size.x;
      block_index = {first.x + rank_in_cluster, first.y, first.z};
      swapcontext(&scheduler, &fibers[i].context);
    }
    if (some && !moved) let_something_happen();
  }
  if (!late.empty()) forbid("a copy is under way and its block has ended");
}

void meet(std::size_t grouping, unsigned int group, unsigned int count) {
  Meeting& meeting = meetings[grouping * fibers.size() + group];
  const std::uint64_t held = meeting.held;
  moved = true;
  if (++meeting.arrived == count) {
    meeting.arrived = 0;
    ++meeting.held;
    return;
  }
  wait_until([&meeting, held] { return meeting.held != held; });
}

}  // namespace

unsigned int fiber() { return rank_in_cluster * block_size.x + thread_index.x; }

void barrier(unsigned int count) {
  const std::size_t grouping = count == 32 ? 0 : count == 128 ? 1 : 2;
  meet(grouping, rank_in_cluster * block_size.x + thread_index.x / count, count);
}

void cluster_barrier() { meet(3, 0, static_cast<unsigned int>(fibers.size())); }

void wait_until(const std::function<bool()>& happened) {
  while (!happened()) swapcontext(&fibers[fiber()].context, &scheduler);
  moved = true;
}

void happen_late(std::function<void()> event) { late.push_back(std::move(event)); }

unsigned char* shared_memory(unsigned int rank) {
  const auto at = reinterpret_cast<std::uintptr_t>(memories[rank].data());
  return memories[rank].data() + (kAlignment - at % kAlignment) % kAlignment;
}
unsigned char* shared_memory() { return shared_memory(rank_in_cluster); }

void forbid(const char* what) {
  std::printf("FAIL: %s\n", what);
  std::exit(1);
}

void launch(Index grid, unsigned int threads, std::size_t shared_bytes,
            const std::function<void()>& kernel, unsigned int cluster) {
  const std::size_t together = std::size_t{threads} * cluster;
  if (together > kMostThreads) forbid("more threads at a time than are emulated");
  fibers.clear();
  fibers.resize(together);
  // NaN in every format
  memories.assign(cluster, std::vector<unsigned char>(shared_bytes + kAlignment, 0xff));
  grid_size = grid;
  block_size = {threads, 1, 1};
  running = &kernel;
  for (unsigned int z = 0; z < grid.z; ++z) {
    for (unsigned int y = 0; y < grid.y; ++y) {
      for (unsigned int x = 0; x < grid.x; x += cluster) run_blocks({x, y, z});
    }
  }
}

}  // namespace emulated
