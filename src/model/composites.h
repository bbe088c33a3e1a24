#pragma once

#include "model/operator_table.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace gpulint::model {

struct LinearLayer {
  std::int64_t out = 0;
  bool bias = true;
  std::string name = {};    // what adapters call it: "q_proj"
  std::string shared = {};  // name of a weight it shares; "" = its own
};

/// A linear layer with the adapter the options put on layers of its name: y = xW + s (xA)B.
Tensor adapted_linear(Machine& machine, const Tensor& x, const LinearLayer& layer);

}  // namespace gpulint::model
