#pragma once

#include "model/composites.h"

namespace gpulint::model {

/// A frozen layer that adapters of other forms than low rank may change: its product, its weight of
/// [out, in] and its bias (rank 0: none).
struct FrozenLayer {
  const Tensor& weight;
  const Tensor& bias;
};

/// What the adapter's first operator reads: x in the adapter's format, after its dropout.
Tensor adapter_input(Machine& machine, const Tensor& x);

/// A weight of the adapter, which is what is trained.
Tensor adapter_parameter(Tape& tape, const Dims& sizes);

/// Vectors over the outputs: a y, or a (y + b).
Tensor rescaled(Tape& tape, const Tensor& y, bool shifted);

/// True where the layer's own product of x and W does not run.
bool replaces_product(AdapterForm form);

/// Such a layer: x and a changed W, or a changed x and W.
Tensor replaced_product(Machine& machine, const Tensor& x, const FrozenLayer& layer);

struct AdaptedLayer {
  Dims sizes;  // of the weight: out, in
  std::string name;
};
/// What is added to y, the product of x and the layer's weight.
Tensor adapter_update(Machine& machine, const Tensor& x, const Tensor& y,
                      const AdaptedLayer& layer);

}  // namespace gpulint::model
