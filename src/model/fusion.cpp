#include "model/fusion.h"

#include <algorithm>
#include <array>
#include <span>

namespace gpulint::model {

namespace {

// Operators without a reduction or a product: a fused kernel makes their result again for nothing
// but the reading of its inputs.
constexpr std::array kPointwise{
    OperatorKind::add,        OperatorKind::multiply,    OperatorKind::divide,
    OperatorKind::scale,      OperatorKind::cast,        OperatorKind::copy,
    OperatorKind::power,      OperatorKind::relu,        OperatorKind::relu6,
    OperatorKind::leaky_relu, OperatorKind::elu,         OperatorKind::gelu,
    OperatorKind::silu,       OperatorKind::mish,        OperatorKind::hardswish,
    OperatorKind::clamp,      OperatorKind::hardsigmoid, OperatorKind::softplus,
    OperatorKind::sigmoid,    OperatorKind::tanh,        OperatorKind::exp,
    OperatorKind::sqrt,       OperatorKind::rsqrt,       OperatorKind::concatenate};

// How far back a fused kernel recomputes; longer chains end at a residual sum, which is kept.
constexpr int kLongestChain = 8;

}  // namespace

class Fusion {
 public:
  explicit Fusion(Tape& tape) : tape_(tape) {}
  void run();

 private:
  /// What `id` can be made again from: its bytes when it is kept or has to be.
  struct Source {
    std::int64_t bytes = 0;         // not kept yet
    StorageId single = kNoStorage;  // the one tensor they belong to
    bool possible = true;           // at most one tensor is missing
  };
  Source source_of(StorageId id, int depth) const;
  Source inputs_of(StorageId id, int depth) const;
  const Operator* producer(StorageId id) const;
  bool beyond_block(StorageId id, const Operator& reader) const;
  void replace(StorageId id, StorageId by);
  std::span<const Link> links(const Operator& op) const {
    return {tape_.links_.data() + op.first_link, op.link_count};
  }

  Tape& tape_;
  std::vector<bool> kept_;             // some backward node needs it
  std::vector<bool> read_by_product_;  // by one that multiplies matrices
  struct Save {
    std::uint32_t link = 0;
    std::uint32_t operation = 0;
  };
  std::vector<std::vector<Save>> saves_;  // by storage
};

const Operator* Fusion::producer(StorageId id) const {
  const Storage& storage = tape_.storages_[id];
  if (storage.kind != StorageKind::activation || storage.created_by >= tape_.operators_.size()) {
    return nullptr;
  }
  const Operator& op = tape_.operators_[storage.created_by];
  const bool pointwise =
      std::find(kPointwise.begin(), kPointwise.end(), op.kind) != kPointwise.end();
  if (!pointwise) return nullptr;
  const auto made = links(op);
  const bool writes = std::any_of(made.begin(), made.end(), [&](const Link& link) {
    return link.role == LinkRole::writes && link.storage == id;
  });
  return writes ? &op : nullptr;  // masks and other by-products are not made again
}

/// A block that is recomputed starts from its inputs: it has nothing else of the blocks before it.
bool Fusion::beyond_block(StorageId id, const Operator& reader) const {
  const Storage& storage = tape_.storages_[id];
  if (storage.created_by >= tape_.operators_.size()) return false;
  const std::uint32_t made_in = tape_.operators_[storage.created_by].block;
  if (made_in == reader.block) return false;
  const auto recomputed = [&](std::uint32_t block) {
    return block != 0 && tape_.blocks()[block - 1].recomputed;
  };
  return recomputed(made_in) || recomputed(reader.block);
}

Fusion::Source Fusion::source_of(StorageId id, int depth) const {
  const Storage& storage = tape_.storages_[id];
  if (storage.kind != StorageKind::activation || kept_[id] || storage.saved) return {};
  const Source itself{storage.bytes, id, true};
  if (depth >= kLongestChain || producer(id) == nullptr) return itself;
  const Source inputs = inputs_of(id, depth + 1);
  return inputs.possible && inputs.bytes < storage.bytes ? inputs : itself;
}

Fusion::Source Fusion::inputs_of(StorageId id, int depth) const {
  Source sum;
  for (const Link& link : links(*producer(id))) {
    if (link.role != LinkRole::reads || link.storage == id) continue;
    Source one = source_of(link.storage, depth);
    if (one.bytes > 0 && beyond_block(link.storage, *producer(id))) one.possible = false;
    if (one.bytes == 0 && one.possible) continue;
    if (sum.single != kNoStorage && sum.single != one.single) sum.possible = false;
    sum.possible = sum.possible && one.possible;
    if (sum.single != one.single) sum.bytes = saturating_add(sum.bytes, one.bytes);
    sum.single = one.single;
  }
  return sum;
}

void Fusion::replace(StorageId id, StorageId by) {
  const bool was_saved = tape_.storages_[id].saved;
  for (const Save& save : saves_[id]) {
    Link& link = tape_.links_[save.link];
    if (by == kNoStorage) {
      link.role = LinkRole::reads;
      link.needs_gradient = false;
    } else {
      link.storage = by;
      saves_[by].push_back(save);
      // Where a block is recomputed nothing keeps it, and its last use is what lets go of it.
      Storage& source = tape_.storages_[by];
      source.last_used_by = std::max(source.last_used_by, save.operation);
    }
  }
  saves_[id].clear();
  kept_[id] = false;
  tape_.storages_[id].saved = false;
  if (by == kNoStorage) return;
  kept_[by] = true;
  if (was_saved) tape_.storages_[by].saved = true;
}

void Fusion::run() {
  const std::size_t count = tape_.storages_.size();
  kept_.assign(count, false);
  read_by_product_.assign(count, false);
  saves_.resize(count);
  for (std::uint32_t index = 0; index < tape_.operators_.size(); ++index) {
    const Operator& op = tape_.operators_[index];
    const bool product = op.kind == OperatorKind::linear || op.kind == OperatorKind::matmul ||
                         op.kind == OperatorKind::conv;
    for (std::uint32_t at = op.first_link; at < op.first_link + op.link_count; ++at) {
      const Link& link = tape_.links_[at];
      if (link.role != LinkRole::saves) continue;
      kept_[link.storage] = true;
      if (product) read_by_product_[link.storage] = true;
      saves_[link.storage].push_back({at, index});
    }
  }
  for (std::size_t i = count; i-- > 0;) {
    const StorageId id = static_cast<StorageId>(i);
    const Storage& storage = tape_.storages_[id];
    if (!kept_[id] || storage.held || storage.block_input || producer(id) == nullptr) continue;
    if (read_by_product_[id]) continue;
    const Source inputs = inputs_of(id, 0);
    if (inputs.possible && inputs.bytes < storage.bytes) replace(id, inputs.single);
  }
}

void keep_less(Tape& tape) { Fusion(tape).run(); }

}  // namespace gpulint::model
