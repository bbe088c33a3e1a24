#pragma once

// How large the input of a network is, as the facts of a run state it. Internal to this room.

#include "memory/step_ways.h"

#include <cstdint>
#include <optional>

namespace gpulint {

/// The side of a square with as many pixels as the stated rectangle.
std::optional<std::int64_t> image_side(const TrainingPlan& plan);

/// Fills the size of the input; false when nobody stated it. Models whose input is something else
/// (latents, noise) have no fact yet.
bool set_input_size(ModelDimensions& dimensions, const TrainingPlan& plan,
                    const model::ModelLibrary::Found& found, UnknownFacts& unknown);

}  // namespace gpulint
