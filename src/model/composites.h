#pragma once

#include "model/operator_table.h"

namespace gpulint::model {

/// A linear layer with the adapter the options put on layers of its name: y = xW + scale (xA)B.
/// `sizes` = [out, in]. A layer named like another one shares its weight.
Tensor adapted_linear(Machine& machine, const Tensor& x, const std::string& name, const Dims& sizes,
                      bool bias);

}  // namespace gpulint::model
