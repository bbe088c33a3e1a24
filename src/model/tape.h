#pragma once

// The tape records one forward pass: every storage that comes to life, what autograd keeps of it
// for the backward pass, and what each primitive operator costs. All knowledge about which tensors
// are saved lives in the primitives (ops.h) and reaches the tape through OperatorScope; composite
// operators and model files only call primitives.

#include "base/units.h"
#include "model/record.h"
#include "model/tape_options.h"
#include "model/tensor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpulint::model {

/// Largest number of operators one forward pass may have; a bound on hostile model files.
inline constexpr std::size_t kMaxOperators = 200'000;

class Tape {
 public:
  explicit Tape(TapeOptions options) : options_(std::move(options)) {}

  /// Room for so many operators from the start.
  void expect(std::size_t operators);

  const TapeOptions& options() const { return options_; }
  const std::vector<Storage>& storages() const { return storages_; }
  const std::vector<Operator>& operators() const { return operators_; }
  const std::vector<Link>& links() const { return links_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  /// Of the operators, those copied from the iteration of a loop before (repetition.h).
  std::size_t copied_operators() const { return copied_operators_; }

  /// In the order of their places; none where Iterations::folded was not asked for.
  const std::vector<Fold>& folds() const { return folds_; }
  /// How many operators or storages of the network this one stands for.
  std::int64_t times_of_operator(std::size_t index) const {
    for (const Fold& fold : folds_) {
      if (fold.has_operator(index)) return 1 + static_cast<std::int64_t>(fold.times);
    }
    return 1;
  }
  std::int64_t times_of_storage(std::size_t id) const {
    for (const Fold& fold : folds_) {
      if (fold.has_storage(id)) return 1 + static_cast<std::int64_t>(fold.times);
    }
    return 1;
  }
  /// Where operator `index` stands for several: whether each of them has a storage of its own in
  /// the place of `id`. Else all of them share it.
  bool is_of_period(std::size_t index, std::size_t id) const {
    for (const Fold& fold : folds_) {
      if (fold.has_operator(index)) return fold.is_of_some_period(id);
    }
    return true;
  }
  /// Operators of the network, those that are folded included.
  std::size_t whole_operators() const;

  /// The first refusal wins; later operators do nothing sensible and must not crash.
  void refuse(std::string_view message);
  bool refused() const { return !error_.empty(); }
  const std::string& error() const { return error_; }

  Tensor create(const Dims& sizes, DType dtype, StorageKind kind, bool requires_grad);
  /// A weight of the model in the policy's dtype, trainable unless its section is frozen.
  Tensor parameter(const Dims& sizes);
  /// A weight of a norm.
  Tensor norm_parameter(const Dims& sizes);
  /// One weight of all experts of a layer, the experts being its first dimension.
  Tensor expert_parameter(const Dims& sizes);
  Tensor buffer(const Dims& sizes, DType dtype);
  /// The weight's half-precision copy in the autocast cache, made at its first use.
  Tensor cached_half(const Tensor& weight, DType half);

  /// Only this share of `tensor` exists at any one time.
  void stream(const Tensor& tensor, double share);

  bool inside_block() const { return open_block_ != 0; }
  /// In a section the run does not train; adapters stay away from it too.
  bool inside_frozen() const { return inside_any(options_.frozen); }

  /// The training loop keeps `tensor` in a variable until the step ends.
  void hold(const Tensor& tensor);

  void enter_section(std::string_view name);
  void leave_section();

  /// Everything until end_block runs under activation checkpointing when the options say so;
  /// `inputs` are the tensors handed to the block, which it keeps then.
  void begin_block(std::string name);
  void end_block(std::span<const Tensor> inputs, Tensor& output);

  std::int64_t saved_bytes(StorageKind kind) const;
  /// Total over storages of a kind.
  std::int64_t total_bytes(StorageKind kind) const;

 private:
  friend class OperatorScope;
  friend class AutocastSuspended;
  friend class Fusion;
  friend class Repetition;
  friend class Unfolding;
  bool section_trainable() const;
  bool inside(std::string_view section) const;
  bool inside_any(const std::vector<std::string>& sections) const;
  void save(const Tensor& tensor);

  TapeOptions options_;
  std::vector<Storage> storages_;
  std::vector<Operator> operators_;
  std::vector<Link> links_;
  std::vector<Block> blocks_;
  std::vector<Fold> folds_;
  std::vector<std::string> sections_;
  std::string error_;
  std::uint32_t open_block_ = 0;
  bool recomputing_ = false;          // inside a checkpointed block: autograd saves nothing
  std::int64_t candidates_ = 0;       // blocks met that may be checkpointed
  std::int64_t matrix_products_ = 0;  // met in the open block
  std::size_t copied_operators_ = 0;
};

/// Records one primitive operator from its construction to its destruction.
class OperatorScope {
 public:
  OperatorScope(Tape& tape, OperatorKind kind, std::initializer_list<const Tensor*> inputs);
  OperatorScope(Tape& tape, OperatorKind kind, std::span<const Tensor> inputs);
  ~OperatorScope();
  OperatorScope(const OperatorScope&) = delete;
  OperatorScope& operator=(const OperatorScope&) = delete;

  /// True when any floating input needs a gradient.
  bool differentiable() const { return differentiable_; }
  /// New contiguous tensor that needs a gradient when the operator is differentiable.
  Tensor output(const Dims& sizes, DType dtype);
  /// The operator writes into `tensor` instead of a new storage.
  Tensor inplace(const Tensor& tensor);
  /// Autograd keeps `tensor` (nothing happens when the operator is not differentiable).
  void save(const Tensor& tensor);
  /// The operator's node itself holds `tensor`, beyond its backward and until the graph goes.
  void save_in_node(const Tensor& tensor);
  /// A new tensor that only autograd keeps: a mask, indices, statistics.
  void save_new(const Dims& sizes, DType dtype);
  void flops(double forward, double backward);
  void product(const MatrixProduct& product) { operator_.product = product; }
  void window(const PlainWindow& window) { operator_.window = window; }
  void windows_overlap(bool overlap) { operator_.windows_overlap = overlap; }
  /// A local variable keeps `tensor` alive until this operator has run.
  void keep_alive(const Tensor& tensor);
  void pass_gradient() { operator_.passes_gradient = true; }
  /// Memory the kernel needs while it runs, forward and backward.
  void scratch(const Dims& sizes, DType dtype);

 private:
  void read(const Tensor& tensor);
  /// `bytes` of the tensor, which a gradient of it takes.
  void link(const Tensor& tensor, LinkRole role, bool needs_gradient, std::int64_t bytes);
  bool kept_when_recomputed() const;
  Tape& tape_;
  Operator operator_;
  bool differentiable_ = false;
};

/// Autocast is off while this lives.
class AutocastSuspended {
 public:
  explicit AutocastSuspended(Tape& tape) : tape_(tape) {
    std::swap(was_, tape_.options_.precision.autocast);
  }
  ~AutocastSuspended() { tape_.options_.precision.autocast = was_; }
  AutocastSuspended(const AutocastSuspended&) = delete;
  AutocastSuspended& operator=(const AutocastSuspended&) = delete;

 private:
  Tape& tape_;
  std::optional<DType> was_;
};

}  // namespace gpulint::model
