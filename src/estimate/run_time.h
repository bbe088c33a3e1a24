#pragma once

#include "estimate/quantity.h"
#include "plan/training_plan.h"

namespace gpulint {

/// Steps, and time and cost where a step time is given: nothing here invents a speed.
void add_run_length(const EstimateRequest& request, Estimate& result, UnknownFacts& unknown);

}  // namespace gpulint
