#include "model/ops.h"

namespace gpulint::model {

Tensor cross_entropy(Tape& tape, const Tensor& logits, const CrossEntropy& options) {
  if (logits.rank() < 2) {
    tape.refuse("a cross entropy cannot read logits of " + to_string(logits.sizes));
    return logits;
  }
  Tensor x = raise(tape, logits);
  if (options.upcast) x = cast(tape, x, DType::fp32);
  Dims target_sizes = x.sizes;
  target_sizes.erase(1);
  const Tensor target = tape.create(target_sizes, DType::int64, StorageKind::target, false);
  Tensor log_probabilities;
  {
    OperatorScope op(tape, "log_softmax", {&x});
    op.flops(5 * static_cast<double>(x.elements()), 4 * static_cast<double>(x.elements()));
    log_probabilities = op.output(x.sizes, x.dtype);
    op.save(log_probabilities);
  }
  OperatorScope op(tape, "nll_loss", {&log_probabilities, &target});
  op.save(log_probabilities);
  op.save(target);
  op.save_new({}, x.dtype);  // total weight
  if (options.label_smoothing > 0) {
    op.save_new(target_sizes, DType::boolean);  // ignored positions of the smoothing term
  }
  return op.output({}, x.dtype);
}

Tensor mean_squared_error(Tape& tape, const Tensor& input, const Tensor& wanted) {
  const Tensor x = raise(tape, input);
  const Tensor target = raise(tape, wanted);
  OperatorScope op(tape, "mse_loss", {&x, &target});
  op.flops(3 * static_cast<double>(x.elements()), 2 * static_cast<double>(x.elements()));
  op.save(x);
  op.save(target);
  return op.output({}, x.dtype);
}

Tensor binary_cross_entropy(Tape& tape, const Tensor& logits, const Tensor& wanted) {
  const Tensor x = raise(tape, logits);
  const Tensor target = raise(tape, wanted);
  OperatorScope op(tape, "bce_with_logits", {&x, &target});
  op.flops(6 * static_cast<double>(x.elements()), 3 * static_cast<double>(x.elements()));
  op.save(x);
  op.save(target);
  return op.output({}, x.dtype);
}

}  // namespace gpulint::model
