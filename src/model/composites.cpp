#include "model/composites.h"

#include "model/ops_general.h"

#include <algorithm>

namespace gpulint::model {

namespace {

bool is_target(const ExecutionOptions& options, const std::string& name) {
  if (options.lora_rank <= 0 || name.empty()) return false;
  return std::any_of(options.lora_targets.begin(), options.lora_targets.end(),
                     [&](const std::string& target) { return target == "*" || target == name; });
}

/// All layers: those of the blocks. The head is meant only where it is named.
bool is_target(const Machine& machine, const std::string& name) {
  if (machine.tape.inside_block()) return is_target(machine.options, name);
  const std::vector<std::string>& targets = machine.options.lora_targets;
  return machine.options.lora_rank > 0 && !name.empty() &&
         std::find(targets.begin(), targets.end(), name) != targets.end();
}

/// What the adapter's first matrix reads.
Tensor adapter_input(Machine& machine, const Tensor& x) {
  const AdapterFormat& format = machine.tape.options().adapter;
  const Tensor own = format.weights ? cast(machine.tape, x, *format.weights) : x;
  const double probability = machine.options.dropout ? format.dropout : 0;
  return dropout(machine.tape, own, probability, DropoutKind::elements, false);
}

Tensor adapter_parameter(Tape& tape, const Dims& sizes) {
  tape.enter_section(kAdapterSection);
  const Tensor weight = tape.parameter(sizes);
  tape.leave_section();
  return weight;
}

/// Low-rank update of a linear layer of [out, in]: two small linears and the scaling. Adapters cast
/// what they read to their own format, and autocast back to its own.
Tensor low_rank_update(Machine& machine, const Tensor& x, const Dims& sizes) {
  Tape& tape = machine.tape;
  const AdapterFormat& format = tape.options().adapter;
  Tensor down = adapter_parameter(tape, {machine.options.lora_rank, sizes[1]});
  Tensor up = adapter_parameter(tape, {sizes[0], machine.options.lora_rank});
  Tensor input = adapter_input(machine, x);
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
    if (tape.options().quantized.keeps_input) op.save_in_node(input);
    y = op.output(sizes, compute);
  }
  return cast(tape, y, x.dtype);
}

bool is_quantized(const Tape& tape, const Tensor& weight) {
  const QuantizedBase& base = tape.options().quantized;
  return base.enabled && !weight.requires_grad && (base.head_too || tape.inside_block());
}

Tensor plain_linear(Tape& tape, const Tensor& x, const Tensor& weight, const Tensor& bias) {
  return is_quantized(tape, weight) ? quantized_linear(tape, x, weight, bias)
                                    : linear(tape, x, weight, bias);
}

/// Vectors over the outputs: a y, or a (y + b).
Tensor rescaled(Tape& tape, const Tensor& y, bool shifted) {
  const Dims outputs{y.size(-1)};
  const Tensor factor = adapter_parameter(tape, outputs);
  const Tensor sum = shifted ? add(tape, y, adapter_parameter(tape, outputs)) : y;
  return cast(tape, multiply(tape, sum, factor), y.dtype);
}

/// The second matrices of adapters that share the first product: a grouped convolution of width 1.
Tensor grouped_linear(Tape& tape, const Tensor& x, const Tensor& weight) {
  OperatorScope op(tape, "grouped_linear", {&x, &weight});
  const double flops = 2 * static_cast<double>(x.elements()) * static_cast<double>(weight.size(0));
  op.flops(flops, 2 * flops);
  op.save(x);
  op.save(weight);
  Dims sizes = x.sizes;
  sizes[sizes.size() - 1] = weight.size(0);
  return op.output(sizes, x.dtype);
}

}  // namespace

Tensor adapted_packed_linear(Machine& machine, const Tensor& x, const PackedLinear& layer) {
  constexpr std::array<std::string_view, 3> kParts{"q_proj", "k_proj", "v_proj"};
  Tape& tape = machine.tape;
  std::int64_t whole = 0;
  std::int64_t updated = 0;
  std::int64_t parts = 0;
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    whole = saturating_add(whole, layer.out[i]);
    if (!is_target(machine, std::string(kParts[i]))) continue;
    updated = saturating_add(updated, layer.out[i]);
    ++parts;
  }
  const Tensor weight = tape.parameter({whole, x.size(-1)});
  const Tensor offset = layer.bias ? tape.parameter({whole}) : Tensor{};
  const Tensor y = plain_linear(tape, x, weight, offset);
  if (parts == 0 || tape.refused()) return y;
  if (tape.options().adapter.form != AdapterForm::low_rank) {
    return rescaled(tape, y, tape.options().adapter.form == AdapterForm::scale_and_shift);
  }
  const std::int64_t rank = machine.options.lora_rank;
  const Tensor down = adapter_parameter(tape, {saturating_multiply(parts, rank), x.size(-1)});
  const Tensor up = adapter_parameter(tape, {updated, rank});
  Tensor update = grouped_linear(tape, linear(tape, adapter_input(machine, x), down, {}), up);
  // index_copy keeps its source, whose sizes its backward expands to.
  if (updated != whole) {
    update = run_custom(tape, {.operands = {update}, .keeps = {0}, .sizes = y.sizes});
  }
  return cast(tape, add(tape, y, scale(tape, update)), y.dtype);
}

Tensor adapted_linear(Machine& machine, const Tensor& x, const LinearLayer& layer) {
  const Dims sizes{layer.out, x.size(-1)};
  const Tensor weight = layer.weight.known() ? layer.weight : machine.weight(layer.shared, sizes);
  const Tensor offset =
      layer.bias && !layer.offset.known() ? machine.tape.parameter({sizes[0]}) : layer.offset;
  if (x.rank() == 0 || machine.tape.refused()) return x;
  const Tensor y = plain_linear(machine.tape, x, weight, offset);
  if (!is_target(machine, layer.name) || machine.tape.refused()) return y;
  const AdapterForm form = machine.tape.options().adapter.form;
  if (form != AdapterForm::low_rank) {
    return rescaled(machine.tape, y, form == AdapterForm::scale_and_shift);
  }
  return cast(machine.tape, add(machine.tape, y, low_rank_update(machine, x, sizes)), y.dtype);
}

}  // namespace gpulint::model
