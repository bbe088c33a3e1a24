#pragma once

// Steps that were measured before. A search for the largest batch, a matrix of GPUs and the rules
// of one config ask for the same step again and again: the operators do not depend on the GPU
// beyond the ways a step may run.

#include "estimate/step_measure.h"

#include <cstddef>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace gpulint {

/// All that decides the outcome of measure_step.
struct StepQuestion {
  const model::Program* program = nullptr;
  ModelDimensions dimensions;
  model::TapeOptions tape;
  model::ExecutionOptions execution;
  bool merged_kernels = false;
  std::optional<ReplayOptions> replay;
  friend bool operator==(const StepQuestion&, const StepQuestion&) = default;
};

class StepMemo {
 public:
  /// As measure_step, which is asked what is not remembered. Thread-safe; programs must outlive
  /// this object.
  Result<StepMeasure> measure(const model::ModelLibrary::Found& found,
                              const ModelDimensions& dimensions, const model::TapeOptions& tape,
                              const model::ExecutionOptions& execution, bool merged_kernels,
                              const ReplayOptions* replay = nullptr);

 private:
  struct Answer {
    StepQuestion question;
    Result<StepMeasure> step;
  };
  std::mutex mutex_;  // guards answers_; never held while operators run
  std::unordered_multimap<std::size_t, Answer> answers_;
};

}  // namespace gpulint
