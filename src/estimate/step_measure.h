#pragma once

// One execution of a model's operators, reduced to the sums an estimate is made of.

#include "base/units.h"
#include "expr/value.h"
#include "model/footprint.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace gpulint {

using ModelDimensions = std::map<std::string, expr::Value>;

struct StepMeasure {
  std::int64_t parameters = 0;
  std::int64_t trainable_parameters = 0;
  std::int64_t largest_parameter = 0;  // elements
  Bytes gradients;                     // of all trainable weights
  Bytes inputs;                        // batch and labels on the device
  Bytes buffers;                       // running statistics, masks
  Bytes saved;                         // held by autograd when the loss is ready
  Bytes weight_casts;                  // autocast's copies at the end of the forward pass
  Bytes forward_peak;                  // above what is there before the step
  Bytes backward_peak;                 // likewise, with the gradients made so far
  Bytes gradients_at_backward_peak;
  Bytes weight_casts_at_backward_peak;
  Bytes largest_convolution;  // output of one convolution
  bool fused_attention = false;
};

/// Runs the program at one batch size; the refusal names what does not fit.
Result<StepMeasure> measure_step(const model::ModelLibrary::Found& model,
                                 const ModelDimensions& dimensions, const model::TapeOptions& tape,
                                 const model::ExecutionOptions& execution);

}  // namespace gpulint
