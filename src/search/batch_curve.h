#pragma once

// Memory and pace against the per-device batch: what a picture of the choice between batches needs.

#include "run/estimate_request.h"
#include "run/quantity.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace gpulint {

struct BatchPoint {
  std::int64_t batch = 0;
  Interval needed;
  std::optional<PerSecond> throughput;  // samples/s of one device, whatever feeds it
};

/// The stated batch and doublings to both sides of it, in order, up to the first that the target
/// GPU cannot hold; empty where the batch, the GPU or the activations are unknown.
std::vector<BatchPoint> batch_curve(const EstimateRequest& request);

}  // namespace gpulint
