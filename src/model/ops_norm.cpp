#include "model/ops.h"

namespace gpulint::model {

namespace {

double per_element(const Tensor& x, double flops) {
  return flops * static_cast<double>(x.elements());
}

}  // namespace

Tensor batch_norm(Tape& tape, const Tensor& x, bool affine, bool track_running_stats,
                  const Tensor& computed) {
  if (x.rank() < 2) {
    tape.refuse("a batch norm cannot read a tensor of " + to_string(x.sizes));
    return x;
  }
  const Dims channels{x.size(1)};
  const bool own = affine && !computed.known();
  const Tensor weight = own ? tape.parameter(channels) : computed;
  const Tensor bias = own ? tape.parameter(channels) : Tensor{};
  if (track_running_stats) {
    const DType kept = tape.options().precision.weights;
    tape.buffer(channels, kept);    // running mean
    tape.buffer(channels, kept);    // running variance
    tape.buffer({}, DType::int64);  // number of batches seen
  }
  OperatorScope op(tape, OperatorKind::batch_norm, {&x, &weight, &bias});
  op.flops(per_element(x, 4), per_element(x, 8));
  op.save(x);
  op.save(computed);
  if (tape.options().batch_norm_training || !track_running_stats) {
    op.save_new(channels, DType::fp32);  // mean
    op.save_new(channels, DType::fp32);  // inverse standard deviation
  }
  return op.output(x.sizes, x.dtype);
}

Tensor layer_norm(Tape& tape, const Tensor& input, std::size_t dimensions, bool affine, bool bias) {
  if (dimensions == 0 || dimensions > input.rank()) {
    tape.refuse("a layer norm over " + std::to_string(dimensions) +
                " dimensions cannot read a tensor of " + to_string(input.sizes));
    return input;
  }
  const std::size_t kept = input.rank() - dimensions;
  const Dims rows(std::span<const std::int64_t>(input.sizes.begin(), kept));
  const Dims columns(std::span<const std::int64_t>(input.sizes.begin() + kept, dimensions));
  const Tensor weight = affine ? tape.norm_parameter(columns) : Tensor{};
  const Tensor offset = affine && bias ? tape.norm_parameter(columns) : Tensor{};
  const Tensor x = raise(tape, input);
  OperatorScope op(tape, OperatorKind::layer_norm, {&x, &weight, &offset});
  op.flops(per_element(x, 5), per_element(x, 10));
  op.save(x);
  op.save_new(rows, DType::fp32);  // mean
  op.save_new(rows, DType::fp32);  // reciprocal standard deviation
  return op.output(x.sizes, x.dtype);
}

Tensor group_norm(Tape& tape, const Tensor& input, std::int64_t groups, bool affine) {
  if (groups < 1 || input.rank() < 2 || input.size(1) % groups != 0) {
    tape.refuse("a group norm of " + std::to_string(groups) + " groups does not divide the " +
                std::to_string(input.size(1)) + " channels");
    return input;
  }
  const Dims channels{input.size(1)};
  const Tensor weight = affine ? tape.parameter(channels) : Tensor{};
  const Tensor bias = affine ? tape.parameter(channels) : Tensor{};
  const Tensor x = contiguous(tape, raise(tape, input));
  OperatorScope op(tape, OperatorKind::group_norm, {&x, &weight, &bias});
  op.flops(per_element(x, 5), per_element(x, 10));
  op.save(x);
  op.save_new({x.size(0), groups}, DType::fp32);
  op.save_new({x.size(0), groups}, DType::fp32);
  if (affine && tape.options().composed_group_norm) op.save_new(x.sizes, x.dtype);
  return op.output(x.sizes, x.dtype);
}

Tensor instance_norm(Tape& tape, const Tensor& input, bool affine) {
  if (input.rank() < 3) {
    tape.refuse("an instance norm cannot read a tensor of " + to_string(input.sizes));
    return input;
  }
  const Dims channels{input.size(1)};
  const Tensor weight = affine ? tape.parameter(channels) : Tensor{};
  const Tensor bias = affine ? tape.parameter(channels) : Tensor{};
  const Tensor x = contiguous(tape, input);
  OperatorScope op(tape, OperatorKind::batch_norm, {&x, &weight, &bias});
  op.flops(per_element(x, 4), per_element(x, 8));
  op.save(x);
  op.save_new({x.size(0), x.size(1)}, DType::fp32);  // mean
  op.save_new({x.size(0), x.size(1)}, DType::fp32);  // inverse standard deviation
  return op.output(x.sizes, x.dtype);
}

Tensor rms_norm(Tape& tape, const Tensor& x, RmsNormForm form) {
  if (x.rank() == 0) {
    tape.refuse("an RMS norm cannot read a tensor of " + to_string(x.sizes));
    return x;
  }
  const Tensor weight = tape.norm_parameter({x.size(-1)});
  if (form == RmsNormForm::fused) {
    Dims rows = x.sizes;
    rows.erase(rows.size() - 1);
    OperatorScope op(tape, OperatorKind::rms_norm, {&x, &weight});
    op.flops(per_element(x, 4), per_element(x, 8));
    op.save(x);
    op.save_new(rows, DType::fp32);
    return op.output(x.sizes, x.dtype);
  }
  // Written out as transformers does: statistics in fp32, the result cast back before the weight.
  const Tensor wide = cast(tape, x, DType::fp32);
  const Tensor variance = mean(tape, power(tape, wide), {-1}, true);
  const Tensor inverse = activate(tape, scale(tape, variance), Activation::rsqrt);
  const Tensor normalised = multiply(tape, wide, inverse);
  if (form == RmsNormForm::weighted_wide) {
    return cast(tape, multiply(tape, normalised, cast(tape, weight, DType::fp32)), x.dtype);
  }
  return multiply(tape, weight, cast(tape, normalised, x.dtype));
}

Tensor normalize(Tape& tape, const Tensor& x) {
  if (x.rank() == 0) return x;
  Dims rows = x.sizes;
  rows[rows.size() - 1] = 1;
  // Autocast asks the norm for an fp32 result without casting its input.
  const bool autocast = tape.options().precision.autocast.has_value();
  Tensor length;
  {
    OperatorScope op(tape, OperatorKind::norm, {&x});
    op.flops(per_element(x, 2), per_element(x, 3));
    length = op.output(rows, autocast ? DType::fp32 : x.dtype);
    op.save(x);
    op.save(length);
  }
  Tensor bounded;
  {
    OperatorScope op(tape, OperatorKind::clamp, {&length});
    op.save(length);
    bounded = op.output(rows, length.dtype);
  }
  return divide(tape, x, bounded);
}

Tensor local_response_norm(Tape& tape, const Tensor& x, std::int64_t size) {
  if (size < 1 || x.rank() < 3) {
    tape.refuse("a local response norm cannot read a tensor of " + to_string(x.sizes));
    return x;
  }
  const Tensor square = multiply(tape, x, x);
  Dims padded = square.sizes;
  padded[1] = saturating_add(padded[1], size - 1);
  const Tensor wide = rearrange(tape, square, OperatorKind::pad, padded);
  OperatorScope pool(tape, OperatorKind::average_pool, {&wide});
  pool.save(wide);
  const Tensor averaged = pool.output(x.sizes, x.dtype);
  return divide(tape, x, power(tape, scale(tape, averaged)));
}

}  // namespace gpulint::model
