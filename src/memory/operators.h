#pragma once

#include "memory/footprint.h"
#include "memory/step_measure.h"
#include "memory/tape_memo.h"
#include "run/resolved_run.h"

#include <cstdint>
#include <optional>

namespace gpulint {

/// From the operators of the model the plan names, at `per_device_batch_size` samples. nullopt when
/// it names none that is known. Where the input size is not stated, or the model refuses it,
/// activations stay unknown and only parameters are filled in; missing names go to `unknown`.
std::optional<ModelFootprint> operator_footprint(const ResolvedRun& run,
                                                 std::optional<std::int64_t> per_device_batch_size,
                                                 UnknownFacts& unknown);

/// How the allocator and the optimizer of a plan behave in a replay of its step.
ReplayOptions replay_options(const ResolvedRun& run);

/// The sizes a plan gives a model's program, all but `batch`; nullopt where it does not state the
/// size of the input (named in `unknown`).
std::optional<ModelDimensions> program_dimensions(const TrainingPlan& plan,
                                                  const model::ModelLibrary::Found& found,
                                                  UnknownFacts& unknown);

}  // namespace gpulint
