#pragma once

#include "run/estimate_request.h"
#include "run/quantity.h"
#include "time/step_time.h"

#include <cstdint>
#include <optional>

namespace gpulint {

enum class StepDetail : std::uint8_t {
  whole,
  total  // without terms, costliest operators and largest tensors
};

/// The time of one optimizer step from the operators of the model the plan names and the GPU's
/// achievable rates; nullopt where model, sizes, batch or GPU are unknown (named in `unknown`).
std::optional<StepTime> predict_step_time(const EstimateRequest& request, UnknownFacts& unknown,
                                          StepDetail detail = StepDetail::whole);

}  // namespace gpulint
