#pragma once

#include "plan/training_plan.h"
#include "run/quantity.h"

namespace gpulint {

/// What an optimizer keeps and borrows, per trainable parameter.
struct OptimizerMemory {
  /// Values kept in the dtype of the parameters it updates (momentum, second moment, …).
  Range state_values;
  /// Bytes kept whatever that dtype is (8-bit states with their scales, factored moments).
  Range state_bytes;
  /// Values borrowed during one step and given back: the multi-tensor ("foreach") implementation
  /// works on copies of the whole parameter list.
  Range step_values;
  bool paged = false;  // states may live in host memory
};

/// What is known of `plan.optimizer`; names what is missing.
OptimizerMemory optimizer_memory(const TrainingPlan& plan, UnknownFacts& unknown);

}  // namespace gpulint
