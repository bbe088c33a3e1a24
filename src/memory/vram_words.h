#pragma once

// What an estimate of VRAM says about itself: what it counts, what it leaves out, and why.

#include "memory/footprint.h"
#include "memory/sharding.h"
#include "run/resolved_run.h"

#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// Behind the explanation where open facts decide most of the memory.
inline constexpr std::string_view kUndecidedWords = "; unknown facts decide most of it";

/// Parts of the job that nobody counts; none where it is stated what the script keeps.
std::vector<std::string> missing_parts(const ResolvedRun& run);

/// `missing`: what `missing_parts` gives.
std::string explanation_of(const ResolvedRun& run, const ModelFootprint& footprint,
                           const ModelStates& states, const std::vector<std::string>& missing,
                           bool undecided);

}  // namespace gpulint
