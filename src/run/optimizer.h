#pragma once

#include "catalog/knowledge.h"
#include "plan/training_plan.h"
#include "run/adapter.h"
#include "run/quantity.h"

namespace gpulint {

/// The optimizer of a run: what its file says under the options of the run. Amounts are per
/// trainable parameter.
struct Optimizer {
  const OptimizerTraits* traits = nullptr;  // nullptr: not named, or described nowhere
  /// Values kept in the dtype of the parameters it updates (momentum, second moment, …).
  Range state_values;
  /// Bytes kept whatever that dtype is (8-bit states with their scales, factored moments).
  Range state_bytes;
  /// Values borrowed during one step and given back: the multi-tensor ("foreach") implementation
  /// works on copies of the whole parameter list.
  Range step_values;
  bool paged = false;    // states may live in host memory
  UnknownFacts unknown;  // what would narrow the amounts

  /// `adapter`: whose weights it updates.
  static Optimizer of(const TrainingPlan& facts, const Adapter& adapter);
};

}  // namespace gpulint
