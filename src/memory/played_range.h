#pragma once

#include "model/footprint.h"
#include "run/quantity.h"
#include "run/resolved_run.h"

namespace gpulint {

/// What the live bytes of a step may be against those the operators of a model were played with.
inline constexpr Range kOfPlayed{0.93, 1.0, 1.22};

/// The same for one run: by the kind of model and whose code runs it, and what the facts leave open
/// beside the ways its step may run.
Range played_range(const ResolvedRun& run, const model::ModelLibrary::Found& found,
                   bool partly_frozen);

}  // namespace gpulint
