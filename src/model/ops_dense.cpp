#include "model/ops_dense.h"

#include "model/ops.h"

namespace gpulint::model {

namespace {

/// Sampling points per bin and side; detectors' default of "as many as the bin is large"
/// averages 2.
constexpr double kSamplesPerBin = 4;
/// A box: index of its image, and two corners.
constexpr std::int64_t kBoxNumbers = 5;

}  // namespace

Tensor resize_like(Tape& tape, const Tensor& x, const Tensor& like) {
  if (x.rank() < 3 || like.rank() != x.rank()) {
    tape.refuse("a map of " + to_string(x.sizes) + " cannot be resized to " +
                to_string(like.sizes));
    return x;
  }
  Dims sizes = x.sizes;
  for (std::size_t i = 2; i < sizes.size(); ++i) sizes[i] = like.sizes[i];
  return rearrange(tape, x, OperatorKind::upsample, sizes);
}

Tensor pixel_cross_entropy(Tape& tape, const Tensor& logits) {
  if (logits.rank() != 4 && logits.rank() != 5) {
    tape.refuse("a pixel loss cannot read logits of " + to_string(logits.sizes));
    return logits;
  }
  const Tensor x = raise(tape, logits);
  Dims pixels = x.sizes;
  pixels.erase(1);
  const Tensor labels = tape.create(pixels, DType::int64, StorageKind::target, false);
  const double elements = static_cast<double>(x.elements());
  Tensor log_probabilities;
  {
    OperatorScope op(tape, OperatorKind::log_softmax, {&x});
    op.flops(5 * elements, 4 * elements);
    log_probabilities = op.output(x.sizes, x.dtype);
    op.save(log_probabilities);
    if (tape.options().softmax_keeps_input) op.save(x);
  }
  OperatorScope op(tape, OperatorKind::nll_loss, {&log_probabilities, &labels});
  op.keep_alive(logits);
  op.save(log_probabilities);
  op.save(labels);
  op.save_new({}, x.dtype);           // total weight
  return op.output(pixels, x.dtype);  // one loss per pixel: ignored ones are left out of the mean
}

Tensor roi_align(Tape& tape, const Tensor& x, std::int64_t regions, std::int64_t output) {
  if (x.rank() != 4 || regions < 1 || output < 1) {
    tape.refuse("regions cannot be cut out of a tensor of " + to_string(x.sizes));
    return x;
  }
  OperatorScope op(tape, OperatorKind::roi_align, {&x});
  const Dims sizes{regions, x.size(1), output, output};
  const double work = static_cast<double>(element_count(sizes)) * kSamplesPerBin * 8;
  op.flops(work, work);
  op.save_new({regions, kBoxNumbers}, DType::fp32);
  return op.output(sizes, x.dtype);
}

}  // namespace gpulint::model
