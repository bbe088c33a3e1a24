#include "estimate/run_time.h"

#include "estimate/fact_access.h"

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

std::optional<double> price_per_hour(const TrainingPlan& plan, const Host* host,
                                     UnknownFacts& unknown) {
  if (plan.price_per_hour && plan.price_per_hour->value >= 0) return plan.price_per_hour->value;
  if (host != nullptr && host->price) return host->price->per_hour.dollars;
  unknown.push_back("price_per_hour");
  return std::nullopt;
}

void add_times(const EstimateRequest& request, double step, Estimate& result,
               UnknownFacts& unknown) {
  result.step_time = Seconds{step};
  if (const auto batch = global_batch(*request.plan)) {
    result.throughput = PerSecond{static_cast<double>(*batch) / step};
  }
  if (result.steps_per_epoch) {
    result.epoch_time = Seconds{static_cast<double>(*result.steps_per_epoch) * step};
  }
  if (!result.run_steps) return;
  result.run_time = Seconds{static_cast<double>(*result.run_steps) * step};
  const auto hosts = hosts_of_run(*request.plan);
  if (!hosts) unknown.push_back("nodes");
  const auto price = price_per_hour(*request.plan, request.host, unknown);
  if (!hosts || !price) return;
  result.cost =
      Money{result.run_time->value / kSecondsPerHour * *price * static_cast<double>(*hosts)};
}

}  // namespace

void add_run_length(const EstimateRequest& request, Estimate& result, UnknownFacts& unknown) {
  result.steps_per_epoch = steps_per_epoch(*request.plan, unknown);
  result.run_steps = run_steps(*request.plan, result.steps_per_epoch, unknown);
  const bool timed =
      request.step_time && request.step_time->value > 0 && std::isfinite(request.step_time->value);
  if (timed) {
    add_times(request, request.step_time->value, result, unknown);
  } else {
    unknown.push_back("step_time");
  }
}

}  // namespace gpulint
