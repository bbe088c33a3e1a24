#include "lint/parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace gpulint {
namespace {

/// Below this many files per thread, starting the thread costs more than it saves (about 50 us
/// against 100 us per file).
constexpr std::size_t kMinPerThread = 8;

}  // namespace

void for_each_index(std::size_t count, unsigned jobs,
                    const std::function<void(std::size_t)>& work) {
  std::size_t threads = jobs != 0 ? jobs : std::max(1U, std::thread::hardware_concurrency());
  threads = std::min(threads, count / kMinPerThread + 1);
  std::atomic<std::size_t> next{0};
  const auto take = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::thread> helpers;
  for (std::size_t i = 1; i < threads; ++i) helpers.emplace_back(take);
  take();
  for (std::thread& helper : helpers) helper.join();
}

}  // namespace gpulint
