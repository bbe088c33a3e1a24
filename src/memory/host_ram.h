#pragma once

#include "memory/sharding.h"
#include "plan/training_plan.h"
#include "run/quantity.h"

#include <optional>

namespace gpulint {

/// Memory of one host with all its ranks and loaders. nullopt when the loader's workers or the size
/// of its batches are unknown. `states` (may be null) tells what is offloaded to the host.
std::optional<RamEstimate> host_ram(const ResolvedRun& run, const ModelStates* states,
                                    UnknownFacts& unknown);

/// Model states in the memory of one host, all its ranks together.
Interval offloaded_to_host(const ResolvedRun& run, const ModelStates& states);

/// plan.ram, else the host's.
std::optional<Bytes> available_ram(const TrainingPlan& plan, const Host* host);
/// plan.shm, else the host's, else the half of its RAM that Linux gives /dev/shm.
std::optional<Bytes> available_shm(const TrainingPlan& plan, const Host* host);

}  // namespace gpulint
