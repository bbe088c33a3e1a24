#include "model/ops_general.h"

#include "base/units.h"

#include <algorithm>

namespace gpulint::model {

namespace {

struct ReductionRule {
  std::string_view name;
  Reduction kind;
  bool keeps_input;
  bool keeps_result;
  bool fp32_result;  // autocast asks for an fp32 result without casting the input
};

// derivatives.yaml: which operands the formulas name.
constexpr ReductionRule kReductions[] = {
    {"sum", Reduction::sum, false, false, true},
    {"amax", Reduction::largest, true, true, false},
    {"max", Reduction::position, false, false, false},
    {"var", Reduction::variance, true, false, false},
    {"std", Reduction::deviation, true, true, false},
    {"norm", Reduction::norm, true, true, true},
    {"prod", Reduction::product, true, true, true},
};

const ReductionRule& rule_of(Reduction kind) {
  for (const ReductionRule& rule : kReductions) {
    if (rule.kind == kind) return rule;
  }
  return kReductions[0];
}

/// The dimension counted from the start; refuses one outside `rank`.
std::optional<std::size_t> wrapped(Tape& tape, const Tensor& x, std::int64_t dimension,
                                   std::size_t rank) {
  const std::int64_t count = static_cast<std::int64_t>(rank);
  const std::int64_t at = dimension < 0 ? dimension + count : dimension;
  if (at >= 0 && at < count) return static_cast<std::size_t>(at);
  tape.refuse("there is no dimension " + std::to_string(dimension) + " in " + to_string(x.sizes));
  return std::nullopt;
}

/// Refuses negative sizes.
bool possible(Tape& tape, const Dims& sizes) {
  if (std::all_of(sizes.begin(), sizes.end(), [](std::int64_t size) { return size >= 0; })) {
    return true;
  }
  tape.refuse("no tensor has the sizes " + to_string(sizes));
  return false;
}

double elements(const Tensor& x) { return static_cast<double>(x.elements()); }

}  // namespace

std::optional<Reduction> reduction_from(std::string_view name) {
  for (const ReductionRule& rule : kReductions) {
    if (rule.name == name) return rule.kind;
  }
  return std::nullopt;
}

Tensor reduce(Tape& tape, const Tensor& x, Reduction kind, const Dims& dimensions, bool keep) {
  std::array<bool, kMaxRank> reduced{};
  for (const std::int64_t dimension : dimensions) {
    const auto at = wrapped(tape, x, dimension, x.rank());
    if (!at) return x;
    reduced[*at] = true;
  }
  Dims sizes;
  for (std::size_t i = 0; i < x.rank(); ++i) {
    if (!reduced[i]) sizes.push_back(x.sizes[i]);
    if (reduced[i] && keep) sizes.push_back(1);
  }
  const ReductionRule& rule = rule_of(kind);
  const bool widened = rule.fp32_result && tape.options().precision.autocast.has_value();
  OperatorScope op(tape, OperatorKind::reduce, {&x});
  op.flops(elements(x), elements(x));
  const Tensor y = op.output(sizes, widened && is_half(x.dtype) ? DType::fp32 : x.dtype);
  if (kind == Reduction::position) op.save_new(sizes, DType::int64);  // of the maxima
  if (rule.keeps_input) op.save(x);
  if (rule.keeps_result) op.save(y);
  return y;
}

Tensor multiply_add(Tape& tape, const Tensor& a, const Tensor& b, const Tensor& c) {
  const DType widest = promote(promote(a.dtype, b.dtype), c.dtype);
  const Tensor left = cast(tape, a, widest);
  const Tensor right = cast(tape, b, widest);
  const Tensor offset = cast(tape, c, widest);
  const std::optional<Dims> product = broadcast(left.sizes, right.sizes);
  const std::optional<Dims> sizes = product ? broadcast(*product, offset.sizes) : std::nullopt;
  if (!sizes) {
    tape.refuse("cannot multiply and add tensors of " + to_string(a.sizes) + ", " +
                to_string(b.sizes) + " and " + to_string(c.sizes));
    return a;
  }
  OperatorScope op(tape, OperatorKind::multiply_add, {&left, &right, &offset});
  op.flops(2 * static_cast<double>(element_count(*sizes)),
           3 * static_cast<double>(element_count(*sizes)));
  if (right.requires_grad) op.save(left);
  if (left.requires_grad) op.save(right);
  return op.output(*sizes, widest);
}

Tensor copy_to(Tape& tape, const Tensor& x, const Dims& sizes) {
  if (!possible(tape, sizes)) return x;
  Tensor result = rearrange(tape, x, OperatorKind::copy, sizes);
  if (sizes == x.sizes) result.strides = preserved_strides(x);
  return result;
}

Tensor strided(Tape& tape, const Tensor& x, std::int64_t dimension, std::int64_t size,
               std::int64_t step) {
  const auto at = wrapped(tape, x, dimension, x.rank());
  if (!at) return x;
  const std::int64_t reach = saturating_multiply(size - 1, step);
  if (size < 0 || step < 1 || (size > 0 && reach >= x.sizes[*at])) {
    tape.refuse("a slice of " + std::to_string(size) + " with step " + std::to_string(step) +
                " along dimension " + std::to_string(dimension) + " does not fit a tensor of " +
                to_string(x.sizes));
    return x;
  }
  Tensor result = x;
  result.leaf_parameter = false;
  result.sizes[*at] = size;
  result.strides[*at] = saturating_multiply(x.strides[*at], step);
  return result;
}

Tensor windows(Tape& tape, const Tensor& x, std::int64_t dimension, std::int64_t size,
               std::int64_t step) {
  const auto at = wrapped(tape, x, dimension, x.rank());
  if (!at) return x;
  if (size < 1 || step < 1 || size > x.sizes[*at] || x.rank() == kMaxRank) {
    tape.refuse("windows of " + std::to_string(size) + " along dimension " +
                std::to_string(dimension) + " do not fit a tensor of " + to_string(x.sizes));
    return x;
  }
  Tensor result = x;
  result.leaf_parameter = false;
  result.sizes[*at] = (x.sizes[*at] - size) / step + 1;
  result.strides[*at] = saturating_multiply(x.strides[*at], step);
  result.sizes.push_back(size);
  result.strides.push_back(x.strides[*at]);
  return result;
}

Tensor squeeze(Tape& tape, const Tensor& x, std::int64_t dimension) {
  const auto at = wrapped(tape, x, dimension, x.rank());
  if (!at || x.sizes[*at] != 1) return x;
  Tensor result = x;
  result.leaf_parameter = false;
  result.sizes.erase(*at);
  result.strides.erase(*at);
  return result;
}

Tensor unsqueeze(Tape& tape, const Tensor& x, std::int64_t dimension) {
  const auto at = wrapped(tape, x, dimension, x.rank() + 1);
  if (!at) return x;
  if (x.rank() == kMaxRank) {
    tape.refuse("a tensor of " + to_string(x.sizes) + " cannot take one more dimension");
    return x;
  }
  return unsqueezed(x, static_cast<std::int64_t>(*at));
}

Tensor adaptive_max_pool(Tape& tape, const Tensor& x, const Dims& output) {
  if (x.rank() < output.size() + 1) {
    tape.refuse("a pool over " + std::to_string(output.size()) +
                " dimensions cannot read a tensor of " + to_string(x.sizes));
    return x;
  }
  Dims sizes = x.sizes;
  for (std::size_t i = 0; i < output.size(); ++i) {
    sizes[x.rank() - output.size() + i] = output[i];
  }
  if (!possible(tape, sizes)) return x;
  OperatorScope op(tape, OperatorKind::max_pool, {&x});
  op.flops(elements(x), elements(x));
  op.save(x);
  op.save_new(sizes, DType::int64);  // positions of the maxima
  return op.output(sizes, x.dtype);
}

Tensor inplace_batch_norm(Tape& tape, const Tensor& x) {
  if (x.rank() < 2) {
    tape.refuse("a batch norm cannot read a tensor of " + to_string(x.sizes));
    return x;
  }
  const Dims channels{x.size(1)};
  const Tensor weight = tape.parameter(channels);
  const Tensor bias = tape.parameter(channels);
  tape.buffer(channels, tape.options().precision.weights);  // running mean
  tape.buffer(channels, tape.options().precision.weights);  // running variance
  OperatorScope op(tape, OperatorKind::batch_norm, {&x, &weight, &bias});
  op.flops(5 * elements(x), 10 * elements(x));
  op.save_new(channels, DType::fp32);  // variance
  op.save_new(channels, DType::fp32);  // number of elements seen, per channel
  const Tensor y = tape.options().allow_inplace ? op.inplace(x) : op.output(x.sizes, x.dtype);
  op.save(y);
  return y;
}

Tensor run_custom(Tape& tape, const Custom& custom) {
  if (!possible(tape, custom.sizes) || !possible(tape, custom.keeps_new.value_or(Dims{}))) {
    return custom.operands.front();
  }
  std::vector<Tensor> operands = custom.operands;
  for (Tensor& operand : operands) operand.requires_grad &= !custom.detached;
  OperatorScope op(tape, OperatorKind::custom, std::span<const Tensor>(operands));
  const Tensor& x = operands.front();
  for (const std::size_t index : custom.keeps) {
    if (index < operands.size()) op.save(operands[index]);
  }
  const DType format = custom.fp32 ? DType::fp32 : x.dtype;
  if (custom.keeps_new) op.save_new(*custom.keeps_new, format);
  Tensor y = x;
  if (custom.view) {
    y.sizes = custom.sizes;
    y.strides = contiguous_strides(custom.sizes);
    y.leaf_parameter = false;
  } else {
    y = op.output(custom.sizes, format);
    op.flops(elements(y), elements(y));
  }
  if (custom.keeps_result) op.save(y);
  return y;
}

}  // namespace gpulint::model
