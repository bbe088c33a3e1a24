#pragma once

// Primitive operators: the one place that knows output shapes, the dtype an operator runs in under
// each precision mode, and which tensors autograd keeps for the backward pass. The rules are those
// of PyTorch's derivative formulas and CUDA autocast lists (torch 2.x; differences to 1.13 are
// named where they matter). Every function refuses impossible shapes on the tape and then returns
// its input, so that a caller may check once at the end.

#include "model/tape.h"
#include "model/tensor.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace gpulint::model {

// -- casts and views (ops_layout.cpp) --
Tensor cast(Tape& tape, const Tensor& x, DType dtype);
/// Autocast to half precision: weights through the cache, everything else a fresh copy per
/// consumer.
Tensor lower(Tape& tape, const Tensor& x);
/// Autocast to fp32.
Tensor raise(Tape& tape, const Tensor& x);
Tensor contiguous(Tape& tape, const Tensor& x);
/// `sizes` may hold one -1; a copy is made only where strides demand it.
Tensor reshape(Tape& tape, const Tensor& x, const Dims& sizes);
Tensor flatten(Tape& tape, const Tensor& x, std::int64_t from, std::int64_t to);
Tensor permute(Tape& tape, const Tensor& x, const Dims& order);
Tensor slice(Tape& tape, const Tensor& x, std::int64_t dimension, std::int64_t size);
Tensor concatenate(Tape& tape, std::span<const Tensor> parts, std::int64_t dimension);
/// A copy with new sizes that saves nothing: pad, roll, upsample, pixel shuffle.
Tensor rearrange(Tape& tape, const Tensor& x, OperatorKind kind, const Dims& sizes);

// -- pointwise (ops_pointwise.cpp) --
enum class Activation : std::uint8_t {
  relu,
  clamp,
  relu6,
  leaky_relu,
  elu,
  gelu,
  silu,
  mish,
  hardswish,
  hardsigmoid,
  softplus,
  sigmoid,
  tanh,
  exp,
  sqrt,
  rsqrt,
  log,
  absolute,
  reciprocal,
  erf,
  sine,
  gelu_new,
  quick_gelu,
  swish_composed
};
std::optional<Activation> activation_from(std::string_view name);
Tensor activate(Tape& tape, const Tensor& x, Activation kind, bool inplace = false);
Tensor add(Tape& tape, const Tensor& a, const Tensor& b, bool inplace = false);
Tensor multiply(Tape& tape, const Tensor& a, const Tensor& b, bool inplace = false);
Tensor divide(Tape& tape, const Tensor& a, const Tensor& b, bool inplace = false);
/// Arithmetic with a constant, negation, sign changes: a new tensor, nothing saved.
Tensor scale(Tape& tape, const Tensor& x, bool inplace = false);
Tensor power(Tape& tape, const Tensor& x);
/// Mean over dimensions; keeps nothing (torch >= 2.0).
Tensor mean(Tape& tape, const Tensor& x, const Dims& dimensions, bool keep);
enum class DropoutKind : std::uint8_t { elements, channels, samples };
Tensor dropout(Tape& tape, const Tensor& x, double probability, DropoutKind kind, bool inplace);
/// masked_fill or where with a boolean mask of `mask_sizes`.
Tensor mask_fill(Tape& tape, const Tensor& x, const Tensor& mask);

// -- matrix products (ops_matrix.cpp) --
/// x[..., in] with weight [out, in]; `bias` may be unknown.
Tensor linear(Tape& tape, const Tensor& x, const Tensor& weight, const Tensor& bias);
Tensor matmul(Tape& tape, const Tensor& a, const Tensor& b);
Tensor embed(Tape& tape, const Tensor& indices, const Tensor& weight);

struct Convolution {
  std::int64_t out = 0;
  Dims kernel, stride, padding, dilation, output_padding;  // one entry per spatial dimension
  std::int64_t groups = 1;
  bool bias = true;
  bool transposed = false;
  Tensor weight = {};  // computed by the program; unknown = a parameter of the layer
  Tensor offset = {};
};
/// Sizes of the weights a convolution over `x` has.
Dims weight_sizes(const Tensor& x, const Convolution& convolution);
Tensor convolve(Tape& tape, const Tensor& x, const Convolution& convolution);

// -- attention (ops_attention.cpp) --
enum class AttentionBackend : std::uint8_t {
  explicit_math,
  sdpa_math,
  flash,
  memory_efficient,
  sdpa  // the fused kernel the framework picks, where it has one for the scores
};
struct AttentionOptions {
  AttentionBackend backend = AttentionBackend::flash;
  double dropout = 0;
  bool softmax_fp32 = false;  // the program upcasts scores itself
  bool scale_query = false;   // scale applied to q (torch MHA) instead of to the scores
  Tensor mask = {};           // additive mask; unknown = none
  bool fill_mask = false;     // a boolean causal mask made for this call (GPT-2), kept by the fill
  bool softcap = false;       // scores bounded by a tanh: only FlashAttention 2 has that
  bool causal = false;        // no token looks ahead: fused kernels skip those scores
};
/// q[b, heads, t, d], k and v [b, heads, s, d] -> [b, heads, t, d].
Tensor attend(Tape& tape, const Tensor& q, const Tensor& k, const Tensor& v,
              const AttentionOptions& options);
Tensor softmax(Tape& tape, const Tensor& x, bool to_fp32);

// -- recurrent layers (ops_recurrent.cpp) --
enum class RecurrentCell : std::uint8_t { lstm, gru };
struct Recurrent {
  RecurrentCell cell = RecurrentCell::lstm;
  std::int64_t hidden = 0;
  std::int64_t layers = 1;
  bool bidirectional = false;
  double dropout = 0;  // between layers
};
/// x[batch, steps, features] -> [batch, steps, hidden x directions], through the fused cuDNN layer.
Tensor recur(Tape& tape, const Tensor& x, const Recurrent& recurrent);

// -- normalisation (ops_norm.cpp) --
/// `computed`: a scale the program computes, in place of a parameter.
Tensor batch_norm(Tape& tape, const Tensor& x, bool affine, bool track_running_stats,
                  const Tensor& computed = {});
/// Over the last `dimensions` dimensions.
Tensor layer_norm(Tape& tape, const Tensor& x, std::size_t dimensions, bool affine, bool bias);
Tensor group_norm(Tape& tape, const Tensor& x, std::int64_t groups, bool affine);
/// A batch norm whose channels are those of every sample: autocast leaves its format, unlike a
/// group norm's (aten/src/ATen/native/Normalization.cpp, instance_norm).
Tensor instance_norm(Tape& tape, const Tensor& x, bool affine);
enum class RmsNormForm : std::uint8_t {
  composed,       // statistics in fp32, the result cast back before the weight (transformers)
  weighted_wide,  // cast back after the weight (litgpt)
  fused
};
Tensor rms_norm(Tape& tape, const Tensor& x, RmsNormForm form);
/// x / max(|x|, eps) along the last dimension, as F.normalize writes it.
Tensor normalize(Tape& tape, const Tensor& x);
Tensor local_response_norm(Tape& tape, const Tensor& x, std::int64_t size);

// -- pooling (ops_pool.cpp) --
struct Pool {
  Dims kernel, stride, padding, dilation;
  bool ceil_mode = false;
};
Tensor max_pool(Tape& tape, const Tensor& x, const Pool& pool);
Tensor average_pool(Tape& tape, const Tensor& x, const Pool& pool);
Tensor adaptive_average_pool(Tape& tape, const Tensor& x, const Dims& output);

// -- losses (ops_loss.cpp) --
struct CrossEntropy {
  bool upcast = false;  // the program turns logits into fp32 itself
  bool shift = false;   // next-token loss: the last logit and the first label are dropped
  double label_smoothing = 0;
  bool widened = false;        // the model returns fp32 logits and nobody keeps the others
  bool widened_whole = false;  // likewise, where the loss does not take them by chunks
  bool dropped = false;        // the training loop lets go of the logits before backward
  std::int64_t chunk = 0;  // tokens of a sequence that a chunked loss takes at once; 0 = an eighth
};
/// logits [n, classes], [batch, tokens, classes] or [n, classes, height, width].
Tensor cross_entropy(Tape& tape, const Tensor& logits, const CrossEntropy& options);
Tensor mean_squared_error(Tape& tape, const Tensor& x, const Tensor& target);
/// Of logits, or of probabilities (which has no place on autocast's lists).
Tensor binary_cross_entropy(Tape& tape, const Tensor& x, const Tensor& target, bool logits);

}  // namespace gpulint::model
