#pragma once

#include "plan/map_keys.h"
#include "plan/training_plan.h"

#include <span>

namespace gpulint {

/// Fills what follows from known facts; each derived fact names its sources in `detail`. A fact
/// whose key is there but not understood (`blocked`) is neither derived nor assumed. Calling it
/// again after more facts became known derives more; nothing known is ever changed.
///   precision   mixed_precision from the fp16 and bf16 switches (both on: unknown)
///   devices     world_size = gpus_per_node x nodes and its inverse;
///               data_parallel_size = world_size / (tensor x pipeline x context)
///   batch       global = per_device x accumulation x data_parallel and its inverses; accumulation
///               that no key states counts as 1, and the result is then `assumed`
///   bytes       sample_bytes from the image shape (fp32) or the sequence length (three int64
///               tensors), batch_bytes = per_device_batch_size x sample_bytes
void derive(TrainingPlan& plan, std::span<const FactState> states);
/// The first of these alone: the config's own switches speak before another file of the run does.
void derive_mixed_precision(TrainingPlan& plan, std::span<const FactState> states);

}  // namespace gpulint
