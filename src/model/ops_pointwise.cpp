#include "model/ops.h"

#include <utility>

namespace gpulint::model {

namespace {

enum class Keeps : std::uint8_t { input, result };

struct ActivationRule {
  std::string_view name;
  Activation kind;
  OperatorKind operation;
  Keeps keeps;
  Keeps keeps_inplace;  // input: the framework clones it before overwriting
  bool fp32 = false;    // on autocast's fp32 list
  double flops = 1;     // per element, an order of magnitude: never the bottleneck
};

// derivatives.yaml: which operand the formula names; in place, only formulas over the result can
// reuse the buffer, the others keep a clone.
constexpr ActivationRule kActivations[] = {
    {"relu", Activation::relu, OperatorKind::relu, Keeps::result, Keeps::result},
    {"relu6", Activation::relu6, OperatorKind::relu6, Keeps::input, Keeps::input},
    {"leaky_relu", Activation::leaky_relu, OperatorKind::leaky_relu, Keeps::input, Keeps::result},
    {"elu", Activation::elu, OperatorKind::elu, Keeps::input, Keeps::result},
    {"gelu", Activation::gelu, OperatorKind::gelu, Keeps::input, Keeps::input, false, 10},
    {"silu", Activation::silu, OperatorKind::silu, Keeps::input, Keeps::input, false, 5},
    {"mish", Activation::mish, OperatorKind::mish, Keeps::input, Keeps::input, false, 10},
    {"hardswish", Activation::hardswish, OperatorKind::hardswish, Keeps::input, Keeps::input, false,
     4},
    {"clamp", Activation::clamp, OperatorKind::clamp, Keeps::input, Keeps::input},
    {"hardsigmoid", Activation::hardsigmoid, OperatorKind::hardsigmoid, Keeps::input, Keeps::input,
     false, 3},
    {"softplus", Activation::softplus, OperatorKind::softplus, Keeps::input, Keeps::input, true, 5},
    {"sigmoid", Activation::sigmoid, OperatorKind::sigmoid, Keeps::result, Keeps::result, false, 4},
    {"tanh", Activation::tanh, OperatorKind::tanh, Keeps::result, Keeps::result, false, 4},
    {"exp", Activation::exp, OperatorKind::exp, Keeps::result, Keeps::result, true, 4},
    {"sqrt", Activation::sqrt, OperatorKind::sqrt, Keeps::result, Keeps::result},
    {"rsqrt", Activation::rsqrt, OperatorKind::rsqrt, Keeps::result, Keeps::result, true, 2},
    {"log", Activation::log, OperatorKind::log, Keeps::input, Keeps::input, true, 4},
    {"absolute", Activation::absolute, OperatorKind::absolute, Keeps::input, Keeps::input},
    {"reciprocal", Activation::reciprocal, OperatorKind::reciprocal, Keeps::result, Keeps::result,
     true},
    {"erf", Activation::erf, OperatorKind::erf, Keeps::input, Keeps::input, false, 10},
    {"sine", Activation::sine, OperatorKind::sine, Keeps::input, Keeps::input, false, 4},
    {"gelu_pytorch_tanh", Activation::gelu, OperatorKind::gelu, Keeps::input, Keeps::input},
    {"swish", Activation::silu, OperatorKind::silu, Keeps::input, Keeps::input},
    {"gelu_new", Activation::gelu_new, OperatorKind::multiply, Keeps::input, Keeps::input},
    {"quick_gelu", Activation::quick_gelu, OperatorKind::multiply, Keeps::input, Keeps::input},
    {"swish_composed", Activation::swish_composed, OperatorKind::multiply, Keeps::input,
     Keeps::input},
};

const ActivationRule& rule_of(Activation kind) {
  for (const ActivationRule& rule : kActivations) {
    if (rule.kind == kind) return rule;
  }
  return kActivations[0];
}

/// Elementwise result: the layout of the input survives.
Tensor with_layout_of(Tensor result, const Tensor& like) {
  if (result.sizes == like.sizes) result.strides = preserved_strides(like);
  return result;
}

/// 0.5 x (1 + tanh(c (x + 0.044715 x^3))), written out operator by operator.
Tensor gelu_new(Tape& tape, const Tensor& x) {
  const Tensor half = scale(tape, x);
  const Tensor cube = power(tape, x);
  const Tensor inner = scale(tape, add(tape, x, scale(tape, cube)));
  const Tensor curve = scale(tape, activate(tape, inner, Activation::tanh));
  return multiply(tape, half, curve);
}

std::optional<Dims> fit(Tape& tape, const Tensor& a, const Tensor& b, std::string_view what) {
  std::optional<Dims> sizes = broadcast(a.sizes, b.sizes);
  if (!sizes) {
    tape.refuse("cannot " + std::string(what) + " tensors of " + to_string(a.sizes) + " and " +
                to_string(b.sizes));
  }
  return sizes;
}

}  // namespace

std::optional<Activation> activation_from(std::string_view name) {
  for (const ActivationRule& rule : kActivations) {
    if (rule.name == name) return rule.kind;
  }
  return std::nullopt;
}

Tensor activate(Tape& tape, const Tensor& input, Activation kind, bool inplace) {
  if (kind == Activation::gelu_new) return gelu_new(tape, input);
  if (kind == Activation::swish_composed || kind == Activation::quick_gelu) {
    const Tensor scaled = kind == Activation::quick_gelu ? scale(tape, input) : input;
    return multiply(tape, input, activate(tape, scaled, Activation::sigmoid));
  }
  const ActivationRule& rule = rule_of(kind);
  const Tensor x = rule.fp32 ? raise(tape, input) : input;
  const bool overwrite = inplace && tape.options().allow_inplace;
  OperatorScope op(tape, rule.operation, {&x});
  op.flops(rule.flops * static_cast<double>(x.elements()),
           rule.flops * static_cast<double>(x.elements()));
  Keeps keeps = overwrite ? rule.keeps_inplace : rule.keeps;
  if (tape.options().relu_keeps_input) {  // the same releases let hardtanh_ read its result
    if (!overwrite && kind == Activation::relu) keeps = Keeps::input;
    if (overwrite && kind == Activation::relu6) keeps = Keeps::result;
  }
  if (overwrite) {
    const Tensor y = op.inplace(x);
    if (keeps == Keeps::result) op.save(y);
    if (keeps == Keeps::input) op.save_new(x.sizes, x.dtype);
    return y;
  }
  const Tensor y = with_layout_of(op.output(x.sizes, x.dtype), x);
  op.save(keeps == Keeps::result ? y : x);
  return y;
}

Tensor add(Tape& tape, const Tensor& a, const Tensor& b, bool inplace) {
  const std::optional<Dims> sizes = fit(tape, a, b, "add");
  if (!sizes) return a;
  OperatorScope op(tape, OperatorKind::add, {&a, &b});
  op.pass_gradient();
  op.flops(static_cast<double>(element_count(*sizes)), 0);
  if (inplace && tape.options().allow_inplace && *sizes == a.sizes) return op.inplace(a);
  return with_layout_of(op.output(*sizes, promote(a.dtype, b.dtype)), a);
}

Tensor multiply(Tape& tape, const Tensor& a, const Tensor& b, bool inplace) {
  const std::optional<Dims> sizes = fit(tape, a, b, "multiply");
  if (!sizes) return a;
  OperatorScope op(tape, OperatorKind::multiply, {&a, &b});
  const double count = static_cast<double>(element_count(*sizes));
  op.flops(count, 2 * count);
  if (a.requires_grad) op.save(b);
  if (inplace && tape.options().allow_inplace && *sizes == a.sizes) {
    if (b.requires_grad) op.save_new(a.sizes, a.dtype);  // a clone: the factor is overwritten
    return op.inplace(a);
  }
  if (b.requires_grad) op.save(a);
  return with_layout_of(op.output(*sizes, promote(a.dtype, b.dtype)), a);
}

Tensor divide(Tape& tape, const Tensor& a, const Tensor& b, bool inplace) {
  const std::optional<Dims> sizes = fit(tape, a, b, "divide");
  if (!sizes) return a;
  OperatorScope op(tape, OperatorKind::divide, {&a, &b});
  op.flops(static_cast<double>(element_count(*sizes)),
           3 * static_cast<double>(element_count(*sizes)));
  op.save(b);
  if (inplace && tape.options().allow_inplace && *sizes == a.sizes) {
    if (b.requires_grad) op.save_new(a.sizes, a.dtype);  // a clone: the quotient replaces it
    return op.inplace(a);
  }
  if (b.requires_grad) op.save(a);
  return with_layout_of(op.output(*sizes, promote(a.dtype, b.dtype)), a);
}

Tensor scale(Tape& tape, const Tensor& x, bool inplace) {
  OperatorScope op(tape, OperatorKind::scale, {&x});
  op.flops(static_cast<double>(x.elements()), static_cast<double>(x.elements()));
  if (inplace && tape.options().allow_inplace) return op.inplace(x);
  return with_layout_of(op.output(x.sizes, x.dtype), x);
}

Tensor power(Tape& tape, const Tensor& input) {
  const Tensor x = raise(tape, input);
  OperatorScope op(tape, OperatorKind::power, {&x});
  op.flops(2 * static_cast<double>(x.elements()), 3 * static_cast<double>(x.elements()));
  op.save(x);
  return with_layout_of(op.output(x.sizes, x.dtype), x);
}

Tensor mean(Tape& tape, const Tensor& x, const Dims& dimensions, bool keep) {
  std::array<bool, kMaxRank> reduced{};
  const std::int64_t rank = static_cast<std::int64_t>(x.rank());
  for (const std::int64_t dimension : dimensions) {
    const std::int64_t wrapped = dimension < 0 ? dimension + rank : dimension;
    if (wrapped < 0 || wrapped >= rank) {
      tape.refuse("there is no dimension " + std::to_string(dimension) + " in " +
                  to_string(x.sizes) + " to average over");
      return x;
    }
    reduced[static_cast<std::size_t>(wrapped)] = true;
  }
  Dims sizes;
  for (std::size_t i = 0; i < x.rank(); ++i) {
    if (!reduced[i]) sizes.push_back(x.sizes[i]);
    if (reduced[i] && keep) sizes.push_back(1);
  }
  OperatorScope op(tape, OperatorKind::mean, {&x});
  op.flops(static_cast<double>(x.elements()), 0);
  return op.output(sizes, x.dtype);
}

Tensor dropout(Tape& tape, const Tensor& x, double probability, DropoutKind kind, bool inplace) {
  if (probability <= 0) return x;
  OperatorScope op(tape, OperatorKind::dropout, {&x});
  op.flops(2 * static_cast<double>(x.elements()), static_cast<double>(x.elements()));
  const bool overwrite = inplace && tape.options().allow_inplace;
  if (kind == DropoutKind::elements) {
    // The fused kernel keeps a boolean mask; the in-place form keeps floating noise instead.
    op.save_new(x.sizes, overwrite ? x.dtype : DType::boolean);
  } else {
    Dims noise = x.sizes;
    for (std::size_t i = kind == DropoutKind::channels ? 2 : 1; i < noise.size(); ++i) noise[i] = 1;
    op.save_new(noise, x.dtype);
  }
  if (overwrite) return op.inplace(x);
  return with_layout_of(op.output(x.sizes, x.dtype), x);
}

Tensor mask_fill(Tape& tape, const Tensor& x, const Tensor& mask) {
  OperatorScope op(tape, OperatorKind::mask_fill, {&x});
  op.save(mask);
  return with_layout_of(op.output(x.sizes, x.dtype), x);
}

}  // namespace gpulint::model
