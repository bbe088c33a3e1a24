#include "model/operator_kind.h"

#include "model/kernel_rule.h"

#include <array>

namespace gpulint::model {
namespace {

using Own = KernelRule::Own;

// Batch and group norms read their input for the statistics and again to apply them; all norms
// read input and gradient for the sums before they write the gradient of the input.
constexpr std::array<KernelRule, kOperatorKinds> kKernelRules{{
    {OperatorKind::absolute, "absolute", KernelKind::pointwise},
    {OperatorKind::add, "add", KernelKind::pointwise, 0, 0, Own::add},
    {OperatorKind::average_pool, "average_pool", KernelKind::pooling},
    {OperatorKind::batch_norm, "batch_norm", KernelKind::normalisation, 1, 1},
    {OperatorKind::bce, "bce", KernelKind::pointwise},
    {OperatorKind::bce_with_logits, "bce_with_logits", KernelKind::pointwise},
    {OperatorKind::cast, "cast", KernelKind::copy},
    {OperatorKind::chunked_cross_entropy, "chunked_cross_entropy", KernelKind::pointwise},
    {OperatorKind::clamp, "clamp", KernelKind::pointwise},
    {OperatorKind::concatenate, "concatenate", KernelKind::copy},
    {OperatorKind::conv, "conv", KernelKind::convolution},
    {OperatorKind::conv_transpose, "conv_transpose", KernelKind::convolution},
    {OperatorKind::copy, "copy", KernelKind::copy},
    {OperatorKind::custom, "custom", KernelKind::pointwise},
    {OperatorKind::divide, "divide", KernelKind::pointwise, 0, 0, Own::multiply},
    {OperatorKind::dropout, "dropout", KernelKind::pointwise},
    {OperatorKind::elu, "elu", KernelKind::pointwise},
    {OperatorKind::embedding, "embedding", KernelKind::pooling, 0, 0, Own::embedding},
    {OperatorKind::erf, "erf", KernelKind::pointwise},
    {OperatorKind::exp, "exp", KernelKind::pointwise},
    {OperatorKind::gather_rows, "gather_rows", KernelKind::pointwise},
    {OperatorKind::gelu, "gelu", KernelKind::pointwise},
    {OperatorKind::group_norm, "group_norm", KernelKind::normalisation, 1, 1},
    {OperatorKind::grouped_linear, "grouped_linear", KernelKind::pointwise},
    {OperatorKind::gru, "gru", KernelKind::recurrence},
    {OperatorKind::hardsigmoid, "hardsigmoid", KernelKind::pointwise},
    {OperatorKind::hardswish, "hardswish", KernelKind::pointwise},
    {OperatorKind::index_add, "index_add", KernelKind::pointwise},
    {OperatorKind::layer_norm, "layer_norm", KernelKind::normalisation, 0, 1},
    {OperatorKind::leaky_relu, "leaky_relu", KernelKind::pointwise},
    {OperatorKind::linear, "linear", KernelKind::matrix_product},
    {OperatorKind::log, "log", KernelKind::pointwise},
    {OperatorKind::log_softmax, "log_softmax", KernelKind::normalisation},
    {OperatorKind::lstm, "lstm", KernelKind::recurrence},
    {OperatorKind::mask_fill, "mask_fill", KernelKind::pointwise, 0, 0, Own::mask_fill},
    {OperatorKind::matmul, "matmul", KernelKind::matrix_product},
    {OperatorKind::max_pool, "max_pool", KernelKind::pooling},
    {OperatorKind::mean, "mean", KernelKind::pointwise, 0, 0, Own::mean},
    {OperatorKind::mish, "mish", KernelKind::pointwise},
    {OperatorKind::mse_loss, "mse_loss", KernelKind::pointwise},
    {OperatorKind::multiply, "multiply", KernelKind::pointwise, 0, 0, Own::multiply},
    {OperatorKind::multiply_add, "multiply_add", KernelKind::pointwise},
    {OperatorKind::nll_loss, "nll_loss", KernelKind::pointwise, 0, 0, Own::nll_loss},
    {OperatorKind::norm, "norm", KernelKind::normalisation},
    {OperatorKind::pad, "pad", KernelKind::copy},
    {OperatorKind::power, "power", KernelKind::pointwise},
    {OperatorKind::reciprocal, "reciprocal", KernelKind::pointwise},
    {OperatorKind::reduce, "reduce", KernelKind::pointwise},
    {OperatorKind::relu, "relu", KernelKind::pointwise},
    {OperatorKind::relu6, "relu6", KernelKind::pointwise},
    {OperatorKind::rms_norm, "rms_norm", KernelKind::normalisation, 0, 1},
    {OperatorKind::roi_align, "roi_align", KernelKind::pointwise},
    {OperatorKind::roll, "roll", KernelKind::copy},
    {OperatorKind::rsqrt, "rsqrt", KernelKind::pointwise},
    {OperatorKind::scale, "scale", KernelKind::pointwise},
    {OperatorKind::sdpa, "sdpa", KernelKind::attention},
    {OperatorKind::sigmoid, "sigmoid", KernelKind::pointwise},
    {OperatorKind::silu, "silu", KernelKind::pointwise},
    {OperatorKind::sine, "sine", KernelKind::pointwise},
    {OperatorKind::softmax, "softmax", KernelKind::normalisation},
    {OperatorKind::softplus, "softplus", KernelKind::pointwise},
    {OperatorKind::sqrt, "sqrt", KernelKind::pointwise},
    {OperatorKind::tanh, "tanh", KernelKind::pointwise},
    {OperatorKind::topk, "topk", KernelKind::pointwise},
    {OperatorKind::upsample, "upsample", KernelKind::pooling},
}};

constexpr bool has_all_kinds() {
  for (std::size_t i = 0; i < kKernelRules.size(); ++i) {
    if (static_cast<std::size_t>(kKernelRules[i].operation) != i || kKernelRules[i].name.empty())
      return false;
  }
  return true;
}
static_assert(has_all_kinds(), "one row per OperatorKind, in its order");

}  // namespace

const KernelRule& kernel_rule(OperatorKind kind) {
  return kKernelRules[static_cast<std::size_t>(kind)];
}

std::string_view name_of(OperatorKind kind) { return kernel_rule(kind).name; }

}  // namespace gpulint::model
