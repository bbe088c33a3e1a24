// Untested on hardware. A step is rebuilt from what the device takes for its largest products, each
// at its own shape and format, and for its passes over memory, by a copy of the size of an average
// one. What was not timed counts as predicted. The formats take turns, so that a short budget cuts
// both alike and heat does not favour one.

#include "device/step_replay.h"

#include "device/stop_signals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gpulint::probe {
namespace {

using Clock = std::chrono::steady_clock;

/// A smaller copy would time its launch, a larger one takes memory for nothing.
constexpr double kSmallestPass = 1 << 20;
constexpr double kLargestPass = 256 << 20;

/// `times` of what was timed once, a sensible time or nothing.
std::optional<TimedPart> part_of(const std::optional<OneTiming>& once, double times,
                                 Seconds predicted) {
  if (!once || !(once->time.value > 0) || !std::isfinite(times)) return std::nullopt;
  return TimedPart{.predicted = predicted,
                   .measured = Seconds{once->time.value * times},
                   .noise = Seconds{once->noise.value * times},
                   .exact = once->exact};
}

class Replay {
 public:
  Replay(const ReplayTimers& timers, Clock::time_point end) : timers_(timers), end_(end) {}

  void time_product(const StepReplay& plan, std::size_t index, TimedStep& step) {
    if (index >= plan.products.size()) return;
    const ReplayProduct& product = plan.products[index];
    if (late(name_of(product.precision))) return;
    const auto time = part_of(timers_.product(product), product.repeats * product.over_product,
                              product.predicted);
    if (time) {
      step.products.push_back({product, *time});
      TimedPart& part = step.products.back().time;
      part.exact = part.exact && !product.reads_more;
    } else {
      skip(name_of(product.precision), "the device could not time them");
    }
  }

  void time_passes(const StepReplay& plan, TimedStep& step) {
    const ReplayPasses& passes = plan.passes;
    if (!(passes.copy_bytes > 0) || late("passes")) return;
    const double bytes = std::clamp(passes.pass_bytes, kSmallestPass, kLargestPass);
    step.passes =
        part_of(timers_.copy(Bytes::rounded(bytes)), passes.copy_bytes / bytes, passes.predicted);
    if (!step.passes) skip("passes", "the device could not time them");
  }

  std::vector<std::string> take_skipped() { return std::move(skipped_); }

 private:
  bool late(std::string_view what) {
    if (Clock::now() < end_ && stop_signal() == 0) return false;
    skip(what, "out of time");
    return true;
  }
  /// Once for each kind of work.
  void skip(std::string_view what, std::string_view why) {
    std::string line = fmt::format("step replay, {}: {}", what, why);
    if (std::find(skipped_.begin(), skipped_.end(), line) == skipped_.end()) {
      skipped_.push_back(std::move(line));
    }
  }

  const ReplayTimers& timers_;
  Clock::time_point end_;
  std::vector<std::string> skipped_;
};

TimedStep predicted(const StepReplay& plan) {
  TimedStep step;
  step.low = plan.step.low;
  step.central = plan.step.central;
  step.high = plan.step.high;
  return step;
}

}  // namespace

StepReport replay_step(const StepReplayPlan& plan, const ReplayTimers& timers,
                       Clock::time_point end) {
  StepReport report;
  report.full = predicted(plan.full);
  report.half = predicted(plan.half);
  report.runs_half = plan.runs_half;
  report.half_format = plan.half_format;
  report.figures = plan.figures;
  Replay replay(timers, end);
  replay.time_passes(plan.half, report.half);
  replay.time_passes(plan.full, report.full);
  const std::size_t most = std::max(plan.full.products.size(), plan.half.products.size());
  for (std::size_t i = 0; i < most; ++i) {
    replay.time_product(plan.half, i, report.half);
    replay.time_product(plan.full, i, report.full);
  }
  report.not_timed = replay.take_skipped();
  return report;
}

}  // namespace gpulint::probe
