#include "probe/step_checks.h"

#include <fmt/format.h>

#include <cmath>

namespace gpulint::probe {
namespace {

/// With less of a step replayed, its time would mostly be compared with itself.
constexpr double kLeastShare = 0.5;
/// With less of it timed exactly, those parts say little of the step.
constexpr double kLeastWork = 0.25;

Check step_check(std::string name, std::string baseline, const Prediction& prediction,
                 Measurement measurement) {
  const Judgement judgement = judge(prediction, measurement);
  return {std::move(name), std::move(baseline), prediction, std::move(measurement), judgement};
}

std::string too_little(const TimedStep& step) {
  if (step.timed_share() >= kLeastShare) return "";
  return fmt::format("only {:.0f} % of the step could be replayed", 100 * step.timed_share());
}

std::string first_of(std::string first, std::string second) {
  return first.empty() ? std::move(second) : std::move(first);
}

Check check_time(const TimedStep& step, const std::string& figures,
                 const std::string& disturbed_by) {
  const TimedPart part = step.timed();
  return step_check(
      "step_time",
      fmt::format("the estimate's step by figures of {}; {:.0f} % of it replayed, the rest "
                  "as estimated",
                  figures, 100 * step.timed_share()),
      {Quantity::step_time, step.low.value, step.high.value},
      {.value = step.measured().value,
       .noise = part.noise.value,
       // Our own kernels show how long the work takes at most.
       .witness = part.exact ? Witness::exact : Witness::upper_bound,
       .disturbed_by = first_of(disturbed_by, too_little(step))});
}

/// The parts that were timed with what a framework uses, against the same parts of the estimate:
/// neither the bounds of other parts nor what was not timed widens this.
Check check_work(const TimedStep& step, const std::string& figures,
                 const std::string& disturbed_by) {
  const TimedPart part = step.exactly_timed();
  const double share = part.predicted.value / step.central.value;
  std::string undecided = disturbed_by;
  if (share < kLeastWork) {
    undecided = first_of(
        disturbed_by, fmt::format("only {:.0f} % of the step could be timed exactly", 100 * share));
  }
  return step_check("step_work",
                    fmt::format("the estimate's time by figures of {} for the {:.0f} % of the step "
                                "that were timed exactly",
                                figures, 100 * share),
                    {Quantity::step_work, part.predicted.value, part.predicted.value},
                    {.value = part.measured.value,
                     .noise = part.noise.value,
                     .disturbed_by = std::move(undecided)});
}

/// What a ratio of times, each at most what was measured unless exact, says.
struct RatioWitness {
  Witness witness = Witness::exact;
  std::string undecided;
};
RatioWitness witness_of(bool full_is_exact, bool half_is_exact) {
  if (full_is_exact && half_is_exact) return {};
  if (full_is_exact) return {Witness::lower_bound, ""};
  if (half_is_exact) return {Witness::upper_bound, ""};
  return {Witness::exact, "both formats were timed with our own kernels, which give no bound"};
}

Check check_speedup(const StepReport& report, const std::string& disturbed_by) {
  const TimedStep& full = report.full;
  const TimedStep& half = report.half;
  const double predicted = full.central.value / half.central.value;
  const double measured = full.measured().value / half.measured().value;
  const double scatter = noise_of_ratio(full.timed().noise.value / full.measured().value,
                                        half.timed().noise.value / half.measured().value);
  const RatioWitness witness = witness_of(full.timed().exact, half.timed().exact);
  const std::string unfit =
      first_of(first_of(too_little(full), too_little(half)), witness.undecided);
  return step_check(
      "amp_speedup",
      fmt::format("the estimate's step in fp32, with TF32 as the run has it, over that in {}",
                  report.half_format),
      {Quantity::amp_speedup, predicted, predicted},
      {.value = measured,
       .noise = scatter * measured,
       .witness = witness.witness,
       .disturbed_by = first_of(disturbed_by, unfit)});
}

}  // namespace

std::vector<Check> check_step(const StepReport& step, const std::string& disturbed_by) {
  std::vector<Check> checks;
  const TimedStep& own = step.runs_half ? step.half : step.full;
  if (own.central.value > 0) {
    checks.push_back(check_work(own, step.figures, disturbed_by));
    checks.push_back(check_time(own, step.figures, disturbed_by));
  }
  if (step.full.central.value > 0 && step.half.central.value > 0) {
    checks.push_back(check_speedup(step, disturbed_by));
  }
  return checks;
}

}  // namespace gpulint::probe
