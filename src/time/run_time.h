#pragma once

#include "catalog/hardware.h"
#include "run/estimate_request.h"
#include "run/quantity.h"
#include "time/step_time.h"

#include <cstdint>
#include <optional>

namespace gpulint {

/// Steps, time and cost of a whole run.
struct RunTime {
  std::optional<std::int64_t> steps_per_epoch;  // optimizer steps
  std::optional<std::int64_t> run_steps;
  std::optional<StepTime> step_time;             // of one optimizer step
  std::optional<RateInterval> throughput;        // samples/s over all devices
  std::optional<RateInterval> token_throughput;  // tokens/s, where samples are sequences
  std::optional<TimeInterval> epoch_time;
  std::optional<TimeInterval> run_time;
  std::optional<CostInterval> cost;
  std::optional<Price> price;  // the host's dated one, where no fact states it
};

/// Steps, and time and cost where a step time is given: nothing here invents a speed.
RunTime run_time(const EstimateRequest& request, UnknownFacts& unknown);

}  // namespace gpulint
