#pragma once

// Operators of dense prediction and detection.

#include "model/tape.h"
#include "model/tensor.h"

#include <cstdint>

namespace gpulint::model {

/// Interpolation to the spatial sizes of `like`; a view where they are the same already.
Tensor resize_like(Tape& tape, const Tensor& x, const Tensor& like);

/// Class logits [n, classes, height, width] against a label map. The logits belong to the loss
/// function and go with it, unlike those a training loop keeps.
Tensor pixel_cross_entropy(Tape& tape, const Tensor& logits);

/// Features of `regions` boxes, [regions, channels, output, output]. Keeps the boxes, not the maps.
Tensor roi_align(Tape& tape, const Tensor& x, std::int64_t regions, std::int64_t output);

}  // namespace gpulint::model
