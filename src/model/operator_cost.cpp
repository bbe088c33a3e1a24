// A memory-bound operator costs the bytes of its passes: forward it reads its inputs and writes its
// output and whatever it makes for autograd; backward it reads the incoming gradient and what was
// saved, and writes the gradients of its inputs. Reductions read their input once more. A matrix
// product costs two more of its kind backward, one per operand that needs a gradient. Kernels that
// only fill or add scalars are left out. Rejected: bytes of the forward pass times a constant,
// which is wrong by a factor of two between a cast and a batch norm.

#include "model/operator_cost.h"

#include "model/kernel_rule.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

namespace gpulint::model {

namespace {

double as_double(std::int64_t value) { return static_cast<double>(value); }

bool is_depthwise(const Operator& op) { return op.product.batch > 1 && op.product.columns <= 2; }

bool is_square(std::int64_t taps) {
  const double side = std::round(std::sqrt(as_double(taps)));
  return side * side == as_double(taps);
}

/// Bytes of the passes that gradients of a product or sum need beyond one pass over all operands.
/// The gradient of an operand that was broadcast is made in the size of the result and then summed
/// (a factor per channel: squeeze-and-excitation, layer scale); every further gradient reads the
/// incoming one again.
struct BroadcastPasses {
  double multiplied = 0;
  double added = 0;
};
BroadcastPasses broadcast_passes(std::span<const double> reads, std::span<const bool> wanted,
                                 double gradient_in) {
  BroadcastPasses passes;
  double senders = 0;
  for (std::size_t i = 0; i < reads.size(); ++i) {
    if (!wanted[i]) continue;
    senders += 1;
    if (reads[i] >= gradient_in) continue;
    passes.multiplied += 2 * gradient_in;
    passes.added += gradient_in;
  }
  passes.multiplied += std::max(0.0, senders - 1) * gradient_in;
  return passes;
}

}  // namespace

/// Sizes of one operator's operands, in the order it reads them.
struct OperatorCosts::Operands {
  std::span<const Link> links;
  std::array<double, 3> reads{};
  std::array<double, 3> values{};  // how many, likewise
  std::array<bool, 3> needs_gradient{};
  std::size_t count = 0;
  double all_reads = 0;
  double writes = 0;
  double values_written = 0;
  double made_for_backward = 0;  // masks, indices, statistics
  double saved = 0;
  double gradients_out = 0;  // of its inputs
  double gradient_in = 0;    // of its output
  double senders = 0;        // inputs that get a gradient
  DType dtype = DType::fp32;

  std::size_t listed() const { return std::min(count, reads.size()); }

  /// An operand besides `left_out` (none where it is `count`) is read again for several values of
  /// the result. A single value is an argument of the kernel.
  bool has_broadcast(std::size_t left_out) const {
    for (std::size_t i = 0; i < listed(); ++i) {
      if (i != left_out && values[i] > 1 && values[i] < values_written) return true;
    }
    return false;
  }
};

// PyTorch's masked_fill, and its gradient, copy the tensor and then fill the copy in place.
Kernel OperatorCosts::filling(const Operands& of) {
  Kernel kernel{KernelKind::pointwise, of.dtype, 0, 2 * of.writes + of.saved};
  if (of.saved < of.values_written) kernel.indexed = of.values_written;  // a byte each in the mask
  return kernel;
}

// The gradient of a map is the incoming one times the factor per channel: a kernel of its own,
// taken out of what all gradients of the product cost together.
void OperatorCosts::scaled_gradients(KernelList& list, Kernel& together, const Operands& of) {
  for (std::size_t i = 0; i < of.listed(); ++i) {
    if (!of.needs_gradient[i] || !of.has_broadcast(i)) continue;
    const double bytes = std::min(of.gradient_in + of.reads[i], together.bytes);
    together.bytes -= bytes;
    together.launches -= 1;
    Kernel scaled{together.kind, of.dtype, 0, bytes};
    scaled.indexed = of.values_written;
    list.add(scaled);
  }
}

OperatorCosts::OperatorCosts(const Tape& tape, bool channels_last)
    : tape_(tape), channels_last_(channels_last), gradients_meeting_(tape.storages().size(), 0) {
  rules_.reserve(tape.operators().size());
  for (std::size_t i = 0; i < tape.operators().size(); ++i) {
    const Operator& op = tape.operators()[i];
    rules_.push_back(&kernel_rule(op.kind));
    if (!op.differentiable) continue;
    const auto links = std::span(tape.links()).subspan(op.first_link, op.link_count);
    const std::int64_t times = tape.times_of_operator(i);
    for (const Link& link : links) {
      if (link.role != LinkRole::reads || !link.needs_gradient) continue;
      const bool inplace = std::any_of(links.begin(), links.end(), [&](const Link& other) {
        return other.role == LinkRole::writes && other.storage == link.storage;
      });
      const Storage& storage = tape.storages()[link.storage];
      if (storage.kind == StorageKind::parameter && link.gradient_bytes < storage.bytes) {
        sliced_ +=
            as_double(times) * (as_double(storage.bytes) + 2 * as_double(link.gradient_bytes));
      }
      if (inplace) continue;
      // Of what all layers read, those that are folded send one each.
      const std::int64_t senders = tape.is_of_period(i, link.storage) ? 1 : times;
      std::uint16_t& meeting = gradients_meeting_[link.storage];
      constexpr std::int64_t kMost = std::numeric_limits<std::uint16_t>::max();
      meeting = static_cast<std::uint16_t>(std::min(kMost, meeting + senders));
    }
  }
}

OperatorCosts::Operands OperatorCosts::operands(std::uint32_t index) const {
  const Operator& op = tape_.operators()[index];
  Operands of;
  of.links = std::span(tape_.links()).subspan(op.first_link, op.link_count);
  for (const Link& link : of.links) {
    const Storage& storage = tape_.storages()[link.storage];
    switch (link.role) {
      case LinkRole::reads: {
        if (of.count == 0) of.dtype = storage.dtype;
        const double bytes = as_double(link.needs_gradient ? link.gradient_bytes : storage.bytes);
        if (of.count < of.reads.size()) {
          of.reads[of.count] = bytes;
          of.values[of.count] = bytes / as_double(size_of(storage.dtype));
          of.needs_gradient[of.count] = link.needs_gradient;
        }
        ++of.count;
        of.all_reads += bytes;
        if (link.needs_gradient) of.gradients_out += bytes;
        if (link.needs_gradient) of.senders += 1;
        break;
      }
      case LinkRole::writes: {
        const double bytes = as_double(link.needs_gradient ? link.gradient_bytes : storage.bytes);
        of.writes += bytes;
        of.values_written += bytes / as_double(size_of(storage.dtype));
        if (link.needs_gradient) of.gradient_in += bytes;
        break;
      }
      case LinkRole::saves: {
        of.saved += as_double(storage.bytes);
        const bool written = std::any_of(of.links.begin(), of.links.end(), [&](const Link& other) {
          return other.role == LinkRole::writes && other.storage == link.storage;
        });
        if (storage.created_by == index && !written && storage.kind == StorageKind::activation) {
          of.made_for_backward += as_double(storage.bytes);
        }
        break;
      }
    }
  }
  return of;
}

KernelList OperatorCosts::forward(std::uint32_t index) const {
  const Operator& op = tape_.operators()[index];
  const KernelRule& rule = *rules_[index];
  const Operands of = operands(index);
  KernelList list;
  Kernel kernel{rule.kernel, of.dtype, op.forward.value, as_double(op.bytes_moved), 1, op.product};
  kernel.bytes += of.made_for_backward + rule.forward_reads * of.reads[0];
  if (rule.own == KernelRule::Own::embedding) kernel.bytes = 2 * of.writes;
  if (rule.own == KernelRule::Own::nll_loss) kernel.bytes = of.writes;
  const bool combines = rule.own == KernelRule::Own::add || rule.own == KernelRule::Own::multiply;
  if (combines && of.has_broadcast(of.count)) kernel.indexed = of.values_written;
  if (rule.kernel == KernelKind::recurrence) kernel.launches = as_double(op.product.batch);
  if (rule.kernel == KernelKind::convolution) {
    if (op.window.taps > 0) kernel.convolution = &op;
    if (is_depthwise(op)) {
      kernel.kind = depthwise_kind(op, of.dtype);
    } else if (!channels_last_) {
      list.add({KernelKind::transposition, of.dtype, 0, 2 * (of.reads[0] + of.writes), 2});
    }
  }
  list.add(kernel);
  if (rule.own == KernelRule::Own::mask_fill) list.add(filling(of));
  return list;
}

// aten/src/ATen/native/Convolution.cpp, use_cudnn_depthwise: cuDNN for everything in channels-last
// order, otherwise for 16-bit operands and square windows of 1, 3 or 5. One-dimensional
// convolutions are stored in the other order.
KernelKind OperatorCosts::depthwise_kind(const Operator& op, DType dtype) const {
  const std::int64_t taps = op.product.depth;
  const bool common = taps == 1 || taps == 9 || taps == 25;
  const bool library = (channels_last_ && is_square(taps)) || (is_half(dtype) && common);
  return library ? KernelKind::depthwise : KernelKind::own_depthwise;
}

void OperatorCosts::convolution_backward(KernelList& list, const Operator& op,
                                         const Operands& of) const {
  const MatrixProduct& p = op.product;
  const bool depthwise = is_depthwise(op);
  const double input = of.reads[0];
  const double weight = of.reads[1];
  const double transposed = 2 * (input + of.gradient_in);
  const KernelKind kind = depthwise ? depthwise_kind(op, of.dtype) : KernelKind::convolution;
  for (std::size_t operand = 0; operand < 2; ++operand) {
    if (!of.needs_gradient[operand]) continue;
    MatrixProduct product = operand == 0 ? MatrixProduct{p.rows, p.depth, p.columns, p.batch}
                                         : MatrixProduct{p.columns, p.depth, p.rows, p.batch};
    if (depthwise) product = p;  // no matrix unit sees it; its window decides
    list.add({kind, of.dtype, op.forward.value, input + weight + of.gradient_in, 1, product,
              op.window.taps > 0 ? &op : nullptr, operand == 1});
    if (!channels_last_ && !depthwise) {
      list.add({KernelKind::transposition, of.dtype, 0, transposed, 2});
    }
  }
}

KernelList OperatorCosts::backward(std::uint32_t index) const {
  const Operator& op = tape_.operators()[index];
  KernelList list;
  if (!op.differentiable) return list;
  const KernelRule& rule = *rules_[index];
  const Operands of = operands(index);
  const MatrixProduct& p = op.product;
  switch (rule.kernel) {
    case KernelKind::convolution:
      convolution_backward(list, op, of);
      break;
    case KernelKind::matrix_product: {
      const double bytes = of.reads[0] + of.reads[1] + of.gradient_in;
      if (of.needs_gradient[0]) {
        list.add({rule.kernel, of.dtype, op.forward.value, bytes, 1,
                  MatrixProduct{p.rows, p.depth, p.columns, p.batch}});
      }
      if (of.needs_gradient[1]) {
        list.add({rule.kernel, of.dtype, op.forward.value, bytes, 1,
                  MatrixProduct{p.depth, p.columns, p.rows, p.batch}});
      }
      if (of.count > 2 && of.needs_gradient[2]) {  // the bias: a sum over the incoming gradient
        list.add({KernelKind::normalisation, of.dtype, 0, of.gradient_in});
      }
      break;
    }
    case KernelKind::recurrence:
      list.add({rule.kernel, of.dtype, op.backward.value, of.saved + 2 * of.gradient_in,
                2 * as_double(p.batch), p});
      break;
    default: {
      const auto passes = broadcast_passes(std::span(of.reads).first(of.listed()),
                                           std::span(of.needs_gradient), of.gradient_in);
      if (rule.own == KernelRule::Own::add && passes.added > 0) {
        list.add({KernelKind::normalisation, of.dtype, 0, passes.added});
      }
      if (op.passes_gradient) break;
      Kernel kernel{rule.kernel,
                    of.dtype,
                    op.backward.value,
                    of.gradient_in + of.saved + of.gradients_out,
                    std::max(1.0, of.senders),
                    p};
      kernel.bytes += rule.backward_reads * (of.reads[0] + of.gradient_in);
      if (rule.own == KernelRule::Own::mean) kernel.indexed = of.values[0];  // a broadcast, divided
      if (rule.own == KernelRule::Own::multiply) {
        kernel.bytes += passes.multiplied;
        scaled_gradients(list, kernel, of);
      }
      if (rule.own == KernelRule::Own::embedding)
        kernel.bytes = of.gradients_out + 2 * of.gradient_in;
      if (rule.own == KernelRule::Own::nll_loss) kernel.bytes = of.gradients_out;
      if (rule.kernel == KernelKind::attention) kernel.launches = 3;
      list.add(kernel);
      if (rule.own == KernelRule::Own::mask_fill) list.add(filling(of));
    }
  }
  for (const Link& link : of.links) {
    if (link.role != LinkRole::writes || gradients_meeting_[link.storage] < 2) continue;
    const double sums = gradients_meeting_[link.storage] - 1;
    list.add({KernelKind::pointwise, of.dtype, 0, 3 * sums * as_double(link.gradient_bytes), sums});
  }
  return list;
}

Kernel OperatorCosts::weight_sums() const {
  Kernel kernel{KernelKind::pointwise, DType::fp32, 0, sliced_, 0};
  for (std::size_t i = 0; i < tape_.storages().size(); ++i) {
    const Storage& storage = tape_.storages()[i];
    if (storage.kind != StorageKind::parameter || gradients_meeting_[i] < 2) continue;
    const double sums = (gradients_meeting_[i] - 1) * as_double(tape_.times_of_storage(i));
    kernel.bytes += 3 * sums * as_double(storage.bytes);
    kernel.launches += sums;
  }
  return kernel;
}

Kernel OperatorCosts::weight_casts() const {
  Kernel kernel{KernelKind::copy, DType::fp32, 0, 0, 0};
  for (std::size_t i = 0; i < tape_.storages().size(); ++i) {
    const Storage& storage = tape_.storages()[i];
    if (storage.kind != StorageKind::weight_cast) continue;
    // 4 bytes read and 2 written on the way in, the reverse on the way back.
    const double times = as_double(tape_.times_of_storage(i));
    kernel.bytes += 2 * 3 * times * as_double(storage.bytes);
    kernel.launches += 2 * times;
  }
  return kernel;
}

}  // namespace gpulint::model
