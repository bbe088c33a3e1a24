#include "model/ops.h"

#include <algorithm>

namespace gpulint::model {

namespace {

double count(const Dims& sizes) { return static_cast<double>(element_count(sizes)); }

/// Forward FLOPs once per operand that needs a gradient.
double backward_of(double forward, const Tensor& a, const Tensor& b) {
  return forward * ((a.requires_grad ? 1 : 0) + (b.requires_grad ? 1 : 0));
}

/// Leading dimensions folded into one: [batch..., rows, columns] -> [batch, rows, columns].
Tensor folded(Tape& tape, const Tensor& x, const Dims& batch) {
  Dims sizes = batch;
  sizes.push_back(x.size(-2));
  sizes.push_back(x.size(-1));
  const Tensor wide = expanded(x, sizes);
  return reshape(tape, wide, {element_count(batch), x.size(-2), x.size(-1)});
}

Tensor batched_matmul(Tape& tape, const Tensor& a, const Tensor& b) {
  OperatorScope op(tape, OperatorKind::matmul, {&a, &b});
  const double forward = 2 * count(a.sizes) * static_cast<double>(b.size(-1));
  op.flops(forward, backward_of(forward, a, b));
  Dims batch = a.sizes;
  batch[a.rank() - 1] = batch[a.rank() - 2] = 1;
  op.product({a.size(-2), b.size(-1), a.size(-1), element_count(batch)});
  if (b.requires_grad) op.save(a);
  if (a.requires_grad) op.save(b);
  Dims sizes = a.sizes;
  sizes[sizes.size() - 1] = b.size(-1);
  return op.output(sizes, a.dtype);
}

std::int64_t output_extent(const Convolution& c, std::size_t i, std::int64_t extent) {
  const std::int64_t reach = saturating_add(saturating_multiply(c.dilation[i], c.kernel[i] - 1), 1);
  if (c.transposed) {
    const std::int64_t spread = saturating_multiply(extent - 1, c.stride[i]);
    return saturating_add(saturating_add(spread, reach - saturating_multiply(2, c.padding[i])),
                          c.output_padding[i]);
  }
  const std::int64_t room = saturating_add(extent, saturating_multiply(2, c.padding[i])) - reach;
  return room < 0 ? 0 : room / c.stride[i] + 1;
}

bool acceptable(Tape& tape, const Tensor& x, const Convolution& c) {
  const std::size_t spatial = c.kernel.size();
  if (x.rank() != spatial + 2) {
    tape.refuse("a convolution over " + std::to_string(spatial) +
                " dimensions cannot read a tensor of " + to_string(x.sizes));
    return false;
  }
  for (std::size_t i = 0; i < spatial; ++i) {
    if (c.kernel[i] < 1 || c.stride[i] < 1 || c.dilation[i] < 1 || c.padding[i] < 0) {
      tape.refuse(
          "a convolution needs kernel, stride and dilation of at least 1 and padding of at "
          "least 0");
      return false;
    }
  }
  if (c.groups < 1 || c.out < 1 || x.size(1) % c.groups != 0 || c.out % c.groups != 0) {
    tape.refuse("groups: " + std::to_string(c.groups) + " does not divide the " +
                std::to_string(x.size(1)) + " input and " + std::to_string(c.out) +
                " output channels");
    return false;
  }
  return true;
}

// Winograd's F(4x4, 3x3) in separate steps, which cuDNN prefers for fp32 on GPUs without TF32: a
// tile of 4 x 4 outputs takes 6 x 6 = 36 values of every input and output channel, and of the
// weights. Lavin and Gray, arXiv:1509.09308. The fused form for few channels needs no buffer.
constexpr std::int64_t kTile = 4;
constexpr std::int64_t kTransformed = 36;
constexpr std::int64_t kFewChannels = 64;

bool is_winograd(const Tape& tape, const Tensor& x, const Convolution& c) {
  if (tape.options().convolution_workspace != ConvolutionWorkspace::winograd) return false;
  if (c.kernel.size() != 2 || c.transposed || c.groups != 1 || x.dtype != DType::fp32) return false;
  for (std::size_t i = 0; i < 2; ++i) {
    if (c.kernel[i] != 3 || c.stride[i] != 1 || c.dilation[i] != 1) return false;
  }
  return x.size(1) >= kFewChannels && c.out >= kFewChannels;
}

/// Tiles of all samples.
std::int64_t winograd_tiles(const Dims& output) {
  const auto tiles = [](std::int64_t extent) { return (extent + kTile - 1) / kTile; };
  return saturating_multiply(output[0], saturating_multiply(tiles(output[2]), tiles(output[3])));
}

/// Values of the transformed input, output and weights.
std::int64_t winograd_values(const Tensor& x, const Dims& output) {
  const std::int64_t plane = winograd_tiles(output);
  const std::int64_t channels = saturating_add(x.size(1), output[1]);
  const std::int64_t maps = saturating_multiply(plane, channels);
  return saturating_multiply(kTransformed,
                             saturating_add(maps, saturating_multiply(x.size(1), output[1])));
}

/// Whether two neighbouring results read a position in common, along any dimension.
bool windows_overlap(const Convolution& c) {
  for (std::size_t i = 0; i < c.kernel.size(); ++i) {
    if (saturating_multiply(c.dilation[i], c.kernel[i] - 1) >= c.stride[i]) return true;
  }
  return false;
}

}  // namespace

Tensor linear(Tape& tape, const Tensor& input, const Tensor& weight, const Tensor& bias) {
  if (input.size(-1) != weight.size(-1)) {
    tape.refuse("a linear layer of " + std::to_string(weight.size(-1)) +
                " inputs cannot read a tensor of " + to_string(input.sizes));
    return input;
  }
  const Tensor lowered = lower(tape, input);
  const Tensor w = lower(tape, weight);
  const Tensor b = lower(tape, bias);
  // More than two dimensions are folded into rows; the copy that takes is what is kept.
  const Tensor x = lowered.rank() <= 2 ? lowered : reshape(tape, lowered, {-1, lowered.size(-1)});
  OperatorScope op(tape, OperatorKind::linear, {&x, &w, &b});
  const double forward = 2 * count(x.sizes) * static_cast<double>(w.size(0));
  op.flops(forward, backward_of(forward, x, w));
  op.product({x.elements() / std::max<std::int64_t>(x.size(-1), 1), w.size(0), w.size(-1), 1});
  if (w.requires_grad) op.save(x);
  if (x.requires_grad) op.save(w);
  Dims sizes = input.sizes;
  sizes[sizes.size() - 1] = w.size(0);
  return op.output(sizes, x.dtype);
}

Tensor matmul(Tape& tape, const Tensor& left, const Tensor& right) {
  const Tensor a = lower(tape, left);
  const Tensor b = lower(tape, right);
  if (a.rank() < 2 || b.rank() < 2 || a.size(-1) != b.size(-2)) {
    tape.refuse("cannot multiply matrices of " + to_string(a.sizes) + " and " + to_string(b.sizes));
    return left;
  }
  if (a.rank() == 2 && b.rank() == 2) return batched_matmul(tape, a, b);
  if (b.rank() == 2) {
    Dims sizes = a.sizes;
    sizes[sizes.size() - 1] = b.size(-1);
    const Tensor rows = reshape(tape, a, {-1, a.size(-1)});
    return reshape(tape, batched_matmul(tape, rows, b), sizes);
  }
  const auto batch_of = [](const Tensor& x) {
    return Dims(std::span<const std::int64_t>(x.sizes.begin(), x.rank() - 2));
  };
  const std::optional<Dims> batch = broadcast(batch_of(a), batch_of(b));
  if (!batch) {
    tape.refuse("cannot multiply matrices of " + to_string(a.sizes) + " and " + to_string(b.sizes));
    return left;
  }
  const Tensor product = batched_matmul(tape, folded(tape, a, *batch), folded(tape, b, *batch));
  Dims sizes = *batch;
  sizes.push_back(a.size(-2));
  sizes.push_back(b.size(-1));
  return reshape(tape, product, sizes);
}

Tensor embed(Tape& tape, const Tensor& indices, const Tensor& weight) {
  OperatorScope op(tape, OperatorKind::embedding, {&indices, &weight});
  op.save(indices);
  Dims sizes = indices.sizes;
  if (!sizes.push_back(weight.size(-1))) tape.refuse("an embedding of too many dimensions");
  return op.output(sizes, weight.dtype);
}

Dims weight_sizes(const Tensor& x, const Convolution& c) {
  const std::int64_t groups = std::max<std::int64_t>(c.groups, 1);
  Dims sizes = c.transposed ? Dims{x.size(1), c.out / groups} : Dims{c.out, x.size(1) / groups};
  for (const std::int64_t extent : c.kernel) sizes.push_back(extent);
  return sizes;
}

PlainWindow plain_window(const Convolution& c, const Dims& output) {
  if (c.transposed || c.groups != 1 || c.kernel.size() > 2) return {};
  for (std::size_t i = 0; i < c.kernel.size(); ++i) {
    if (c.stride[i] != 1 || c.dilation[i] != 1) return {};
  }
  if (c.kernel.size() == 1) return {c.kernel[0], 0, output[2]};
  if (c.kernel[0] != 3 || c.kernel[1] != 3) return {};
  return {9, winograd_tiles(output), 0};
}

Tensor convolve(Tape& tape, const Tensor& input, const Convolution& c) {
  if (!acceptable(tape, input, c)) return input;
  const std::int64_t in = input.size(1);
  Dims sizes{input.size(0), c.out};
  double window = 1;
  for (std::size_t i = 0; i < c.kernel.size(); ++i) {
    const std::int64_t extent = output_extent(c, i, input.sizes[i + 2]);
    if (extent < 1) {
      tape.refuse("a convolution with kernel " + to_string(c.kernel) + " leaves nothing of " +
                  to_string(input.sizes));
      return input;
    }
    sizes.push_back(extent);
    window *= static_cast<double>(c.kernel[i]);
  }
  const Dims needed = weight_sizes(input, c);
  if (c.weight.known() && !(c.weight.sizes == needed)) {
    tape.refuse("a convolution with a weight of " + to_string(needed) + " cannot use a tensor of " +
                to_string(c.weight.sizes));
    return input;
  }
  const Tensor weight = c.weight.known() ? c.weight : tape.parameter(needed);
  const Tensor bias = c.bias ? tape.parameter({c.out}) : c.offset;
  const Tensor x = lower(tape, input);
  const Tensor w = lower(tape, weight);
  const Tensor b = lower(tape, bias);
  OperatorScope op(tape, c.transposed ? OperatorKind::conv_transpose : OperatorKind::conv,
                   {&x, &w, &b});
  const double per_output = static_cast<double>(in / c.groups) * window;
  const double forward = c.transposed
                             ? 2 * count(x.sizes) * static_cast<double>(c.out / c.groups) * window
                             : 2 * count(sizes) * per_output;
  op.flops(forward, backward_of(forward, x, w));
  const Dims& map = c.transposed ? x.sizes : sizes;
  op.product({element_count(map) / std::max<std::int64_t>(map[1], 1), c.out / c.groups,
              saturating_multiply(in / c.groups, saturating_round(window)), c.groups});
  op.window(plain_window(c, sizes));
  op.windows_overlap(windows_overlap(c));
  if (is_winograd(tape, x, c)) op.scratch({winograd_values(x, sizes)}, DType::fp32);
  op.save(x);
  op.save(w);
  return op.output(sizes, x.dtype);
}

}  // namespace gpulint::model
