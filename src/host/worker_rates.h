#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

namespace gpulint::probe {

struct WorkerPlan {
  int workers = 1;
  std::chrono::milliseconds warm_up{50};
  /// The period over which quotas are granted; three times as long where rounds are slow.
  std::chrono::milliseconds interval{100};
  int intervals = 6;
};

/// One round of work; false: it failed.
using Round = std::function<bool()>;

/// Rounds per second of all workers together, by interval. Workers are processes, as those of a
/// data loader are; each gets its round from `make` and repeats it until it is ended. nullopt where
/// one could not be started or failed.
std::optional<std::vector<double>> worker_rates(const WorkerPlan& plan,
                                                const std::function<Round(int worker)>& make);

}  // namespace gpulint::probe
