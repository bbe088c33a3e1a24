// What autograd keeps of an adapter follows from which of its factors are trained: a product whose
// weight is frozen does not keep what it read. Sources: forward() of peft/tuners/*/layer.py;
// which method is which is the caller's to say.

#include "model/adapter_forms.h"

#include "model/ops_general.h"

#include <algorithm>

namespace gpulint::model {
namespace {

/// Square matrices of a butterfly rotation that their products keep beside it (boft/layer.py:
/// permutation, rotation so far).
constexpr std::int64_t kKeptRotations = 2;

std::int64_t rank_of(const Machine& machine) {
  return std::max<std::int64_t>(machine.options.lora_rank, 1);
}

/// Adapters cast what they read to their own format, and autocast back to its own.
Tensor to_compute(Machine& machine, const Tensor& x) {
  const auto& compute = machine.tape.options().adapter.compute;
  return compute ? cast(machine.tape, x, *compute) : x;
}

/// Two small linears.
Tensor low_rank_product(Machine& machine, const Tensor& x, const Dims& sizes) {
  Tape& tape = machine.tape;
  const Tensor down = adapter_parameter(tape, {machine.options.lora_rank, sizes[1]});
  const Tensor up = adapter_parameter(tape, {sizes[0], machine.options.lora_rank});
  const Tensor input = to_compute(machine, adapter_input(machine, x));
  const Tensor small = linear(tape, input, to_compute(machine, down), {});
  return linear(tape, small, to_compute(machine, up), {});
}

/// Matrices as large as the weight that its norm is taken of (dora.py: the product of both factors,
/// the weight in the adapter's format, the scaled product, the sum).
constexpr std::int64_t kMatricesOfNorm = 4;

/// Of some sets of both factors for all layers of one name; a router mixes all second
/// factors into the one that is used, which is kept.
Tensor mixed_update(Machine& machine, const Tensor& x, const AdaptedLayer& layer) {
  Tape& tape = machine.tape;
  const std::int64_t rank = rank_of(machine);
  const std::string set =
      std::to_string(tape.blocks().size() % static_cast<std::size_t>(std::max<std::int64_t>(
                                                1, tape.options().adapter.shared_factors)));
  const auto shared = [&](std::string_view factor, const Dims& sizes) {
    tape.enter_section(kAdapterSection);
    const Tensor weight = machine.weight(layer.name + std::string(factor) + set, sizes);
    tape.leave_section();
    return weight;
  };
  const Tensor down = shared(" lily_A ", {rank, layer.sizes[1]});
  const Tensor up = shared(" lily_B ", {layer.sizes[0], rank});
  const Tensor input = to_compute(machine, adapter_input(machine, x));
  const Tensor small = linear(tape, input, to_compute(machine, down), {});
  const Tensor mixed = run_custom(tape, {.operands = {up}, .keeps = {0}, .sizes = up.sizes});
  return scale(tape, linear(tape, small, mixed, {}));
}

/// A magnitude per output, trained, times both the layer's result and the product of the factors.
/// The norm of the changed weight is made anew each time, without gradients.
Tensor decomposed_update(Machine& machine, const Tensor& x, const Tensor& y, const Dims& sizes) {
  Tape& tape = machine.tape;
  const Tensor update = low_rank_product(machine, x, sizes);
  const Tensor magnitude = adapter_parameter(tape, {sizes[0]});
  const std::int64_t rows =
      saturating_add(saturating_multiply(kMatricesOfNorm, sizes[0]), sizes[1]);
  run_custom(tape, {.operands = {update}, .sizes = {rows, sizes[1]}, .detached = true});
  const Tensor kept = multiply(tape, y, magnitude);
  return add(tape, kept, scale(tape, multiply(tape, update, magnitude)));
}

/// The narrow product alone is kept: the factor before it has no gradient. Where the result is not
/// scaled, the factor behind it is taken as trained (MiSS); frozen ones (PSOFT) take less.
Tensor projected_update(Machine& machine, const Tensor& x, const Dims& sizes, bool scaled) {
  Tape& tape = machine.tape;
  const std::int64_t rank = rank_of(machine);
  const Tensor input = to_compute(machine, adapter_input(machine, x));
  Dims narrow = x.sizes;
  narrow[narrow.size() - 1] = rank;
  const Tensor small = run_custom(tape, {.operands = {input}, .sizes = narrow});
  if (!scaled) {
    const Tensor up = adapter_parameter(tape, {sizes[0], rank});
    return scale(tape, linear(tape, small, to_compute(machine, up), {}));
  }
  const Tensor middle = adapter_parameter(tape, {rank, rank});
  const Tensor turned = linear(tape, small, to_compute(machine, middle), {});
  Dims wide = x.sizes;
  wide[wide.size() - 1] = sizes[0];
  return rescaled(tape, run_custom(tape, {.operands = {turned}, .sizes = wide}), false);
}

/// A matrix as large as the weight, written out from two factors that are trained.
Tensor written_out(Tape& tape, const Dims& sizes, std::int64_t rank) {
  const Tensor down = adapter_parameter(tape, {rank, sizes[1]});
  const Tensor up = adapter_parameter(tape, {sizes[0], rank});
  return run_custom(tape, {.operands = {up, down}, .keeps = {0, 1}, .sizes = sizes});
}

// Complex numbers take two values each.
constexpr std::int64_t kComplex = 2;

/// A matrix as large as the weight, made of a few values by an inverse Fourier transform: the
/// spectrum with its complex copy and cuFFT's work area, and the complex result
/// (fourierft/layer.py: get_delta_weight). The work area is taken as large as the transform.
Tensor transformed_out(Tape& tape, const Dims& sizes, std::int64_t rank) {
  const Tensor values = adapter_parameter(tape, {rank});
  const std::int64_t copies = saturating_multiply(1 + 2 * kComplex, sizes[0]);
  const Tensor spectrum = run_custom(tape, {.operands = {values}, .sizes = {copies, sizes[1]}});
  const std::int64_t pairs = saturating_multiply(kComplex, sizes[0]);
  const Tensor result = run_custom(tape, {.operands = {spectrum}, .sizes = {pairs, sizes[1]}});
  return run_custom(tape, {.operands = {result}, .sizes = sizes});
}

/// A circular convolution by way of Fourier transforms: the input is kept, its spectrum, the
/// product and the complex result are made one after the other, and their gradients likewise
/// (c3a/utils.py: BlockCircularConvolution).
Tensor convolved_update(Machine& machine, const Tensor& x, const Dims& sizes) {
  Tape& tape = machine.tape;
  const Tensor input = adapter_input(machine, x);
  const Tensor kernel = adapter_parameter(tape, {rank_of(machine), sizes[1]});
  const auto wide = [&](std::int64_t values) {
    Dims rows = x.sizes;
    rows[rows.size() - 1] = values;
    return rows;
  };
  const std::int64_t outputs = saturating_multiply(kComplex, sizes[0]);
  const Tensor spectrum =
      run_custom(tape, {.operands = {input, kernel},
                        .keeps = {0, 1},
                        .sizes = wide(saturating_multiply(kComplex, sizes[1]))});
  const Tensor product = run_custom(tape, {.operands = {spectrum}, .sizes = wide(outputs)});
  const Tensor result = run_custom(tape, {.operands = {product}, .sizes = wide(outputs)});
  return scale(tape, run_custom(tape, {.operands = {result}, .sizes = wide(sizes[0])}));
}

/// The weight and what is added to it or multiplied with it.
Tensor combined(Tape& tape, const Tensor& change, const Tensor& weight) {
  return run_custom(tape, {.operands = {change, weight}, .keeps = {1}, .sizes = weight.sizes});
}

/// A product of reflections: the gradient of each needs the product of those before it.
Tensor reflections(Machine& machine, std::int64_t inputs) {
  Tape& tape = machine.tape;
  const std::int64_t rank = rank_of(machine);
  const Tensor vectors = adapter_parameter(tape, {inputs, rank});
  return run_custom(tape, {.operands = {vectors},
                           .sizes = {inputs, inputs},
                           .keeps_new = Dims{rank, inputs, inputs},
                           .keeps_result = true});
}

/// In the format of what it turns.
Tensor rotation(Machine& machine, const Tensor& x) {
  Tape& tape = machine.tape;
  const std::int64_t inputs = x.size(-1);
  const Tensor blocks = adapter_parameter(tape, {inputs, rank_of(machine)});
  return run_custom(tape, {.operands = {cast(tape, blocks, x.dtype)},
                           .sizes = {inputs, inputs},
                           .keeps_new = Dims{kKeptRotations, inputs, inputs}});
}

Tensor with_bias(Tape& tape, const Tensor& y, const Tensor& bias) {
  return bias.rank() > 0 ? add(tape, y, bias) : y;
}

}  // namespace

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

Tensor rescaled(Tape& tape, const Tensor& y, bool shifted) {
  const Dims outputs{y.size(-1)};
  const Tensor factor = adapter_parameter(tape, outputs);
  const Tensor sum = shifted ? add(tape, y, adapter_parameter(tape, outputs)) : y;
  return cast(tape, multiply(tape, sum, factor), y.dtype);
}

bool replaces_product(AdapterForm form) {
  return form == AdapterForm::written_weight || form == AdapterForm::changed_weight ||
         form == AdapterForm::reflected_weight || form == AdapterForm::rotated_input;
}

Tensor replaced_product(Machine& machine, const Tensor& x, const FrozenLayer& layer) {
  Tape& tape = machine.tape;
  const AdapterFormat& format = tape.options().adapter;
  const Tensor& weight = layer.weight;
  const DType own = format.weights.value_or(weight.dtype);
  Tensor y;
  switch (format.form) {
    case AdapterForm::changed_weight: {
      const Tensor change =
          cast(tape, written_out(tape, weight.sizes, rank_of(machine)), weight.dtype);
      y = linear(tape, x, run_custom(tape, {.operands = {change}, .sizes = weight.sizes}), {});
      break;
    }
    case AdapterForm::rotated_input: {
      const Tensor turned = linear(tape, x, rotation(machine, x), {});
      y = rescaled(tape, linear(tape, turned, weight, {}), false);
      break;
    }
    case AdapterForm::reflected_weight: {
      const Tensor change = reflections(machine, x.size(-1));
      const Tensor changed = combined(tape, change, cast(tape, weight, own));
      y = linear(tape, adapter_input(machine, x), changed, {});
      break;
    }
    default: {
      const Tensor change = written_out(tape, weight.sizes, rank_of(machine));
      const Tensor changed = combined(tape, change, cast(tape, weight, own));
      y = linear(tape, adapter_input(machine, x), changed, {});
      break;
    }
  }
  return cast(tape, with_bias(tape, y, layer.bias), x.dtype);
}

Tensor adapter_update(Machine& machine, const Tensor& x, const Tensor& y,
                      const AdaptedLayer& layer) {
  const Dims& sizes = layer.sizes;
  switch (machine.tape.options().adapter.form) {
    case AdapterForm::projected:
      return projected_update(machine, x, sizes, false);
    case AdapterForm::projected_and_scaled:
      return projected_update(machine, x, sizes, true);
    case AdapterForm::written_update: {
      const Tensor update = written_out(machine.tape, sizes, rank_of(machine));
      return linear(machine.tape, adapter_input(machine, x), update, {});
    }
    case AdapterForm::transformed_update: {
      const Tensor update = transformed_out(machine.tape, sizes, rank_of(machine));
      return linear(machine.tape, adapter_input(machine, x), update, {});
    }
    case AdapterForm::convolved:
      return convolved_update(machine, x, sizes);
    case AdapterForm::mixed_factors:
      return mixed_update(machine, x, layer);
    case AdapterForm::decomposed:
      return decomposed_update(machine, x, y, sizes);
    default:
      return scale(machine.tape, low_rank_product(machine, x, sizes));
  }
}

}  // namespace gpulint::model
