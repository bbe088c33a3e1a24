#include "host/worker_rates.h"

#include "base/platform.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace gpulint::probe {
namespace {

/// Each on a cache line of its own.
struct alignas(64) Counter {
  std::atomic<std::uint64_t> rounds;
  std::atomic<std::int64_t> second_round;  // nanoseconds of it; the first one warms up
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// Zeroed memory that forked processes share.
class SharedCounters {
 public:
  explicit SharedCounters(std::size_t count) : bytes_(count * sizeof(Counter)) {
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  }
  SharedCounters(const SharedCounters&) = delete;
  SharedCounters& operator=(const SharedCounters&) = delete;
  ~SharedCounters() {
    if (ready()) munmap(memory_, bytes_);
  }
  bool ready() const { return memory_ != MAP_FAILED; }
  Counter& operator[](std::size_t index) const { return static_cast<Counter*>(memory_)[index]; }
  std::uint64_t sum() const {
    std::uint64_t rounds = 0;
    for (std::size_t i = 0; i < bytes_ / sizeof(Counter); ++i) rounds += (*this)[i].rounds.load();
    return rounds;
  }
  bool all_began() const {
    for (std::size_t i = 0; i < bytes_ / sizeof(Counter); ++i) {
      if ((*this)[i].rounds.load() == 0) return false;
    }
    return true;
  }

 private:
  std::size_t bytes_;
  void* memory_;
};

[[noreturn]] void be_worker(int worker, Counter& counter, const std::function<Round(int)>& make) {
  end_with_parent();
  try {
    const Round round = make(worker);
    if (!round || !round()) _exit(1);
    const auto start = std::chrono::steady_clock::now();
    if (!round()) _exit(1);
    counter.second_round.store((std::chrono::steady_clock::now() - start).count());
    do {
      counter.rounds.fetch_add(1);
    } while (round());
  } catch (...) {
  }
  _exit(1);
}

/// Processes that are ended with this.
class Workers {
 public:
  Workers(int count, const SharedCounters& counters, const std::function<Round(int)>& make) {
    for (int i = 0; i < count; ++i) {
      const pid_t child = fork();
      if (child == 0) be_worker(i, counters[static_cast<std::size_t>(i)], make);
      if (child < 0) {
        complete_ = false;
        return;
      }
      children_.push_back(child);
    }
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() {
    for (const pid_t child : children_) kill(child, SIGKILL);
    for (const pid_t child : children_) waitpid(child, nullptr, 0);
  }
  /// Workers never end by themselves unless they failed.
  bool all_alive() {
    for (auto child = children_.begin(); child != children_.end(); ++child) {
      if (waitpid(*child, nullptr, WNOHANG) == 0) continue;
      children_.erase(child);
      return false;
    }
    return complete_;
  }

 private:
  std::vector<pid_t> children_;
  bool complete_ = true;
};

/// Counting whole rounds is off by one at either end.
std::chrono::milliseconds interval_for(const WorkerPlan& plan, std::int64_t round_nanoseconds) {
  constexpr std::int64_t kRounds = 20;
  const auto wanted = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::nanoseconds(round_nanoseconds * kRounds / std::max(plan.workers, 1)));
  return std::clamp(wanted, plan.interval, 3 * plan.interval);
}

}  // namespace

std::optional<std::vector<double>> worker_rates(const WorkerPlan& plan,
                                                const std::function<Round(int)>& make) {
  using Clock = std::chrono::steady_clock;
  const SharedCounters counters(static_cast<std::size_t>(std::max(plan.workers, 1)));
  if (!counters.ready()) return std::nullopt;
  Workers workers(std::max(plan.workers, 1), counters, make);
  while (!counters.all_began()) {
    if (!workers.all_alive()) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::this_thread::sleep_for(plan.warm_up);
  const std::chrono::milliseconds interval = interval_for(plan, counters[0].second_round.load());
  std::vector<double> rates;
  std::uint64_t before = counters.sum();
  Clock::time_point since = Clock::now();
  for (int i = 0; i < plan.intervals; ++i) {
    std::this_thread::sleep_for(interval);
    const std::uint64_t after = counters.sum();
    const Clock::time_point now = Clock::now();
    rates.push_back(static_cast<double>(after - before) /
                    std::chrono::duration<double>(now - since).count());
    before = after;
    since = now;
  }
  if (!workers.all_alive()) return std::nullopt;
  return rates;
}

}  // namespace gpulint::probe
