#pragma once

// What the operators of a tape ask of a device: kernels with FLOPs, bytes moved and launches,
// forward and backward. No rates: `estimate` knows what a GPU makes of them.

#include "model/tape.h"

#include <array>
#include <cstdint>
#include <vector>

namespace gpulint::model {

enum class KernelKind : std::uint8_t {
  matrix_product,
  convolution,
  depthwise,      // convolution with one input channel per group, by cuDNN
  own_depthwise,  // likewise, by PyTorch's own kernels
  attention,      // fused scores, softmax and product
  recurrence,     // one cell, step after step
  pointwise,      // one pass over its operands
  normalisation,  // passes with a reduction between them
  pooling,        // windows and indices
  transposition,  // around a convolution that is not in channels-last order
  copy,           // casts, concatenation, padding
};
inline constexpr std::size_t kKernelKinds = 11;

struct Kernel {
  KernelKind kind = KernelKind::pointwise;
  DType dtype = DType::fp32;  // of its operands
  double flops = 0;
  double bytes = 0;  // read and written, each pass counted
  double launches = 1;
  MatrixProduct product = {};
  // A convolution that may run as products of transformed tiles, and whether this is the gradient
  // of its weight.
  const Operator* convolution = nullptr;
  bool of_weight = false;
  // Values whose place in every operand is computed on its own, because operands differ in shape.
  double indexed = 0;
};

/// The kernels one operator runs in one direction: hardly ever more than `few_` has room for.
class KernelList {
 public:
  void add(const Kernel& kernel) {
    if (many_.empty() && size_ < few_.size()) {
      few_[size_++] = kernel;
      return;
    }
    if (many_.empty()) many_.assign(few_.begin(), few_.end());
    many_.push_back(kernel);
  }
  const Kernel* begin() const { return many_.empty() ? few_.data() : many_.data(); }
  const Kernel* end() const { return begin() + (many_.empty() ? size_ : many_.size()); }

 private:
  std::array<Kernel, 8> few_{};
  std::size_t size_ = 0;
  std::vector<Kernel> many_;  // all of them, once there is a ninth
};

struct KernelRule;

/// Reads a finished tape, which must outlive it.
class OperatorCosts {
 public:
  OperatorCosts(const Tape& tape, bool channels_last);

  KernelList forward(std::uint32_t index) const;
  /// Empty for operators without a node in the backward graph. Sums of gradients that meet in one
  /// tensor belong to the operator that made the tensor.
  KernelList backward(std::uint32_t index) const;
  /// Autocast's copies of weights, cast once per forward pass, and their gradients, cast back.
  Kernel weight_casts() const;
  /// Gradients of weights that several operators read, added up, and of weights read in part: a
  /// slice's gradient is a table of the whole weight's size, zero outside of the slice.
  Kernel weight_sums() const;

 private:
  struct Operands;
  Operands operands(std::uint32_t index) const;
  static Kernel filling(const Operands& of);
  static void scaled_gradients(KernelList& list, Kernel& together, const Operands& of);
  void convolution_backward(KernelList& list, const Operator& op, const Operands& of) const;
  KernelKind depthwise_kind(const Operator& op, DType dtype) const;

  const Tape& tape_;
  bool channels_last_;
  std::vector<const KernelRule*> rules_;          // per operator
  std::vector<std::uint16_t> gradients_meeting_;  // per storage: operators that send it a gradient
  double sliced_ = 0;                             // bytes of the gradients of parts of weights
};

}  // namespace gpulint::model
