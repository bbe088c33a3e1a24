#include "model/tape.h"

#include "base/text.h"

#include <algorithm>

namespace gpulint::model {

void Tape::refuse(std::string_view message) {
  if (error_.empty()) error_ = escape_for_display(message);
}

void Tape::expect(std::size_t operators) {
  operators_.reserve(operators);
  storages_.reserve(3 * operators);
  links_.reserve(5 * operators);
}

std::size_t Tape::whole_operators() const {
  std::size_t count = operators_.size();
  for (const Fold& fold : folds_) count += fold.times * fold.period.operators;
  return count;
}

Tensor Tape::create(const Dims& sizes, DType dtype, StorageKind kind, bool requires_grad) {
  const Tensor tensor{.sizes = sizes,
                      .strides = contiguous_strides(sizes),
                      .storage = static_cast<StorageId>(storages_.size()),
                      .dtype = dtype,
                      .requires_grad = requires_grad};
  for (const std::int64_t size : sizes) {
    if (size < 0) refuse("a tensor of " + to_string(sizes) + " has a negative size");
  }
  Storage& storage = storages_.emplace_back();
  storage.bytes = tensor.bytes();
  storage.kind = kind;
  storage.dtype = dtype;
  storage.created_by = static_cast<std::uint32_t>(operators_.size());
  storage.last_used_by = storage.created_by;
  return tensor;
}

Tensor Tape::parameter(const Dims& sizes) {
  const bool trainable = section_trainable();
  const DType dtype = inside(kAdapterSection)
                          ? options_.adapter.weights.value_or(options_.precision.weights)
                          : options_.precision.weights;
  Tensor weight = create(sizes, dtype, StorageKind::parameter, trainable);
  weight.leaf_parameter = true;
  storages_.back().trainable = trainable;
  return weight;
}

Tensor Tape::norm_parameter(const Dims& sizes) {
  Tensor weight = parameter(sizes);
  if (!options_.autograd || !options_.train_norms) return weight;
  weight.requires_grad = true;
  storages_.back().trainable = true;
  return weight;
}

Tensor Tape::expert_parameter(const Dims& sizes) {
  const Tensor weight = parameter(sizes);
  storages_.back().experts = true;
  return weight;
}

Tensor Tape::buffer(const Dims& sizes, DType dtype) {
  return create(sizes, dtype, StorageKind::buffer, false);
}

Tensor Tape::cached_half(const Tensor& weight, DType half) {
  StorageId copy = storages_[weight.storage].half_copy;
  if (copy == kNoStorage) {
    copy = create(weight.sizes, half, StorageKind::weight_cast, true).storage;
    storages_[weight.storage].half_copy = copy;
    storages_[copy].full_copy = weight.storage;
  }
  Tensor result = weight;
  result.storage = copy;
  result.dtype = half;
  result.leaf_parameter = false;
  return result;
}

void Tape::hold(const Tensor& tensor) {
  if (tensor.known()) storages_[tensor.storage].held = true;
}

void Tape::stream(const Tensor& tensor, double share) {
  if (!tensor.known()) return;
  Storage& storage = storages_[tensor.storage];
  storage.bytes = saturating_round(static_cast<double>(storage.bytes) * share);
}

bool Tape::inside(std::string_view section) const {
  return std::find(sections_.begin(), sections_.end(), section) != sections_.end();
}

bool Tape::inside_any(const std::vector<std::string>& sections) const {
  return std::any_of(sections.begin(), sections.end(),
                     [&](const std::string& name) { return inside(name); });
}

bool Tape::section_trainable() const {
  if (!options_.autograd || inside_frozen()) return false;
  if (options_.train_outside_blocks && open_block_ == 0) return true;
  if (inside(kFrozenSection)) return false;
  return options_.trained.empty() || inside_any(options_.trained);
}

void Tape::enter_section(std::string_view name) { sections_.emplace_back(name); }
void Tape::leave_section() { sections_.pop_back(); }

void Tape::begin_block(std::string name) {
  if (open_block_ != 0) return refuse("block " + name + " lies inside another block");
  const auto& only = options_.checkpointed;
  const bool candidate = only.empty() || std::find(only.begin(), only.end(), name) != only.end();
  if (candidate) ++candidates_;
  const std::int64_t every = std::max<std::int64_t>(options_.checkpoint_every, 1);
  recomputing_ = options_.checkpoint_blocks && candidate && candidates_ % every == 0;
  matrix_products_ = 0;
  blocks_.push_back(Block{.name = std::move(name),
                          .first_operator = static_cast<std::uint32_t>(operators_.size()),
                          .recomputed = recomputing_});
  open_block_ = static_cast<std::uint32_t>(blocks_.size());
}

void Tape::end_block(std::span<const Tensor> inputs, Tensor& output) {
  if (open_block_ == 0) return;
  Block& block = blocks_[open_block_ - 1];
  block.operator_count = static_cast<std::uint32_t>(operators_.size()) - block.first_operator;
  open_block_ = 0;
  // A block through which no gradient flows has no backward pass: nothing is kept to run it again.
  const bool recomputed = recomputing_ && output.requires_grad;
  block.recomputed = recomputed;
  recomputing_ = false;
  for (const Tensor& input : inputs) {
    Storage& kept = storages_[input.storage];
    block.input_bytes = saturating_add(block.input_bytes, kept.bytes);
    if (!recomputed) continue;
    kept.block_input = true;
    if (!options_.offload_block_inputs) kept.saved = true;
  }
  if (recomputed) output.leaf_parameter = false;
}

void Tape::save(const Tensor& tensor) {
  Storage& storage = storages_[tensor.storage];
  if (open_block_ != 0 && storage.saved_in_block == 0 && !storage.saved) {
    storage.saved_in_block = open_block_;
    if (storage.kind == StorageKind::activation) {
      Block& block = blocks_[open_block_ - 1];
      block.saved_bytes = saturating_add(block.saved_bytes, storage.bytes);
    }
  }
  if (!recomputing_) storage.saved = true;
}

std::int64_t Tape::saved_bytes(StorageKind kind) const {
  std::int64_t sum = 0;
  for (std::size_t id = 0; id < storages_.size(); ++id) {
    const Storage& storage = storages_[id];
    if (!storage.saved || storage.kind != kind) continue;
    sum = saturating_add(sum, saturating_multiply(storage.bytes, times_of_storage(id)));
  }
  return sum;
}

std::int64_t Tape::total_bytes(StorageKind kind) const {
  std::int64_t sum = 0;
  for (std::size_t id = 0; id < storages_.size(); ++id) {
    if (storages_[id].kind != kind) continue;
    sum = saturating_add(sum, saturating_multiply(storages_[id].bytes, times_of_storage(id)));
  }
  return sum;
}

OperatorScope::OperatorScope(Tape& tape, OperatorKind kind,
                             std::initializer_list<const Tensor*> inputs)
    : tape_(tape) {
  operator_.kind = kind;
  operator_.first_link = static_cast<std::uint32_t>(tape_.links_.size());
  for (const Tensor* input : inputs) {
    if (input != nullptr && input->known()) read(*input);
  }
}

OperatorScope::OperatorScope(Tape& tape, OperatorKind kind, std::span<const Tensor> inputs)
    : tape_(tape) {
  operator_.kind = kind;
  operator_.first_link = static_cast<std::uint32_t>(tape_.links_.size());
  for (const Tensor& input : inputs) read(input);
}

OperatorScope::~OperatorScope() {
  operator_.differentiable = differentiable_;
  operator_.block = tape_.open_block_;
  operator_.link_count = static_cast<std::uint32_t>(tape_.links_.size()) - operator_.first_link;
  if (tape_.whole_operators() < kMaxOperators) {
    tape_.operators_.push_back(operator_);
  } else {
    tape_.refuse("the model runs more than " + std::to_string(kMaxOperators) + " operators");
  }
}

void OperatorScope::read(const Tensor& tensor) {
  const bool tracked = tensor.requires_grad && tape_.options_.autograd;
  if (tracked) differentiable_ = true;
  const std::int64_t bytes = tensor.bytes();
  link(tensor, LinkRole::reads, tracked, bytes);
  operator_.bytes_moved = saturating_add(operator_.bytes_moved, bytes);
}

inline void OperatorScope::link(const Tensor& tensor, LinkRole role, bool needs_gradient,
                                std::int64_t bytes) {
  Storage& storage = tape_.storages_[tensor.storage];
  storage.last_used_by = static_cast<std::uint32_t>(tape_.operators_.size());
  tape_.links_.push_back({tensor.storage, role, needs_gradient, needs_gradient ? bytes : 0});
}

Tensor OperatorScope::output(const Dims& sizes, DType dtype) {
  const Tensor result = tape_.create(sizes, dtype, StorageKind::activation, differentiable_);
  Storage& storage = tape_.storages_[result.storage];
  if (kept_when_recomputed()) storage.saved = true;
  link(result, LinkRole::writes, differentiable_, storage.bytes);
  operator_.bytes_moved = saturating_add(operator_.bytes_moved, storage.bytes);
  return result;
}

Tensor OperatorScope::inplace(const Tensor& tensor) {
  Tensor result = tensor;
  result.requires_grad = differentiable_;
  result.leaf_parameter = false;
  const std::int64_t bytes = result.bytes();
  link(result, LinkRole::writes, differentiable_, bytes);
  operator_.bytes_moved = saturating_add(operator_.bytes_moved, bytes);
  return result;
}

// Selective checkpointing of operators keeps the results of attention and of every second matrix
// product, the first of a block included (torchtitan, torch.utils.checkpoint policies).
bool OperatorScope::kept_when_recomputed() const {
  if (!tape_.recomputing_ || !tape_.options_.keep_matrix_products) return false;
  if (operator_.kind == OperatorKind::sdpa) return true;
  return operator_.kind == OperatorKind::linear && ++tape_.matrix_products_ % 2 == 1;
}

void OperatorScope::scratch(const Dims& sizes, DType dtype) {
  const Tensor borrowed = tape_.create(sizes, dtype, StorageKind::activation, false);
  tape_.storages_[borrowed.storage].scratch = true;
  link(borrowed, LinkRole::reads, false, 0);
}

void OperatorScope::save(const Tensor& tensor) {
  if (!differentiable_ || !tensor.known()) return;
  tape_.save(tensor);
  tape_.links_.push_back({tensor.storage, LinkRole::saves, false, 0});
}

void OperatorScope::save_in_node(const Tensor& tensor) {
  save(tensor);
  if (differentiable_ && tensor.known()) tape_.storages_[tensor.storage].of_graph = true;
}

void OperatorScope::save_new(const Dims& sizes, DType dtype) {
  if (!differentiable_) return;
  save(tape_.create(sizes, dtype, StorageKind::activation, false));
}

void OperatorScope::keep_alive(const Tensor& tensor) {
  if (tensor.known()) link(tensor, LinkRole::reads, false, 0);
}

void OperatorScope::flops(double forward, double backward) {
  operator_.forward = Flops{forward};
  operator_.backward = Flops{differentiable_ ? backward : 0};
}

}  // namespace gpulint::model
