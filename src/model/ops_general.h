#pragma once

// Operators that published families rarely name and traced models do: reductions, copies, views,
// and `custom` for what has no rule of its own.

#include "model/ops.h"

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace gpulint::model {

enum class Reduction : std::uint8_t { sum, largest, position, variance, deviation, norm, product };
std::optional<Reduction> reduction_from(std::string_view name);
/// Over `dimensions`, which may count from the end.
Tensor reduce(Tape& tape, const Tensor& x, Reduction kind, const Dims& dimensions, bool keep);

/// a * b + c in one operator (addcmul). Autocast runs it in the widest dtype of the three.
Tensor multiply_add(Tape& tape, const Tensor& a, const Tensor& b, const Tensor& c);

/// New contiguous tensor of any sizes that keeps nothing: repeat, flip, im2col, pixel shuffle.
Tensor copy_to(Tape& tape, const Tensor& x, const Dims& sizes);
/// Every `step`-th of a dimension, as a view.
Tensor strided(Tape& tape, const Tensor& x, std::int64_t dimension, std::int64_t size,
               std::int64_t step);
/// Overlapping windows of a dimension as a new last dimension, as a view (Tensor.unfold).
Tensor windows(Tape& tape, const Tensor& x, std::int64_t dimension, std::int64_t size,
               std::int64_t step);
Tensor squeeze(Tape& tape, const Tensor& x, std::int64_t dimension);
Tensor unsqueeze(Tape& tape, const Tensor& x, std::int64_t dimension);

Tensor adaptive_max_pool(Tape& tape, const Tensor& x, const Dims& output);
/// Batch norm and activation in one, keeping only its result, from which the backward pass
/// recovers the input (Rota Bulo et al. 2018, arXiv:1712.02616).
Tensor inplace_batch_norm(Tape& tape, const Tensor& x);

/// An operator without a rule: what autograd keeps of it is stated.
struct Custom {
  std::vector<Tensor> operands = {};             // the first is the current tensor
  std::vector<std::size_t> keeps = {};           // of the operands
  Dims sizes = {};                               // of the result
  std::optional<Dims> keeps_new = std::nullopt;  // a tensor only autograd keeps
  bool keeps_result = false;
  bool fp32 = false;  // result and what is kept anew, whatever the current tensor's format
  bool view = false;  // the result looks at the first operand's memory
  /// Computed without gradients: it keeps its operands alive until it has run, no longer.
  bool detached = false;
};
Tensor run_custom(Tape& tape, const Custom& custom);

}  // namespace gpulint::model
