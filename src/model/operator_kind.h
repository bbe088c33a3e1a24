#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gpulint::model {

/// The primitive operators a tape records. Each has a row in operator_kind.cpp, with its name and
/// what its kernels cost; without one the program does not compile.
enum class OperatorKind : std::uint8_t {
  absolute,
  add,
  average_pool,
  batch_norm,
  bce,
  bce_with_logits,
  cast,
  chunked_cross_entropy,
  clamp,
  concatenate,
  conv,
  conv_transpose,
  copy,
  custom,
  divide,
  dropout,
  elu,
  embedding,
  erf,
  exp,
  gather_rows,
  gelu,
  group_norm,
  grouped_linear,
  gru,
  hardsigmoid,
  hardswish,
  index_add,
  layer_norm,
  leaky_relu,
  linear,
  log,
  log_softmax,
  lstm,
  mask_fill,
  matmul,
  max_pool,
  mean,
  mish,
  mse_loss,
  multiply,
  multiply_add,
  nll_loss,
  norm,
  pad,
  power,
  reciprocal,
  reduce,
  relu,
  relu6,
  rms_norm,
  roi_align,
  roll,
  rsqrt,
  scale,
  sdpa,
  sigmoid,
  silu,
  sine,
  softmax,
  softplus,
  sqrt,
  tanh,
  topk,
  upsample,
};
inline constexpr std::size_t kOperatorKinds = static_cast<std::size_t>(OperatorKind::upsample) + 1;

/// PyTorch's word for it where there is one: "conv", "sdpa", "nll_loss".
std::string_view name_of(OperatorKind kind);

}  // namespace gpulint::model
