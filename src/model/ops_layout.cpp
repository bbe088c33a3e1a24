#include "model/ops.h"

namespace gpulint::model {

Tensor cast(Tape& tape, const Tensor& x, DType dtype) {
  if (x.dtype == dtype || !x.known()) return x;
  OperatorScope op(tape, OperatorKind::cast, {&x});
  Tensor result = op.output(x.sizes, dtype);
  result.strides = preserved_strides(x);
  return result;
}

Tensor lower(Tape& tape, const Tensor& x) {
  const std::optional<DType> half = tape.options().precision.autocast;
  if (!half || !x.known() || x.dtype != DType::fp32) return x;
  if (x.leaf_parameter && x.requires_grad) return tape.cached_half(x, *half);
  return cast(tape, x, *half);
}

Tensor raise(Tape& tape, const Tensor& x) {
  if (!tape.options().precision.autocast || !is_half(x.dtype)) return x;
  return cast(tape, x, DType::fp32);
}

Tensor contiguous(Tape& tape, const Tensor& x) {
  if (is_contiguous(x)) return x;
  OperatorScope op(tape, OperatorKind::copy, {&x});
  return op.output(x.sizes, x.dtype);
}

Tensor reshape(Tape& tape, const Tensor& x, const Dims& sizes) {
  const std::optional<Dims> inferred = infer_sizes(sizes, x.elements());
  if (!inferred) {
    tape.refuse("a tensor of " + to_string(x.sizes) + " cannot be reshaped to " + to_string(sizes));
    return x;
  }
  Tensor result = x;
  result.leaf_parameter = false;
  if (const std::optional<Dims> strides = view_strides(x, *inferred)) {
    result.strides = *strides;
  } else {
    OperatorScope op(tape, OperatorKind::copy, {&x});
    result = op.output(x.sizes, x.dtype);
    result.strides = contiguous_strides(*inferred);
  }
  result.sizes = *inferred;
  return result;
}

Tensor flatten(Tape& tape, const Tensor& x, std::int64_t from, std::int64_t to) {
  const std::int64_t rank = static_cast<std::int64_t>(x.rank());
  const std::int64_t first = from < 0 ? from + rank : from;
  const std::int64_t last = to < 0 ? to + rank : to;
  if (first < 0 || last >= rank || first > last) {
    tape.refuse("a tensor of " + to_string(x.sizes) + " has no dimensions " + std::to_string(from) +
                " to " + std::to_string(to) + " to flatten");
    return x;
  }
  Dims sizes;
  std::int64_t run = 1;
  for (std::int64_t i = 0; i < rank; ++i) {
    const std::int64_t size = x.sizes[static_cast<std::size_t>(i)];
    if (i < first || i > last) {
      sizes.push_back(size);
      continue;
    }
    run = saturating_multiply(run, size);
    if (i == last) sizes.push_back(run);
  }
  return reshape(tape, x, sizes);
}

Tensor permute(Tape& tape, const Tensor& x, const Dims& order) {
  std::array<bool, kMaxRank> seen{};
  bool valid = order.size() == x.rank();
  for (std::size_t i = 0; valid && i < order.size(); ++i) {
    valid = order[i] >= 0 && order[i] < static_cast<std::int64_t>(x.rank()) &&
            !seen[static_cast<std::size_t>(order[i])];
    if (valid) seen[static_cast<std::size_t>(order[i])] = true;
  }
  if (!valid) {
    tape.refuse("a tensor of " + to_string(x.sizes) + " cannot be permuted by " + to_string(order));
    return x;
  }
  return permuted(x, order);
}

Tensor slice(Tape& tape, const Tensor& x, std::int64_t dimension, std::int64_t size) {
  const std::int64_t rank = static_cast<std::int64_t>(x.rank());
  if (dimension < -rank || dimension >= rank || size < 0 || size > x.size(dimension)) {
    tape.refuse("a slice of " + std::to_string(size) + " along dimension " +
                std::to_string(dimension) + " does not fit a tensor of " + to_string(x.sizes));
    return x;
  }
  return narrowed(x, dimension, size);
}

Tensor concatenate(Tape& tape, std::span<const Tensor> parts, std::int64_t dimension) {
  const Tensor& first = parts.front();
  const std::int64_t rank = static_cast<std::int64_t>(first.rank());
  const std::int64_t wrapped = dimension < 0 ? dimension + rank : dimension;
  if (wrapped < 0 || wrapped >= rank) {
    tape.refuse("there is no dimension " + std::to_string(dimension) + " in " +
                to_string(first.sizes) + " to concatenate along");
    return first;
  }
  const std::size_t at = static_cast<std::size_t>(wrapped);
  Dims sizes = first.sizes;
  DType dtype = first.dtype;
  for (const Tensor& part : parts.subspan(1)) {
    Dims expected = part.sizes;
    if (part.rank() == first.rank()) expected[at] = first.sizes[at];
    if (!(expected == first.sizes)) {
      tape.refuse("tensors of " + to_string(first.sizes) + " and " + to_string(part.sizes) +
                  " cannot be concatenated along dimension " + std::to_string(wrapped));
      return first;
    }
    sizes[at] = saturating_add(sizes[at], part.sizes[at]);
    dtype = promote(dtype, part.dtype);
  }
  OperatorScope op(tape, OperatorKind::concatenate, parts);
  return op.output(sizes, dtype);
}

Tensor rearrange(Tape& tape, const Tensor& x, OperatorKind kind, const Dims& sizes) {
  OperatorScope op(tape, kind, {&x});
  return op.output(sizes, x.dtype);
}

}  // namespace gpulint::model
