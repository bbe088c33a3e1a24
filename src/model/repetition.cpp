// Why the copy is exact. A period (one iteration, or several where kinds of layers alternate)
// reads: the tensor it begins with, tensors and weights by name, counters, and of the tape the
// flags of storages it reaches through these (saved, the copy in autocast's cache, ...), never the
// number of a storage or operator. `settled` holds all of it against the state one period earlier.
// A tensor either stays (made before the last two periods, the same storage) or is handed on (made
// by the period before, in the place where the last one made its own). By induction each further
// period is the last one with the storages it made and those handed to it renamed. What a period
// changes of older storages: of those that stay, only their last use, else it is not settled; of
// those handed on, their flags, which `hand_on` repeats.

#include "model/repetition.h"

#include <algorithm>

namespace gpulint::model {

namespace {

/// Nothing an iteration could read of them differs; what does, is their places.
bool looks_alike(const Storage& a, const Storage& b) {
  return a.bytes == b.bytes && a.kind == b.kind && a.dtype == b.dtype && a.saved == b.saved &&
         a.trainable == b.trainable && a.held == b.held && a.block_input == b.block_input &&
         a.experts == b.experts && a.scratch == b.scratch && a.of_graph == b.of_graph &&
         (a.saved_in_block == 0) == (b.saved_in_block == 0);
}

bool is_unchanged(const Storage& earlier, const Storage& later) {
  return looks_alike(earlier, later) && earlier.half_copy == later.half_copy &&
         earlier.full_copy == later.full_copy && earlier.saved_in_block == later.saved_in_block;
}

/// Parameters and their copies are never handed on by a network, and would need their partner
/// handed on with them.
bool is_single(const Storage& storage) {
  return storage.half_copy == kNoStorage && storage.full_copy == kNoStorage;
}

/// Loops come in loops: room grows by halves of what is there, not by each of them.
template <class T>
void make_room(std::vector<T>& list, std::size_t more) {
  const std::size_t wanted = list.size() + more;
  if (wanted > list.capacity()) list.reserve(std::max(wanted, list.capacity() * 3 / 2));
}

Fold moved(Fold fold, const TapeExtent& period, std::size_t times) {
  fold.end.storages += times * period.storages;
  fold.end.operators += times * period.operators;
  fold.end.links += times * period.links;
  fold.end.blocks += times * period.blocks;
  return fold;
}

/// Periods that stand behind a folded one. The last of a loop lets go of what all of them read, the
/// one before it gets that again where a block is recomputed, and the third from the end is the
/// first whose backward pass is like that of those before.
constexpr std::size_t kBehindFold = 3;

std::uint32_t later_by(std::size_t number, std::size_t step, std::size_t copy) {
  return static_cast<std::uint32_t>(number + step * copy);
}

}  // namespace

bool Repetition::possible(const Tape& tape) {
  return tape.open_block_ == 0 && tape.options_.adapter.form != AdapterForm::mixed_factors;
}

void Repetition::mark(Place place) {
  --marks_left_;
  earlier_ = std::move(before_);
  before_ = std::move(now_);
  now_ = {.storages = tape_.storages_.size(),
          .operators = tape_.operators_.size(),
          .links = tape_.links_.size(),
          .blocks = tape_.blocks_.size(),
          .folds = tape_.folds_.size(),
          .names = machine_.names().size(),
          .weights = machine_.weights(),
          .candidates = tape_.candidates_,
          .place = std::move(place),
          .seen = {}};
}

bool Repetition::is_of_last_but_one(StorageId id) const {
  return id >= earlier_.storages && id < before_.storages;
}

StorageId Repetition::shifted(StorageId id, std::size_t copy) const {
  if (id == kNoStorage || id < earlier_.storages) return id;
  return later_by(id, now_.storages - before_.storages, copy);
}

Tensor Repetition::shifted(Tensor tensor, std::size_t copy) const {
  tensor.storage = shifted(tensor.storage, copy);
  return tensor;
}

bool Repetition::corresponds(const Tensor& earlier, const Tensor& later) const {
  const bool alike = earlier.sizes == later.sizes && earlier.strides == later.strides &&
                     earlier.dtype == later.dtype && earlier.requires_grad == later.requires_grad &&
                     earlier.leaf_parameter == later.leaf_parameter;
  return alike && shifted(earlier.storage, 1) == later.storage;
}

bool Repetition::names_correspond() const {
  const auto& names = machine_.names();
  if (now_.weights != earlier_.weights) return false;
  for (std::size_t i = 0; i < now_.names - before_.names; ++i) {
    const auto& [name, tensor] = names[earlier_.names + i];
    const auto& [later_name, later] = names[before_.names + i];
    if (name != later_name || !corresponds(tensor, later)) return false;
  }
  return true;
}

std::vector<StorageId> Repetition::handed_on() const {
  std::vector<StorageId> ids;
  const StorageId current = before_.place.current.storage;
  if (is_of_last_but_one(current)) ids.push_back(current);
  for (std::size_t i = earlier_.names; i < before_.names; ++i) {
    const StorageId id = machine_.names()[i].second.storage;
    if (is_of_last_but_one(id)) ids.push_back(id);
  }
  return ids;
}

bool Repetition::storages_correspond() const {
  const std::vector<StorageId> handed = handed_on();
  for (const StorageId id : handed) {
    const Storage& then = before_.seen[id];
    const Storage& now = tape_.storages_[shifted(id, 1)];
    if (!looks_alike(then, now) || !is_single(then) || !is_single(now)) return false;
  }
  for (std::size_t id = 0; id < before_.storages; ++id) {
    if (is_unchanged(before_.seen[id], tape_.storages_[id])) continue;
    if (std::find(handed.begin(), handed.end(), id) == handed.end()) return false;
  }
  return true;
}

/// Of the storages of the period before, no other is reached by a way nobody thought of.
bool Repetition::reads_only_handed_on() const {
  const std::vector<StorageId> handed = handed_on();
  return std::all_of(tape_.links_.begin() + static_cast<std::ptrdiff_t>(before_.links),
                     tape_.links_.end(), [&](const Link& link) {
                       return !is_of_last_but_one(link.storage) ||
                              std::find(handed.begin(), handed.end(), link.storage) != handed.end();
                     });
}

/// As many of everything, so that what moves on by one period lands in the next.
bool Repetition::periods_correspond() const {
  const auto alike = [&](std::size_t Mark::*count) {
    return before_.*count - earlier_.*count == now_.*count - before_.*count;
  };
  return alike(&Mark::storages) && alike(&Mark::operators) && alike(&Mark::links) &&
         alike(&Mark::blocks) && alike(&Mark::names) && folds_correspond();
}

/// Loops inside of the period.
bool Repetition::folds_correspond() const {
  if (before_.folds - earlier_.folds != now_.folds - before_.folds) return false;
  for (std::size_t i = earlier_.folds; i < before_.folds; ++i) {
    const Fold& later = tape_.folds_[i + before_.folds - earlier_.folds];
    if (!(moved(tape_.folds_[i], period(), 1) == later)) return false;
  }
  return true;
}

bool Repetition::state_corresponds() const {
  const TapeOptions& options = tape_.options_;
  const std::int64_t every =
      options.checkpoint_blocks ? std::max<std::int64_t>(options.checkpoint_every, 1) : 1;
  return (now_.candidates - before_.candidates) % every == 0 &&
         now_.place.counters == before_.place.counters && periods_correspond() &&
         names_correspond() && corresponds(before_.place.current, now_.place.current) &&
         storages_correspond() && reads_only_handed_on();
}

bool Repetition::settled(Place place) {
  mark(std::move(place));
  const int marks = kMostMarks - marks_left_;
  if (marks >= 3 && operators() > 0 && state_corresponds()) {
    marks_left_ = 0;
    return true;
  }
  if (marks >= 2 && marks_left_ > 0) now_.seen = tape_.storages_;
  return false;
}

void Repetition::copy_storages(const std::vector<Storage>& made, std::size_t copy) {
  const std::size_t operators = now_.operators - before_.operators;
  const std::size_t blocks = now_.blocks - before_.blocks;
  for (Storage storage : made) {
    storage.created_by = later_by(storage.created_by, operators, copy);
    storage.last_used_by = later_by(storage.last_used_by, operators, copy);
    storage.half_copy = shifted(storage.half_copy, copy);
    storage.full_copy = shifted(storage.full_copy, copy);
    if (storage.saved_in_block != 0) {
      storage.saved_in_block = later_by(storage.saved_in_block, blocks, copy);
    }
    tape_.storages_.push_back(storage);
  }
}

void Repetition::copy_operators(std::size_t copy) {
  const std::size_t operators = now_.operators - before_.operators;
  const std::size_t blocks = now_.blocks - before_.blocks;
  for (std::size_t i = before_.links; i < now_.links; ++i) {
    Link link = tape_.links_[i];
    link.storage = shifted(link.storage, copy);
    tape_.links_.push_back(link);
  }
  for (std::size_t i = before_.operators; i < now_.operators; ++i) {
    Operator op = tape_.operators_[i];
    op.first_link = later_by(op.first_link, now_.links - before_.links, copy);
    if (op.block != 0) op.block = later_by(op.block, blocks, copy);
    tape_.operators_.push_back(op);
  }
  for (std::size_t i = before_.blocks; i < now_.blocks; ++i) {
    Block block = tape_.blocks_[i];
    block.first_operator = later_by(block.first_operator, operators, copy);
    tape_.blocks_.push_back(std::move(block));
  }
}

/// What the period `copy` does to a storage handed to it; `done`: what the last one did to `id`.
void Repetition::hand_on(StorageId id, const Storage& done, std::size_t copy) {
  Storage& storage = tape_.storages_[shifted(id, copy)];
  storage.bytes = done.bytes;
  storage.saved = done.saved;
  storage.held = done.held;
  storage.block_input = done.block_input;
  storage.of_graph = done.of_graph;
  storage.half_copy = shifted(done.half_copy, copy);
  if (done.last_used_by >= before_.operators) {
    storage.last_used_by = later_by(done.last_used_by, now_.operators - before_.operators, copy);
  }
  if (done.saved_in_block > before_.blocks) {
    storage.saved_in_block = later_by(done.saved_in_block, now_.blocks - before_.blocks, copy);
  }
}

/// What stays is used last by the last period.
void Repetition::prolong(std::size_t times) {
  for (std::size_t id = 0; id < earlier_.storages; ++id) {
    Storage& storage = tape_.storages_[id];
    if (storage.last_used_by < before_.operators) continue;
    storage.last_used_by =
        later_by(storage.last_used_by, now_.operators - before_.operators, times);
  }
}

TapeExtent Repetition::period() const {
  return {.storages = now_.storages - before_.storages,
          .operators = operators(),
          .links = now_.links - before_.links,
          .blocks = now_.blocks - before_.blocks};
}

void Repetition::copy_folds(std::size_t copy) {
  for (std::size_t i = before_.folds; i < now_.folds; ++i)
    tape_.folds_.push_back(moved(tape_.folds_[i], period(), copy));
}

Tensor Repetition::repeat(std::size_t times) {
  // Folds do not stand in folds: what a layer stands for would be a product then.
  const bool folds = now_.folds == before_.folds && times > kBehindFold;
  const std::size_t copies = folds ? kBehindFold : times;
  const std::vector<StorageId> handed = handed_on();
  make_room(tape_.storages_, copies * (now_.storages - before_.storages));
  make_room(tape_.operators_, copies * operators());
  make_room(tape_.links_, copies * (now_.links - before_.links));
  tape_.copied_operators_ += copies * operators();
  prolong(copies);
  const std::vector<Storage> made(
      tape_.storages_.begin() + static_cast<std::ptrdiff_t>(before_.storages),
      tape_.storages_.end());
  for (std::size_t copy = 1; copy <= copies; ++copy) {
    copy_storages(made, copy);
    copy_operators(copy);
    copy_folds(copy);
    for (const StorageId id : handed) hand_on(id, Storage(tape_.storages_[id]), copy);
  }
  for (std::size_t i = before_.names; i < now_.names; ++i) {
    const auto [name, tensor] = machine_.names()[i];
    machine_.name_tensor(name, shifted(tensor, copies));
  }
  tape_.candidates_ += static_cast<std::int64_t>(times) * (now_.candidates - before_.candidates);
  if (folds) {
    const TapeExtent end{.storages = now_.storages,
                         .operators = now_.operators,
                         .links = now_.links,
                         .blocks = now_.blocks};
    tape_.folds_.push_back({.end = end, .period = period(), .times = times - copies});
  }
  return shifted(now_.place.current, copies);
}

}  // namespace gpulint::model
