#include "model/timeline.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

namespace gpulint::model {

namespace {

constexpr std::uint32_t kNone = 0xffffffffU;

class Player {
 public:
  Player(const Tape& tape, std::size_t most_events)
      : tape_(tape),
        most_events_(tape.folds().empty() ? most_events : 0),
        storages_(tape.storages()),
        buffer_(storages_.size(), kNone),
        gradient_(storages_.size(), kNone),
        savers_(storages_.size(), 0) {
    // A buffer and a gradient for nearly every storage, each allocated and released.
    made_.reserve(2 * storages_.size());
    has_scratch_ = std::any_of(storages_.begin(), storages_.end(),
                               [](const Storage& storage) { return storage.scratch; });
    timeline_.events.reserve(std::min(4 * storages_.size(), most_events_));
  }

  Timeline run();

 private:
  void forward_operator(std::uint32_t index, bool recomputing);
  void backward_operator(std::uint32_t index);
  void recompute(const Block& block);
  void forget(const Block& block);
  void end_forward();
  bool outlives_backward(const Storage& storage) const {
    return storage.of_graph && storage.saved && tape_.options().quantized.keeps_last_graph;
  }
  void keep_last_graph();
  void give_gradient(const Link& link, bool passed, std::uint32_t index);
  void use_scratch(const Operator& op, std::uint32_t index);
  void finish_sums(std::uint32_t index);
  void finish_casts(std::uint32_t index);
  void log(std::uint32_t id, std::int64_t bytes, std::uint32_t index, bool scratch) {
    ++timeline_.event_count;
    if (timeline_.complete) keep({id, bytes, index, phase_, scratch});
  }
  void keep(const MemoryEvent& event);
  void begin_period();
  void skip_periods(const Fold& fold);
  std::uint32_t allocate(std::int64_t bytes, std::uint32_t index, bool scratch = false);
  void release(std::uint32_t& id, std::uint32_t index, bool scratch = false);
  std::span<const Link> links(const Operator& op) const {
    return {tape_.links().data() + op.first_link, op.link_count};
  }
  bool is_step_memory(const Storage& storage) const {
    return storage.kind == StorageKind::activation || storage.kind == StorageKind::weight_cast;
  }
  const Block* block_of(const Operator& op) const {
    return op.block == 0 ? nullptr : &tape_.blocks()[op.block - 1];
  }

  /// A buffer or a gradient, by its number.
  struct Made {
    std::int64_t bytes = 0;
    std::uint32_t owners = 1;  // tensors that share a gradient
  };
  /// The most of a phase so far.
  struct Peak {
    std::int64_t bytes = 0;
    std::int64_t unaided = 0;  // without kernels' workspaces
    std::uint32_t at = 0;      // index of the operator
  };

  const Tape& tape_;
  std::size_t most_events_;
  std::span<const Storage> storages_;
  std::vector<std::uint32_t> buffer_;    // live buffer of a storage
  std::vector<std::uint32_t> gradient_;  // live gradient of a storage
  std::vector<std::uint32_t> savers_;    // operators whose backward still needs the storage
  std::vector<Made> made_;
  std::vector<std::pair<StorageId, std::uint32_t>> pending_casts_;  // weight cast, its gradient
  std::vector<std::pair<StorageId, std::uint32_t>> pending_sums_;   // and a second gradient of it
  Timeline timeline_;
  StepPhase phase_ = StepPhase::forward;
  bool has_scratch_ = false;
  struct Moment {
    std::int64_t live = 0;
    std::size_t events = 0;
  };
  Peak peak_;
  Moment period_;  // when it began
  std::int64_t live_ = 0;
  std::int64_t scratch_ = 0;  // of those, kernels' workspaces
  std::uint32_t last_graph_ = kNone;
};

void Player::keep(const MemoryEvent& event) {
  if (timeline_.events.size() < most_events_) {
    timeline_.events.push_back(event);
    return;
  }
  timeline_.complete = false;
  timeline_.events.clear();
}

inline std::uint32_t Player::allocate(std::int64_t bytes, std::uint32_t index, bool scratch) {
  const auto id = static_cast<std::uint32_t>(made_.size());
  made_.push_back({bytes});
  log(id, bytes, index, scratch);
  live_ = saturating_add(live_, bytes);
  if (scratch) scratch_ = saturating_add(scratch_, bytes);
  peak_.unaided = std::max(peak_.unaided, saturating_add(live_, -scratch_));
  if (live_ > peak_.bytes) {
    peak_.bytes = live_;
    peak_.at = index;
  }
  return id;
}

inline void Player::release(std::uint32_t& id, std::uint32_t index, bool scratch) {
  if (id == kNone) return;
  Made& made = made_[id];
  if (--made.owners == 0) {
    log(id, -made.bytes, index, scratch);
    live_ = saturating_add(live_, -made.bytes);
    if (scratch) scratch_ = saturating_add(scratch_, -made.bytes);
  }
  id = kNone;
}

// Periods that a fold stands for change nothing but what is alive, each by as much as the one that
// is played; if that is more, the period behind them is the highest, if less, the one before. The
// tensors between them are those between the periods that are played.
void Player::begin_period() { period_ = {live_, timeline_.event_count}; }

void Player::skip_periods(const Fold& fold) {
  const auto times = static_cast<std::int64_t>(fold.times);
  const std::int64_t more = saturating_add(live_, -period_.live);
  live_ = saturating_add(live_, saturating_multiply(more, times));
  timeline_.event_count += fold.times * (timeline_.event_count - period_.events);
}

/// `recomputing`: a checkpointed block runs again and this time keeps what its backward needs.
void Player::forward_operator(std::uint32_t index, bool recomputing) {
  const Operator& op = tape_.operators()[index];
  const Block* block = block_of(op);
  const bool keeps = recomputing || block == nullptr || !block->recomputed;
  for (const Link& link : links(op)) {
    const Storage& storage = storages_[link.storage];
    if (!is_step_memory(storage)) continue;
    if (buffer_[link.storage] == kNone) {
      buffer_[link.storage] = allocate(storage.bytes, index, storage.scratch);
    }
    if (link.role == LinkRole::saves && keeps) ++savers_[link.storage];
  }
  for (const Link& link : links(op)) {
    const Storage& storage = storages_[link.storage];
    if (storage.last_used_by != index || storage.kind != StorageKind::activation) continue;
    const bool kept = storage.saved || storage.held || savers_[link.storage] > 0;
    if (!kept) release(buffer_[link.storage], index, storage.scratch);
  }
}

/// What the nodes of the step before hold is there until this step has a loss.
void Player::keep_last_graph() {
  if (!tape_.options().quantized.keeps_last_graph) return;
  std::int64_t bytes = 0;
  for (std::size_t id = 0; id < storages_.size(); ++id) {
    if (!outlives_backward(storages_[id])) continue;
    const std::int64_t times = tape_.times_of_storage(id);
    bytes = saturating_add(bytes, saturating_multiply(storages_[id].bytes, times));
  }
  if (bytes > 0) last_graph_ = allocate(bytes, 0);
}

/// Leaving autocast empties its cache: copies of weights that nothing saved go.
void Player::end_forward() {
  const std::uint32_t last = static_cast<std::uint32_t>(tape_.operators().size());
  release(last_graph_, last);
  for (std::size_t i = 0; i < storages_.size(); ++i) {
    const bool goes = storages_[i].kind == StorageKind::weight_cast && !storages_[i].saved;
    if (!goes || buffer_[i] == kNone) continue;
    release(buffer_[i], last);
    const std::int64_t others = tape_.times_of_storage(i) - 1;
    live_ = saturating_add(live_, -saturating_multiply(storages_[i].bytes, others));
    timeline_.event_count += static_cast<std::size_t>(others);
  }
  timeline_.forward_end = Bytes::of(live_);
  timeline_.forward_peak = Bytes::of(peak_.bytes);
  timeline_.forward_peak_unaided = Bytes::of(peak_.unaided);
}

void Player::recompute(const Block& block) {
  for (std::uint32_t i = 0; i < block.operator_count; ++i) {
    forward_operator(block.first_operator + i, true);
  }
}

/// What a recomputed block still holds when its backward is through: its output and its input.
void Player::forget(const Block& block) {
  for (std::uint32_t i = 0; i < block.operator_count; ++i) {
    const Operator& op = tape_.operators()[block.first_operator + i];
    for (const Link& link : links(op)) {
      const Storage& storage = storages_[link.storage];
      const bool made_here = storage.created_by >= block.first_operator;
      const bool kept_for_block = storage.saved && i == 0;
      if (!is_step_memory(storage) || storage.held || savers_[link.storage] > 0) continue;
      if (made_here || kept_for_block) release(buffer_[link.storage], block.first_operator);
    }
  }
}

void Player::give_gradient(const Link& link, bool passed, std::uint32_t index) {
  const Storage& storage = storages_[link.storage];
  std::uint32_t& gradient = gradient_[link.storage];
  if (storage.kind == StorageKind::parameter) {
    if (gradient == kNone) {
      gradient = allocate(storage.bytes, index);
    } else {  // a shared weight: the second gradient and the sum are new, then both parts go
      std::uint32_t second = allocate(storage.bytes, index);
      const std::uint32_t sum = allocate(storage.bytes, index);
      release(gradient, index);
      release(second, index);
      gradient = sum;
    }
    return;
  }
  if (storage.kind == StorageKind::weight_cast) {
    pending_casts_.push_back({link.storage, allocate(storage.bytes, index)});
    return;
  }
  if (passed && gradient == kNone) return;  // handed on by the caller
  std::uint32_t made = allocate(link.gradient_bytes, index);
  if (gradient == kNone) {
    gradient = made;
  } else if (tape_.options().gradients_summed_apart) {
    pending_sums_.push_back({link.storage, made});
  } else {
    release(made, index);  // accumulated in place
  }
}

/// Gradients that met in one tensor: the sum is a third one. The engine adds when the node has let
/// go of what it read and saved.
void Player::finish_sums(std::uint32_t index) {
  for (auto& [storage, second] : pending_sums_) {
    const std::uint32_t sum = allocate(made_[second].bytes, index);
    release(gradient_[storage], index);
    release(second, index);
    gradient_[storage] = sum;
  }
  pending_sums_.clear();
}

void Player::backward_operator(std::uint32_t index) {
  const Operator& op = tape_.operators()[index];
  if (!op.differentiable) return;
  std::uint32_t incoming = kNone;
  for (const Link& link : links(op)) {
    if (link.role != LinkRole::writes || gradient_[link.storage] == kNone) continue;
    incoming = gradient_[link.storage];
    gradient_[link.storage] = kNone;
  }
  for (const Link& link : links(op)) {
    if (!link.needs_gradient || link.role != LinkRole::reads) continue;
    const bool shares = op.passes_gradient && incoming != kNone &&
                        storages_[link.storage].kind != StorageKind::parameter &&
                        made_[incoming].bytes == link.gradient_bytes;
    const bool fresh = gradient_[link.storage] == kNone;
    give_gradient(link, shares, index);
    if (shares && fresh) {
      gradient_[link.storage] = incoming;
      ++made_[incoming].owners;
    }
  }
  if (has_scratch_) use_scratch(op, index);
  release(incoming, index);
  for (const Link& link : links(op)) {
    const Storage& storage = storages_[link.storage];
    if (link.role != LinkRole::saves || savers_[link.storage] == 0) continue;
    if (--savers_[link.storage] > 0 || storage.held || outlives_backward(storage)) continue;
    if (is_step_memory(storage)) release(buffer_[link.storage], index);
  }
  finish_sums(index);
  finish_casts(index);
}

/// What the backward kernels need while they run. The gradients they write into are there already:
/// cudnn_convolution_backward_input and _weight make their results before they ask for a workspace.
void Player::use_scratch(const Operator& op, std::uint32_t index) {
  for (const Link& link : links(op)) {
    if (!storages_[link.storage].scratch) continue;
    std::uint32_t borrowed = allocate(storages_[link.storage].bytes, index, true);
    release(borrowed, index, true);
  }
}

/// The node that made a half-precision weight gradient has let go of what it saved; now the
/// gradient is cast into the fp32 one of the parameter.
void Player::finish_casts(std::uint32_t index) {
  for (auto& [cast, half] : pending_casts_) {
    const StorageId full = storages_[cast].full_copy;
    give_gradient({full, LinkRole::reads, true, storages_[full].bytes}, false, index);
    release(half, index);
  }
  pending_casts_.clear();
}

Timeline Player::run() {
  const std::uint32_t count = static_cast<std::uint32_t>(tape_.operators().size());
  keep_last_graph();
  auto fold = tape_.folds().begin();
  const auto end = tape_.folds().end();
  for (std::uint32_t i = 0; i < count; ++i) {
    if (fold != end && i + fold->period.operators == fold->end.operators) begin_period();
    forward_operator(i, false);
    if (fold != end && i + 1 == fold->end.operators) skip_periods(*fold++);
  }
  end_forward();
  phase_ = StepPhase::backward;
  peak_ = {live_, live_, 0};
  std::uint32_t recomputed = 0;
  for (std::uint32_t i = count; i-- > 0;) {
    const Operator& op = tape_.operators()[i];
    const Block* block = block_of(op);
    const Fold* behind = fold == tape_.folds().begin() ? nullptr : &*std::prev(fold);
    if (behind != nullptr && i + 1 == behind->end.operators + behind->period.operators)
      begin_period();
    if (block != nullptr && block->recomputed && op.block != recomputed) {
      recomputed = op.block;
      recompute(*block);
    }
    backward_operator(i);
    if (block != nullptr && block->recomputed && i == block->first_operator) forget(*block);
    if (behind == nullptr || i != behind->end.operators) continue;
    skip_periods(*behind);
    --fold;
  }
  timeline_.backward_end = Bytes::of(live_);
  timeline_.backward_peak = Bytes::of(peak_.bytes);
  timeline_.backward_peak_unaided = Bytes::of(peak_.unaided);
  timeline_.backward_peak_operator = peak_.at;
  return std::move(timeline_);
}

}  // namespace

Timeline play(const Tape& tape, std::size_t most_events) { return Player(tape, most_events).run(); }

}  // namespace gpulint::model
