#pragma once

#include "model/operator_cost.h"
#include "time/step_time.h"
#include "time/time_rates.h"

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>

namespace gpulint {

/// One micro-batch of the whole model on one device.
struct MicroBatch {
  std::array<double, model::kKernelKinds> seconds{};
  double forward = 0;
  double backward = 0;
  double recomputed = 0;
  double launches = 0;
  double flops = 0;  // of the model: recomputation is not progress
  std::map<std::tuple<std::string_view, model::MatrixProduct, std::int64_t>, OperatorTime>
      operators;
  double bound[5] = {};  // seconds by bottleneck
};

/// Every operator forward, backward and, in recomputed blocks, forward again. `list_operators`
/// fills `operators`.
MicroBatch time_micro_batch(const model::Tape& tape, const DeviceRates& rates,
                            const TrainingPlan& plan, bool list_operators);

}  // namespace gpulint
