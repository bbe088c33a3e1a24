#pragma once

#include "memory/footprint.h"
#include "memory/sharding.h"
#include "run/resolved_run.h"

#include <optional>

namespace gpulint {

/// How much of the result is wanted: a search over batches needs the total only.
enum class Detail : std::uint8_t { total_only, full };

/// Open facts decide most of the memory: its centre is one guess of several.
bool is_undecided(const VramEstimate& vram);

/// Peak of one training step built up from the network's footprint.
VramEstimate built_up_vram(const ResolvedRun& run, const ModelFootprint& footprint,
                           const ModelStates& states, Detail detail);

}  // namespace gpulint
