#pragma once

// Which kernel runs an operator, and what the sums over its operands do not tell of its passes.

#include "model/operator_cost.h"
#include "model/operator_kind.h"

#include <string_view>

namespace gpulint::model {

struct KernelRule {
  /// What the sums over operands do not tell.
  enum class Own : std::uint8_t { nothing, add, multiply, mean, mask_fill, embedding, nll_loss };
  OperatorKind operation = OperatorKind::absolute;
  std::string_view name;
  KernelKind kernel = KernelKind::pointwise;
  double forward_reads = 0;   // further passes over the input
  double backward_reads = 0;  // further passes over input and incoming gradient
  Own own = Own::nothing;
};

const KernelRule& kernel_rule(OperatorKind kind);

}  // namespace gpulint::model
