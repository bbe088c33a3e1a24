#pragma once

#include "memory/footprint.h"
#include "plan/training_plan.h"
#include "run/resolved_run.h"

#include <string>

namespace gpulint {

/// Model states of one device, with what ZeRO/FSDP sharding, offloading and communication make of
/// them.
struct ModelStates {
  Interval weights;
  Interval autocast_copies;
  Interval gradients;
  Interval optimizer_state;
  Interval step_temporaries;
  Interval communication_buffers;  // gradient buckets
  Interval gathered_weights;       // whole layers and their gradients while they are at work
  Interval host_memory;            // offloaded to the host, per rank
  std::string sharding;            // words for the explanation; empty when nothing is sharded
};

ModelStates model_states(const ResolvedRun& run, const ModelFootprint& footprint,
                         UnknownFacts& unknown);

}  // namespace gpulint
