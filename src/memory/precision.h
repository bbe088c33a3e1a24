#pragma once

#include "plan/training_plan.h"
#include "run/quantity.h"

#include <string_view>

namespace gpulint {

/// Bytes per parameter of everything that follows from the precision mode.
struct NumberFormats {
  Range weight;
  Range autocast_copy;  // 16-bit copy kept from its first use in forward to its last in backward
  Range gradient;
  Range state_value;  // one optimizer value
  Range master = {};  // fp32 copy of a 16-bit weight, which the optimizer updates
  bool half = false;  // the matrix work runs in 16 (or 8) bits
};

NumberFormats number_formats(const TrainingPlan& plan, UnknownFacts& unknown);

/// A 16-bit format by name.
inline bool is_half(std::string_view dtype) { return dtype == "fp16" || dtype == "bf16"; }

/// bf16, or a 16-bit format that the GPU decides.
bool may_be_bf16(std::string_view mixed_precision);

/// Something of 16-bit weights is stated to be kept in fp32 beside them.
bool keeps_masters(const TrainingPlan& plan);

/// Matrix work in 16 or 8 bits: autocast, or 16-bit weights.
bool runs_in_half_precision(const TrainingPlan& plan);

/// Bytes of one quantized weight and its share of the scales; zero without quantization.
Range quantized_bytes(const TrainingPlan& plan);

/// Bytes of one weight of a quantized base model, its scales and the parts left unquantized;
/// exactly zero when the plan states no quantization.
Range quantized_weight_bytes(const TrainingPlan& plan, std::int64_t parameters,
                             UnknownFacts& unknown);

}  // namespace gpulint
