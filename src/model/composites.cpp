#include "model/composites.h"

#include <algorithm>

namespace gpulint::model {

namespace {

bool is_target(const ExecutionOptions& options, const std::string& name) {
  if (options.lora_rank <= 0 || name.empty()) return false;
  return std::any_of(options.lora_targets.begin(), options.lora_targets.end(),
                     [&](const std::string& target) { return target == "*" || target == name; });
}

/// Low-rank update of a linear layer of [out, in]: two small linears and the scaling.
Tensor low_rank_update(Machine& machine, const Tensor& x, const Dims& sizes) {
  machine.tape.enter_section(kAdapterSection);
  const Tensor down = machine.tape.parameter({machine.options.lora_rank, sizes[1]});
  const Tensor up = machine.tape.parameter({sizes[0], machine.options.lora_rank});
  machine.tape.leave_section();
  const Tensor narrow = linear(machine.tape, x, down, {});
  return scale(machine.tape, linear(machine.tape, narrow, up, {}));
}

}  // namespace

Tensor adapted_linear(Machine& machine, const Tensor& x, const LinearLayer& layer) {
  const Dims sizes{layer.out, x.size(-1)};
  const Tensor weight = machine.weight(layer.shared, sizes);
  const Tensor offset = layer.bias ? machine.tape.parameter({sizes[0]}) : Tensor{};
  const Tensor y = linear(machine.tape, x, weight, offset);
  if (!is_target(machine.options, layer.name) || machine.tape.refused()) return y;
  return add(machine.tape, y, low_rank_update(machine, x, sizes));
}

}  // namespace gpulint::model
