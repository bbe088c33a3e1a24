#pragma once

// What the VRAM of a run can be computed from, and the estimate made of the best of it.

#include "memory/footprint.h"
#include "memory/measured.h"
#include "memory/memory_estimate.h"
#include "memory/sharding.h"
#include "run/estimate_request.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace gpulint {

/// Each source with the facts it missed: measured points make those about the model unnecessary.
struct VramSources {
  std::optional<ModelFootprint> footprint;
  std::optional<ModelStates> states;
  std::vector<MeasuredPoint> points;
  UnknownFacts missing_for_model;
  UnknownFacts missing_for_points;
};

/// `batch`: samples per device; unset: none is stated.
VramSources vram_sources(const EstimateRequest& request, std::optional<std::int64_t> batch);

/// Better known first: a line of the user's own measurements, operators of a known model, one
/// measured point, stated activations, states. Without any of them, what the process itself takes
/// on the target; nullopt without a target too.
std::optional<VramEstimate> vram_from(const EstimateRequest& request, const VramSources& sources,
                                      std::optional<std::int64_t> batch);

/// Upper end of the memory needed at a batch of that many samples per device, whatever the plan
/// states; nullopt where activations are unknown.
std::optional<Bytes> vram_needed_at_most(const EstimateRequest& request, const VramSources& sources,
                                         std::int64_t batch);

}  // namespace gpulint
