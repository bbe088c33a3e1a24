#include "model/composites.h"

#include <algorithm>

namespace gpulint::model {

namespace {

bool is_target(const ExecutionOptions& options, const std::string& name) {
  if (options.lora_rank <= 0 || name.empty()) return false;
  return std::any_of(options.lora_targets.begin(), options.lora_targets.end(),
                     [&](const std::string& target) { return target == "*" || target == name; });
}

/// Low-rank update of a linear layer of [out, in]: two small linears and the scaling. Adapters cast
/// what they read to their own format, and autocast back to its own.
Tensor low_rank_update(Machine& machine, const Tensor& x, const Dims& sizes) {
  Tape& tape = machine.tape;
  const AdapterFormat& format = tape.options().adapter;
  tape.enter_section(kAdapterSection);
  Tensor down = tape.parameter({machine.options.lora_rank, sizes[1]});
  Tensor up = tape.parameter({sizes[0], machine.options.lora_rank});
  tape.leave_section();
  Tensor input = format.weights ? cast(tape, x, *format.weights) : x;
  const double probability = machine.options.dropout ? format.dropout : 0;
  input = dropout(tape, input, probability, DropoutKind::elements, false);
  if (format.compute) {
    input = cast(tape, input, *format.compute);
    down = cast(tape, down, *format.compute);
    up = cast(tape, up, *format.compute);
  }
  return scale(tape, linear(tape, linear(tape, input, down, {}), up, {}));
}

/// A frozen weight that is unpacked to 16 bits for each product, forward and backward, and not
/// kept.
Tensor quantized_linear(Tape& tape, const Tensor& x, const Tensor& weight, const Tensor& bias) {
  const DType compute = tape.options().precision.autocast.value_or(DType::bf16);
  const Tensor input = cast(tape, x, compute);
  Dims sizes = x.sizes;
  sizes[sizes.size() - 1] = weight.size(0);
  Tensor y;
  {
    OperatorScope op(tape, "linear", {&input, &bias});
    op.keep_alive(weight);
    const double forward =
        2 * static_cast<double>(x.elements()) * static_cast<double>(weight.size(0));
    op.flops(forward, forward);
    op.scratch(weight.sizes, compute);
    if (tape.options().quantized.keeps_input) op.save(input);
    y = op.output(sizes, compute);
  }
  return cast(tape, y, x.dtype);
}

bool is_quantized(const Tape& tape, const Tensor& weight) {
  const QuantizedBase& base = tape.options().quantized;
  return base.enabled && !weight.requires_grad && (base.head_too || tape.inside_block());
}

}  // namespace

Tensor adapted_linear(Machine& machine, const Tensor& x, const LinearLayer& layer) {
  const Dims sizes{layer.out, x.size(-1)};
  const Tensor weight = machine.weight(layer.shared, sizes);
  const Tensor offset = layer.bias ? machine.tape.parameter({sizes[0]}) : Tensor{};
  if (x.rank() == 0 || machine.tape.refused()) return x;
  const Tensor y = is_quantized(machine.tape, weight)
                       ? quantized_linear(machine.tape, x, weight, offset)
                       : linear(machine.tape, x, weight, offset);
  if (!is_target(machine.options, layer.name) || machine.tape.refused()) return y;
  return cast(machine.tape, add(machine.tape, y, low_rank_update(machine, x, sizes)), y.dtype);
}

}  // namespace gpulint::model
