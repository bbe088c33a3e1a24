#pragma once

#include "device/step_report.h"
#include "time/step_replay.h"

#include <chrono>
#include <functional>
#include <optional>

namespace gpulint::probe {

/// One timing of a kernel, and what repetition scatters over.
struct OneTiming {
  Seconds time;
  Seconds noise;
  bool exact = false;  // by the library, not by a kernel of ours
};

/// What the replay asks of a device; nullopt where it cannot.
struct ReplayTimers {
  std::function<std::optional<OneTiming>(const ReplayProduct&)> product;
  /// A copy that reads and writes `bytes` together.
  std::function<std::optional<OneTiming>(Bytes bytes)> copy;
};

/// Times the plan's products in both formats, and its passes; begins nothing after `end`.
StepReport replay_step(const StepReplayPlan& plan, const ReplayTimers& timers,
                       std::chrono::steady_clock::time_point end);

}  // namespace gpulint::probe
