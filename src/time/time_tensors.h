#pragma once

#include "model/tape.h"
#include "plan/training_plan.h"
#include "time/step_time.h"

#include <vector>

namespace gpulint {

/// The three largest tensors autograd keeps for the backward pass, and what would shrink each.
std::vector<LargeTensor> largest_tensors(const model::Tape& tape, const TrainingPlan& plan);

}  // namespace gpulint
