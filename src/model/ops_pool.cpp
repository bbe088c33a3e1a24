#include "model/ops.h"

#include <algorithm>

namespace gpulint::model {

namespace {

/// Output extent of one dimension; in ceil mode the last window must start inside the input.
std::int64_t pooled_extent(std::int64_t extent, const Pool& pool, std::size_t i) {
  const std::int64_t reach =
      saturating_add(saturating_multiply(pool.dilation[i], pool.kernel[i] - 1), 1);
  const std::int64_t room = saturating_add(extent, saturating_multiply(2, pool.padding[i])) - reach;
  if (room < 0) return 0;
  const std::int64_t stride = pool.stride[i];
  std::int64_t windows = (pool.ceil_mode ? saturating_add(room, stride - 1) : room) / stride + 1;
  if (pool.ceil_mode &&
      saturating_multiply(windows - 1, stride) >= saturating_add(extent, pool.padding[i])) {
    --windows;
  }
  return windows;
}

std::optional<Dims> pooled_sizes(Tape& tape, const Tensor& x, const Pool& pool) {
  const std::size_t spatial = pool.kernel.size();
  if (x.rank() < spatial + 1) {
    tape.refuse("a pool over " + std::to_string(spatial) + " dimensions cannot read a tensor of " +
                to_string(x.sizes));
    return std::nullopt;
  }
  Dims sizes = x.sizes;
  for (std::size_t i = 0; i < spatial; ++i) {
    const std::size_t at = x.rank() - spatial + i;
    if (pool.kernel[i] < 1 || pool.stride[i] < 1 || pool.dilation[i] < 1 || pool.padding[i] < 0) {
      tape.refuse("a pool needs kernel, stride and dilation of at least 1");
      return std::nullopt;
    }
    sizes[at] = pooled_extent(x.sizes[at], pool, i);
    if (sizes[at] < 1) {
      tape.refuse("a pool with kernel " + to_string(pool.kernel) + " leaves nothing of " +
                  to_string(x.sizes));
      return std::nullopt;
    }
  }
  return sizes;
}

}  // namespace

Tensor max_pool(Tape& tape, const Tensor& x, const Pool& pool) {
  const std::optional<Dims> sizes = pooled_sizes(tape, x, pool);
  if (!sizes) return x;
  OperatorScope op(tape, OperatorKind::max_pool, {&x});
  op.flops(static_cast<double>(x.elements()), static_cast<double>(x.elements()));
  op.save(x);
  op.save_new(*sizes, DType::int64);  // positions of the maxima
  return op.output(*sizes, x.dtype);
}

Tensor average_pool(Tape& tape, const Tensor& x, const Pool& pool) {
  const std::optional<Dims> sizes = pooled_sizes(tape, x, pool);
  if (!sizes) return x;
  OperatorScope op(tape, OperatorKind::average_pool, {&x});
  op.flops(static_cast<double>(x.elements()), static_cast<double>(x.elements()));
  op.save(x);
  return op.output(*sizes, x.dtype);
}

Tensor adaptive_average_pool(Tape& tape, const Tensor& x, const Dims& output) {
  const std::size_t spatial = output.size();
  if (x.rank() < spatial + 1) {
    tape.refuse("a pool over " + std::to_string(spatial) + " dimensions cannot read a tensor of " +
                to_string(x.sizes));
    return x;
  }
  // An output of one element per channel is a mean over the trailing dimensions, which keeps
  // nothing.
  if (std::all_of(output.begin(), output.end(), [](std::int64_t size) { return size == 1; })) {
    Dims trailing;
    for (std::size_t i = x.rank() - spatial; i < x.rank(); ++i) {
      trailing.push_back(static_cast<std::int64_t>(i));
    }
    return mean(tape, x, trailing, true);
  }
  Dims sizes = x.sizes;
  for (std::size_t i = 0; i < spatial; ++i) sizes[x.rank() - spatial + i] = output[i];
  OperatorScope op(tape, OperatorKind::average_pool, {&x});
  op.flops(static_cast<double>(x.elements()), static_cast<double>(x.elements()));
  op.save(x);
  return op.output(sizes, x.dtype);
}

}  // namespace gpulint::model
