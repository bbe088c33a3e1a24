#include "source/merge.h"

#include <algorithm>

namespace gpulint {
namespace {

constexpr std::uint64_t kCeiling = std::uint64_t{1} << 62U;

std::uint64_t capped_sum(std::uint64_t a, std::uint64_t b) { return std::min(a + b, kCeiling); }

/// One pass in text order. A node is complete when a node comes that is not below it, and an alias
/// always stands behind its complete target, so every number is known when it is needed.
class CostCounter {
 public:
  explicit CostCounter(const Tree& tree)
      : tree_(tree), size_(tree.nodes.size(), 1), merge_cost_(tree.nodes.size(), 0) {}

  ExpansionCost run() {
    for (NodeId id = 0; id < tree_.nodes.size(); ++id) {
      while (!open_.empty() && open_.back() != tree_.nodes[id].parent) complete();
      open_.push_back(id);
    }
    while (!open_.empty()) complete();
    return std::move(cost_);
  }

 private:
  void complete() {
    const NodeId id = open_.back();
    open_.pop_back();
    const Node& node = tree_.nodes[id];
    if (node.kind == NodeKind::alias && node.target < id) {
      size_[id] = capped_sum(1, size_[node.target]);
      merge_cost_[id] = merge_cost_[node.target];
    }
    if (node.kind == NodeKind::mapping) complete_mapping(id);
    if (node.kind == NodeKind::sequence) complete_sequence(id);
    if (node.parent == kNoNode) {
      cost_.nodes = capped_sum(cost_.nodes, size_[id]);
    } else {
      size_[node.parent] = capped_sum(size_[node.parent], size_[id]);
    }
  }

  void complete_sequence(NodeId id) {
    for (NodeId item = tree_.nodes[id].first_child; item != kNoNode;
         item = tree_.nodes[item].next_sibling) {
      merge_cost_[id] = capped_sum(merge_cost_[id], merge_cost_[item]);
    }
  }

  void complete_mapping(NodeId id) {
    std::uint64_t visits = tree_.nodes[id].child_count + std::uint64_t{1};
    bool merges = false;
    for (NodeId value = tree_.nodes[id].first_child; value != kNoNode;
         value = tree_.nodes[value].next_sibling) {
      if (!is_merge_key(tree_, tree_.nodes[value].key)) continue;
      merges = true;
      if (merge_cost_[value] == 0) cost_.bad_merges.push_back(value);
      visits = capped_sum(visits, merge_cost_[value]);
    }
    merge_cost_[id] = visits;
    if (merges) cost_.merge_visits = capped_sum(cost_.merge_visits, visits);
  }

  Tree tree_;
  std::vector<std::uint64_t> size_;
  std::vector<std::uint64_t> merge_cost_;  // 0: nothing a merge key can bring in
  std::vector<NodeId> open_;
  ExpansionCost cost_;
};

}  // namespace

std::string_view Tree::scalar(NodeId id) const {
  if (id >= nodes.size() || nodes[id].kind != NodeKind::scalar) return {};
  const std::string_view bytes = nodes[id].has_value_in_pool != 0 ? pool : text;
  if (nodes[id].value_begin > bytes.size()) return {};
  return bytes.substr(nodes[id].value_begin, nodes[id].value_size);
}

std::string_view Tree::tag(NodeId id) const {
  if (id >= nodes.size() || nodes[id].tag_begin > pool.size()) return {};
  return pool.substr(nodes[id].tag_begin, nodes[id].tag_size);
}

NodeId Tree::resolve(NodeId id) const {
  while (id < nodes.size() && nodes[id].kind == NodeKind::alias) {
    const NodeId target = nodes[id].target;
    if (target >= id)
      return kNoNode;  // targets stand before their aliases; else it could be a loop
    id = target;
  }
  return id < nodes.size() ? id : kNoNode;
}

bool is_merge_key(const Tree& tree, NodeId key) {
  return key < tree.nodes.size() && tree.nodes[key].quoting == Quoting::plain &&
         tree.nodes[key].value_size == 2 && tree.scalar(key) == "<<";
}

ExpansionCost expansion_cost(const Tree& tree) { return CostCounter(tree).run(); }

std::vector<NodeId> merged_mappings(const Tree& tree, NodeId mapping) {
  std::vector<NodeId> found;
  const auto add = [&](NodeId id) {
    if (id != kNoNode && tree.nodes[id].kind == NodeKind::mapping) found.push_back(id);
  };
  for (NodeId child = tree.nodes[mapping].first_child; child != kNoNode;
       child = tree.nodes[child].next_sibling) {
    if (!is_merge_key(tree, tree.nodes[child].key)) continue;
    const NodeId value = tree.resolve(child);
    add(value);
    if (value == kNoNode || tree.nodes[value].kind != NodeKind::sequence) continue;
    const std::size_t first = found.size();
    for (NodeId item = tree.nodes[value].first_child; item != kNoNode;
         item = tree.nodes[item].next_sibling) {
      add(tree.resolve(item));
    }
    std::reverse(found.begin() + static_cast<std::ptrdiff_t>(first), found.end());
  }
  std::reverse(found.begin(), found.end());
  return found;
}

}  // namespace gpulint
