#pragma once

#include "model/operator_table.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace gpulint::model {

struct LinearLayer {
  std::int64_t out = 0;
  bool bias = true;
  std::string name = {};    // what adapters call it: "q_proj"
  std::string shared = {};  // name of a weight it shares; "" = its own
  Tensor weight = {};       // computed by the program; unknown = a parameter of the layer
  Tensor offset = {};       // likewise
};

/// Query, key and value from one weight, as rows side by side.
struct PackedLinear {
  std::array<std::int64_t, 3> out{};  // of query, key and value
  bool bias = true;
};

/// A linear layer with the adapter the options put on layers of its name: y = xW + s (xA)B.
Tensor adapted_linear(Machine& machine, const Tensor& x, const LinearLayer& layer);

/// The same of one layer that stands for three: an adapter may be on any of q_proj, k_proj and
/// v_proj; those share what they read, and what they add is padded to the whole width.
Tensor adapted_packed_linear(Machine& machine, const Tensor& x, const PackedLinear& layer);

}  // namespace gpulint::model
