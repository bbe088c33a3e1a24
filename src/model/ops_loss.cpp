#include "model/ops.h"

#include <algorithm>
#include <utility>

namespace gpulint::model {

namespace {

/// Logits as the loss reads them, and labels. Token logits are flattened to rows; shifting them by
/// one costs a copy of both as soon as the batch has more than one sequence.
std::pair<Tensor, Tensor> rows_and_labels(Tape& tape, const Tensor& logits,
                                          const CrossEntropy& options) {
  Tensor x = logits;
  Dims sizes = x.sizes;
  sizes.erase(x.rank() == 3 ? 2 : 1);
  Tensor labels = tape.create(sizes, DType::int64, StorageKind::target, false);
  if (x.rank() != 3) return {x, labels};
  if (options.shift && x.size(1) > 1) {
    x = narrowed(x, 1, x.size(1) - 1);
    labels = narrowed(labels, 1, x.size(1));
  }
  return {reshape(tape, x, {-1, x.size(-1)}), reshape(tape, labels, {-1})};
}

// Losses over chunks take 8 of them (torchtune's default) unless the program says otherwise; fused
// heads as many as the vocabulary has hidden sizes, 8 to 64 (Liger). Only one chunk is in fp32.
constexpr double kChunkShare = 1.0 / 8;
constexpr double kFusedShare = 1.0 / 16;

std::int64_t chunk_tokens(std::int64_t tokens, const CrossEntropy& options, bool fused) {
  if (!fused && options.chunk > 0) return std::min(options.chunk, tokens);
  const double share = fused ? kFusedShare : kChunkShare;
  return std::max<std::int64_t>(1, saturating_round(static_cast<double>(tokens) * share));
}

/// Token logits whose softmax, and then gradient, takes the place of their fp32 copy
/// (Megatron-LM megatron/core/tensor_parallel/cross_entropy.py). Logits that are fp32 already are
/// overwritten themselves.
Tensor overwriting_cross_entropy(Tape& tape, const Tensor& logits) {
  Dims labels = logits.sizes;
  labels.erase(2);
  const Tensor target = tape.create(labels, DType::int64, StorageKind::target, false);
  OperatorScope op(tape, OperatorKind::chunked_cross_entropy, {&logits, &target});
  op.flops(5 * static_cast<double>(logits.elements()), 4 * static_cast<double>(logits.elements()));
  if (logits.dtype != DType::fp32) op.save_new(logits.sizes, DType::fp32);
  op.save(target);
  const Tensor loss = op.output({}, DType::fp32);
  tape.hold(loss);
  return loss;
}

/// Token logits whose loss never sees all of them in fp32.
Tensor streamed_cross_entropy(Tape& tape, const Tensor& logits, const CrossEntropy& options) {
  const bool fused = tape.options().loss == LossForm::fused;
  if (fused) tape.stream(logits, kFusedShare);
  // Chunks that nobody widens keep a log-softmax in their own format.
  const bool widened = fused || options.upcast || tape.options().precision.autocast.has_value();
  const DType format = widened ? DType::fp32 : logits.dtype;
  Tensor chunk = logits;
  chunk.sizes[1] = chunk_tokens(chunk.size(1), options, fused);
  Dims labels = logits.sizes;
  labels.erase(2);
  const Tensor target = tape.create(labels, DType::int64, StorageKind::target, false);
  OperatorScope op(tape, OperatorKind::chunked_cross_entropy, {&chunk, &target});
  op.flops(5 * static_cast<double>(logits.elements()), 4 * static_cast<double>(logits.elements()));
  // A compiled loss widens, reduces and differentiates a chunk in registers.
  const bool merged = !fused && tape.options().merged_loss;
  if (!merged) {
    op.scratch(chunk.sizes, format);
    op.scratch(chunk.sizes, format);
  }
  if (!fused) op.save(logits);
  if (!fused && !merged) op.save_new(logits.sizes, format);  // log-softmax of every chunk
  op.save(target);
  const Tensor loss = op.output({}, DType::fp32);
  tape.hold(loss);
  return loss;
}

}  // namespace

Tensor cross_entropy(Tape& tape, const Tensor& made, const CrossEntropy& options) {
  if (made.rank() < 2) {
    tape.refuse("a cross entropy cannot read logits of " + to_string(made.sizes));
    return made;
  }
  const LossForm form = made.rank() == 3 ? tape.options().loss : LossForm::full;
  if (form == LossForm::in_place) return overwriting_cross_entropy(tape, made);
  const bool widened = options.widened || (options.widened_whole && form == LossForm::full);
  const Tensor logits = widened && form != LossForm::fused ? cast(tape, made, DType::fp32) : made;
  if (form != LossForm::full) return streamed_cross_entropy(tape, logits, options);
  if (!options.dropped) tape.hold(logits);
  const Tensor upcast = options.upcast ? cast(tape, logits, DType::fp32) : logits;
  const auto [scores, target] = rows_and_labels(tape, upcast, options);
  const Tensor x = raise(tape, scores);
  Tensor log_probabilities;
  {
    OperatorScope op(tape, OperatorKind::log_softmax, {&x});
    op.flops(5 * static_cast<double>(x.elements()), 4 * static_cast<double>(x.elements()));
    log_probabilities = op.output(x.sizes, x.dtype);
    op.save(log_probabilities);
    if (tape.options().written_out_loss) op.scratch(x.sizes, x.dtype);
    if (tape.options().softmax_keeps_input) op.save(x);
  }
  OperatorScope op(tape, OperatorKind::nll_loss, {&log_probabilities, &target});
  // The loss function's own variables live until it returns.
  op.keep_alive(upcast);
  op.keep_alive(scores);
  op.save(log_probabilities);
  op.save(target);
  op.save_new({}, x.dtype);  // total weight
  if (options.label_smoothing > 0) {
    op.save_new(target.sizes, DType::boolean);  // ignored positions of the smoothing term
  }
  const Tensor loss = op.output({}, x.dtype);
  tape.hold(loss);
  return loss;
}

Tensor mean_squared_error(Tape& tape, const Tensor& input, const Tensor& wanted) {
  tape.hold(input);
  const Tensor x = raise(tape, input);
  const Tensor target = raise(tape, wanted);
  OperatorScope op(tape, OperatorKind::mse_loss, {&x, &target});
  op.flops(3 * static_cast<double>(x.elements()), 2 * static_cast<double>(x.elements()));
  op.save(x);
  op.save(target);
  const Tensor loss = op.output({}, x.dtype);
  tape.hold(loss);
  return loss;
}

Tensor binary_cross_entropy(Tape& tape, const Tensor& input, const Tensor& wanted, bool logits) {
  tape.hold(input);
  const Tensor x = logits ? raise(tape, input) : input;
  const Tensor target = logits ? raise(tape, wanted) : wanted;
  OperatorScope op(tape, logits ? OperatorKind::bce_with_logits : OperatorKind::bce, {&x, &target});
  op.flops(6 * static_cast<double>(x.elements()), 3 * static_cast<double>(x.elements()));
  op.save(x);
  op.save(target);
  const Tensor loss = op.output({}, x.dtype);
  tape.hold(loss);
  return loss;
}

}  // namespace gpulint::model
