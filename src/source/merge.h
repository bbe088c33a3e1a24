#pragma once

// Merge keys (`<<: *base`) and the price of following aliases. Internal to this room.

#include "source/document.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace gpulint {

/// The arrays of a document, owned by somebody else.
struct Tree {
  std::span<const Node> nodes;
  std::string_view text;
  std::string_view pool;

  std::string_view scalar(NodeId id) const;
  std::string_view tag(NodeId id) const;
  /// The node behind an alias; the node itself otherwise; kNoNode when the alias leads nowhere.
  NodeId resolve(NodeId id) const;
};

/// A plain `<<`, which PyYAML and OmegaConf read as "add the members of that mapping".
bool is_merge_key(const Tree& tree, NodeId key);

/// What a walk through aliases and merge keys would visit; counts stop growing at 2^62.
struct ExpansionCost {
  std::uint64_t nodes = 0;         // all roots, aliases followed
  std::uint64_t merge_visits = 0;  // members seen when every mapping's merges are followed
  std::vector<NodeId> bad_merges;  // merge values that bring in nothing
};
ExpansionCost expansion_cost(const Tree& tree);

/// The merged mappings of `mapping` in order of precedence, those of a list unfolded: PyYAML lets a
/// later `<<` win over an earlier one, and an earlier entry of one list over a later one.
std::vector<NodeId> merged_mappings(const Tree& tree, NodeId mapping);

}  // namespace gpulint
