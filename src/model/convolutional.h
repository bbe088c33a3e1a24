#pragma once

// How much of a network is convolution: what decides whether the memory layout of its feature maps
// matters.

#include "model/program.h"
#include "model/tape.h"

#include <map>
#include <optional>
#include <string>

namespace gpulint::model {

/// Share, 0 to 1, of the forward work (FLOPs) of all matrix products and convolutions that belongs
/// to convolutions. A product that looks at one position at a time (a linear layer, a 1 x 1
/// convolution, a patch embedding whose windows do not overlap) belongs to what mixed positions
/// last: convolutions with overlapping windows, or attention, products of activations and recurrent
/// layers. So the linear layers of a ConvNeXt count as its convolutions do, those of a vision
/// transformer never. 0 for a tape without products.
double convolution_share(const Tape& tape);

/// Whether at least half of the work of `program`'s forward pass at batch 1 belongs to
/// convolutions. `dimensions` are those of the model (`ModelEntry::dimensions`) and of the config;
/// a dimension that neither the file nor they give leaves the answer unknown, except for a program
/// without any convolution, which is not run.
std::optional<bool> is_convolutional(const Program& program,
                                     std::map<std::string, expr::Value> dimensions);

}  // namespace gpulint::model
