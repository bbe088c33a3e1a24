#pragma once

// What a step costs beside the operators of the model: the optimizer, communication between ranks,
// and the way of a batch to the device.

#include "estimate/quantity.h"
#include "estimate/time_rates.h"

#include <cstdint>
#include <optional>
#include <string>

namespace gpulint {

/// Passes over the parameters of one rank after the backward pass.
struct OptimizerWork {
  double bytes = 0;
  double launches = 0;
  bool waits = false;  // between tensors, for an answer of the device: nothing hides its launches
  std::string arithmetic;
};
OptimizerWork optimizer_work(const TrainingPlan& plan, double parameters, double tensors,
                             bool loss_scaled);

/// How a model is spread over ranks; 1 where nothing says otherwise.
struct Ranks {
  double data = 1;
  double tensor = 1;
  double pipeline = 1;
  double context = 1;
  double per_host = 1;
  double hosts = 1;
  bool known = true;  // false: the number of data-parallel ranks is not stated
  double model_parts() const { return tensor * pipeline; }
};
Ranks ranks_of(const TrainingPlan& plan, const Host* host);

/// One micro-batch and one step of a rank, as far as communication cares.
struct StepTraffic {
  double parameters = 0;      // of the part of the model this rank computes
  double gradient_bytes = 0;  // of those, all of them
  double gathered_bytes = 0;  // weights in the format they compute in
  double boundary_bytes = 0;  // activations between two blocks
  double blocks = 0;          // checkpointing blocks: layers that tensor-parallel ranks share
  double forward = 0;         // seconds of one micro-batch
  double backward = 0;
  double micro_batches = 1;
};
struct Communication {
  Range exposed;           // seconds per optimizer step that nothing hides
  std::string arithmetic;  // empty when ranks exchange nothing
};
Communication communication(const TrainingPlan& plan, const Gpu& gpu, const Ranks& ranks,
                            const StepTraffic& traffic, UnknownFacts& unknown);

/// Seconds until a micro-batch of `bytes` is on the device.
Range batch_transfer(const TrainingPlan& plan, const Gpu& gpu, double bytes);

/// Samples per second one rank's loader hands out; nullopt when nobody stated a rate.
std::optional<RateInterval> loader_rate(const TrainingPlan& plan, const Ranks& ranks,
                                        UnknownFacts& unknown);

}  // namespace gpulint
