#include "model/composites.h"

namespace gpulint::model {

Tensor adapted_linear(Machine& machine, const Tensor& x, const std::string& name, const Dims& sizes,
                      bool bias) {
  const Tensor weight = machine.weight(name, sizes);
  const Tensor offset = bias ? machine.tape.parameter({sizes[0]}) : Tensor{};
  return linear(machine.tape, x, weight, offset);
}

}  // namespace gpulint::model
