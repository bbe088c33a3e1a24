#pragma once

// What a step costs beside the operators of the model: the optimizer, communication between ranks,
// and the way of a batch to the device.

#include "plan/layout.h"
#include "run/quantity.h"
#include "run/resolved_run.h"
#include "time/exchanges.h"
#include "time/step_time.h"
#include "time/time_rates.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gpulint {

/// What one rank updates.
struct UpdatedTensors {
  double parameters = 0;  // values of one rank's share
  double tensors = 0;     // trainable ones
  double buffers = 0;     // beside them in the state_dict: statistics of norms
};

/// Passes over the parameters of one rank after the backward pass. `waits`: before it starts, or
/// between tensors, the host waits for an answer of the device, so that nothing hides its launches.
/// `GradScaler.step` does: it reads whether a gradient is infinite (torch/amp/grad_scaler.py).
struct OptimizerWork {
  double bytes = 0;
  double launches = 0;
  bool waits = false;
  std::string arithmetic;
};
OptimizerWork optimizer_work(const ResolvedRun& run, const UpdatedTensors& updated,
                             bool loss_scaled);

/// One micro-batch and one step of a rank, as far as communication cares.
struct StepTraffic {
  Bytes gradients;          // of the part of the model this rank computes, all of them
  Bytes gathered;           // weights of that part in the format they compute in
  Bytes boundary;           // activations between two layers
  std::int64_t layers = 1;  // that tensor-parallel ranks share
  Seconds forward;          // of one micro-batch
  Seconds backward;
  double micro_batches = 1;
};
struct Communication {
  TimeInterval exposed;    // per optimizer step, that nothing hides
  std::string arithmetic;  // empty when ranks exchange nothing
  std::vector<Exchange> exchanges;
};
Communication communication(const TrainingPlan& plan, const Gpu& gpu, const Layout& layout,
                            const StepTraffic& traffic, UnknownFacts& unknown);

/// Until a micro-batch of that many bytes is on the device.
TimeInterval batch_transfer(const TrainingPlan& plan, const Gpu& gpu, Bytes batch);

/// Samples per second that one rank's loader delivers; nullopt when nobody stated a rate.
std::optional<RateInterval> loader_rate(const TrainingPlan& plan, const Layout& layout,
                                        UnknownFacts& unknown);

}  // namespace gpulint
