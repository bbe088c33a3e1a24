#pragma once

// CPU time of a piece of work, measured again and again.

#include <algorithm>
#include <ctime>
#include <functional>
#include <vector>

namespace gpulint::bench {

/// Of this process.
inline double cpu_milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

class Stopwatch {
 public:
  void time(const std::function<void()>& work) {
    const double begin = cpu_milliseconds();
    work();
    times_.push_back(cpu_milliseconds() - begin);
  }
  /// Milliseconds; something must have been timed.
  double median() {
    std::sort(times_.begin(), times_.end());
    return times_[times_.size() / 2];
  }

 private:
  std::vector<double> times_;
};

}  // namespace gpulint::bench
