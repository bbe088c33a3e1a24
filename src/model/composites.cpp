#include "model/composites.h"

#include "model/adapter_forms.h"
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
  if (machine.tape.inside_frozen()) return false;
  if (machine.tape.inside_block()) return is_target(machine.options, name);
  const std::vector<std::string>& targets = machine.options.lora_targets;
  return machine.options.lora_rank > 0 && !name.empty() &&
         std::find(targets.begin(), targets.end(), name) != targets.end();
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
    OperatorScope op(tape, OperatorKind::linear, {&input, &bias});
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

/// The second matrices of adapters that share the first product: a grouped convolution of width 1.
Tensor grouped_linear(Tape& tape, const Tensor& x, const Tensor& weight) {
  OperatorScope op(tape, OperatorKind::grouped_linear, {&x, &weight});
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
  const AdapterForm form = tape.options().adapter.form;
  if (form == AdapterForm::scale || form == AdapterForm::scale_and_shift) {
    return rescaled(tape, y, form == AdapterForm::scale_and_shift);
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
  const bool adapted = is_target(machine, layer.name);
  const AdapterForm form = machine.tape.options().adapter.form;
  if (adapted && replaces_product(form)) return replaced_product(machine, x, {weight, offset});
  const Tensor y = plain_linear(machine.tape, x, weight, offset);
  if (!adapted || machine.tape.refused()) return y;
  if (form == AdapterForm::scale || form == AdapterForm::scale_and_shift) {
    return rescaled(machine.tape, y, form == AdapterForm::scale_and_shift);
  }
  return cast(machine.tape,
              add(machine.tape, y, adapter_update(machine, x, y, {sizes, layer.name})), y.dtype);
}

}  // namespace gpulint::model
