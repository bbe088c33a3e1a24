// From the time of one step to an epoch, a run and its price. A step time somebody measured wins
// over one that is predicted.

#include "time/run_time.h"

#include "run/fact_access.h"
#include "time/time_step.h"

#include <cmath>
#include <optional>

namespace gpulint {
namespace {

constexpr double kSecondsPerHour = 3600;

// Optimizer steps per epoch; a last incomplete batch is a step unless it is dropped.
std::optional<std::int64_t> steps_per_epoch(const TrainingPlan& plan, UnknownFacts& unknown) {
  const auto samples = at_least(plan.dataset_samples, 1);
  const auto batch = global_batch(plan);
  if (!samples) unknown.push_back("dataset_samples");
  if (!batch) unknown.push_back("global_batch_size");
  if (!samples || !batch) return std::nullopt;
  const bool incomplete = *samples % *batch != 0 && !is_true(plan.drop_last);
  return *samples / *batch + (incomplete ? 1 : 0);
}

std::optional<std::int64_t> run_steps(const TrainingPlan& plan,
                                      std::optional<std::int64_t> per_epoch,
                                      UnknownFacts& unknown) {
  if (const auto steps = at_least(plan.max_steps, 1)) return steps;
  if (!plan.epochs || !(plan.epochs->value > 0)) {
    unknown.push_back("epochs");
    return std::nullopt;
  }
  if (!per_epoch) return std::nullopt;
  return saturating_round(std::ceil(static_cast<double>(*per_epoch) * plan.epochs->value));
}

std::optional<double> price_per_hour(const TrainingPlan& plan, const Host* host, RunTime& result,
                                     UnknownFacts& unknown) {
  if (plan.price_per_hour && plan.price_per_hour->value >= 0) return plan.price_per_hour->value;
  if (host != nullptr && host->price) {
    result.price = host->price;
    return host->price->per_hour.dollars;
  }
  unknown.push_back("price_per_hour");
  return std::nullopt;
}

std::optional<StepTime> stated_step_time(const EstimateRequest& request) {
  const Maybe<double>& fact = request.run.facts().step_time;
  std::optional<double> seconds;
  if (fact) seconds = fact->value;
  if (request.step_time) seconds = request.step_time->value;
  if (!seconds || !(*seconds > 0) || !std::isfinite(*seconds)) return std::nullopt;
  StepTime step;
  step.basis = TimeBasis::stated;
  step.total = {Seconds{*seconds}, Seconds{*seconds}, Seconds{*seconds}};
  step.explanation = "the step time is stated, not predicted";
  return step;
}

/// `amount` per step, as a rate: the slowest step gives the low end.
RateInterval rate_of(double amount, const TimeInterval& step) {
  return {PerSecond{amount / step.high.value}, PerSecond{amount / step.central.value},
          PerSecond{amount / step.low.value}};
}

void add_rates(const TrainingPlan& plan, const TimeInterval& step, RunTime& result) {
  const auto batch = global_batch(plan);
  if (!batch) return;
  const double samples = static_cast<double>(*batch);
  result.throughput = rate_of(samples, step);
  const auto tokens = at_least(plan.sequence_length, 1);
  if (tokens) result.token_throughput = rate_of(samples * static_cast<double>(*tokens), step);
}

void add_cost(const EstimateRequest& request, RunTime& result, UnknownFacts& unknown) {
  const auto hosts = request.run.layout().hosts;
  if (!hosts) unknown.push_back("nodes");
  const auto price = price_per_hour(request.run.facts(), request.run.host(), result, unknown);
  if (!hosts || !price || !result.run_time) return;
  const double per_second = *price / kSecondsPerHour * static_cast<double>(*hosts);
  const TimeInterval& run = *result.run_time;
  result.cost =
      CostInterval{Money{run.low.value * per_second}, Money{run.central.value * per_second},
                   Money{run.high.value * per_second}};
}

}  // namespace

RunTime run_time(const EstimateRequest& request, UnknownFacts& unknown) {
  RunTime result;
  result.steps_per_epoch = steps_per_epoch(request.run.facts(), unknown);
  result.run_steps = run_steps(request.run.facts(), result.steps_per_epoch, unknown);
  result.step_time = stated_step_time(request);
  if (!result.step_time && request.predict_time) {
    result.step_time = predict_step_time(request, unknown);
  }
  if (!result.step_time) {
    unknown.push_back("step_time");
    return result;
  }
  const TimeInterval& step = result.step_time->total;
  add_rates(request.run.facts(), step, result);
  if (result.steps_per_epoch)
    result.epoch_time = times(static_cast<double>(*result.steps_per_epoch), step);
  if (!result.run_steps) return result;
  result.run_time = times(static_cast<double>(*result.run_steps), step);
  add_cost(request, result, unknown);
  return result;
}

}  // namespace gpulint
