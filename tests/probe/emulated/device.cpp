#include "probe/emulated/device.h"

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <ucontext.h>
#include <vector>

namespace emulated {

Index thread_index;
Index block_index;
Index grid_size;
Index block_size;
Timing timing;

namespace {

constexpr std::size_t kStack = std::size_t{128} << 10;

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
std::vector<Meeting> meetings;  // by the count of threads and the group among them
const std::function<void()>* running = nullptr;
std::vector<unsigned char> memory;

void enter() {
  (*running)();
  fibers[thread_index.x].done = true;
  swapcontext(&fibers[thread_index.x].context, &scheduler);
}

void yield() {
  const unsigned int me = thread_index.x;
  swapcontext(&fibers[me].context, &scheduler);
}

void run_block(unsigned int threads) {
  meetings.assign(std::size_t{4} * threads, Meeting{});
  for (unsigned int i = 0; i < threads; ++i) {
    Fiber& fiber = fibers[i];
    fiber.done = false;
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = kStack;
    fiber.context.uc_link = &scheduler;
    makecontext(&fiber.context, enter, 0);
  }
  for (bool some = true; some;) {
    some = false;
    for (unsigned int i = 0; i < threads; ++i) {
      if (fibers[i].done) continue;
      some = true;
      thread_index = {i, 0, 0};
      swapcontext(&scheduler, &fibers[i].context);
    }
  }
}

}  // namespace

void barrier(unsigned int count) {
  // Groups of 32, 128 or all threads have meetings of their own.
  const unsigned int kind = count == 32 ? 0 : count == 128 ? 1 : 2;
  Meeting& meeting = meetings[kind * block_size.x + thread_index.x / count];
  const std::uint64_t held = meeting.held;
  if (++meeting.arrived == count) {
    meeting.arrived = 0;
    ++meeting.held;
    return;
  }
  while (meeting.held == held) yield();
}

unsigned char* shared_memory() {
  constexpr std::uintptr_t kAlignment = 1024;
  const auto at = reinterpret_cast<std::uintptr_t>(memory.data());
  return memory.data() + (kAlignment - at % kAlignment) % kAlignment;
}

void launch(Index grid, unsigned int threads, std::size_t shared_bytes,
            const std::function<void()>& kernel) {
  fibers.clear();
  fibers.resize(threads);
  memory.assign(shared_bytes + 1024, 0xff);  // NaN in every format
  grid_size = grid;
  block_size = {threads, 1, 1};
  running = &kernel;
  for (unsigned int z = 0; z < grid.z; ++z) {
    for (unsigned int y = 0; y < grid.y; ++y) {
      for (unsigned int x = 0; x < grid.x; ++x) {
        block_index = {x, y, z};
        run_block(threads);
      }
    }
  }
}

}  // namespace emulated
