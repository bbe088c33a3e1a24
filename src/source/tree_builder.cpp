#include "source/tree_builder.h"

#include "source/merge.h"
#include "source/node_writer.h"
#include "source/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace gpulint {

// Embedded documents are these bytes, written at build time.
static_assert(std::is_trivially_copyable_v<Node> && std::is_standard_layout_v<Node>);
static_assert(std::is_trivially_copyable_v<Comment> && std::is_standard_layout_v<Comment>);

TreeBuilder::TreeBuilder(std::string_view text, const ReadLimits& limits)
    : text_(text), limits_(limits) {
  // A config has about one node per 16 bytes; the cap keeps a large text of few nodes cheap.
  constexpr std::size_t kBytesPerNode = 16;
  constexpr std::size_t kLargestReserve = 4096;
  storage_.nodes.reserve(std::min(text.size() / kBytesPerNode, kLargestReserve) + 8);
  stack_.reserve(16);
}

NodeId TreeBuilder::add(NodeKind kind, Range span) {
  const NodeId parent = stack_.empty() ? kNoNode : stack_.back().node;
  const NodeId id = add_node(storage_, kind, parent, span.begin, span.end);
  if (kind == NodeKind::alias) has_aliases_ = true;
  attach(id);
  return id;
}

void TreeBuilder::attach(NodeId id) {
  if (stack_.empty()) {
    storage_.roots.push_back(id);
    return;
  }
  Frame& frame = stack_.back();
  if (frame.mapping && frame.key == kNoNode) {
    frame.key = id;
    return;
  }
  append_child(storage_, frame.node, frame.last_child, id, std::exchange(frame.key, kNoNode));
}

NodeId TreeBuilder::open(NodeKind kind, std::uint32_t begin, const Frame& frame) {
  const NodeId id = add(kind, {begin, begin});
  storage_.nodes[id].flow = frame.flow ? 1 : 0;
  stack_.push_back(frame);
  stack_.back().node = id;
  stack_.back().mapping = kind == NodeKind::mapping;
  return id;
}

void TreeBuilder::close(std::uint32_t end) {
  const Frame frame = stack_.back();
  stack_.pop_back();
  storage_.nodes[frame.node].end = end;
  if (frame.mapping && report_duplicates_) report_duplicates(frame.node);
}

std::pair<std::uint32_t, std::uint32_t> TreeBuilder::pooled(std::string_view text) {
  const std::uint32_t begin = static_cast<std::uint32_t>(storage_.pool.size());
  storage_.pool.append(text);
  return {begin, static_cast<std::uint32_t>(text.size())};
}

void TreeBuilder::set_value(NodeId id, std::string_view value, std::uint32_t verbatim_begin) {
  Node& scalar = storage_.nodes[id];
  if (text_.substr(verbatim_begin, value.size()) == value) {
    scalar.value_begin = verbatim_begin;
    scalar.value_size = static_cast<std::uint32_t>(value.size());
    return;
  }
  set_pooled_value(storage_, id, value);
}

void TreeBuilder::set_tag(NodeId id, std::string_view tag) {
  std::tie(storage_.nodes[id].tag_begin, storage_.nodes[id].tag_size) = pooled(tag);
}

void TreeBuilder::set_anchor(NodeId id, std::string_view anchor) {
  std::tie(storage_.nodes[id].anchor_begin, storage_.nodes[id].anchor_size) = pooled(anchor);
}

void TreeBuilder::note(ProblemKind kind, Range span, NodeId node, std::string text) {
  problems_.push_back({kind, span.begin, span.end, node, kNoNode, std::move(text)});
}

std::string TreeBuilder::limit_message() const {
  if (stack_.size() > limits_.max_depth) {
    return fmt::format(
        "more than {} mappings and sequences inside each other; a training config "
        "has a handful: flatten it, or leave this file out",
        limits_.max_depth);
  }
  return fmt::format("more than {} keys and values in one file; split it, or leave this file out",
                     limits_.max_nodes);
}

std::string_view TreeBuilder::key_text(NodeId key) const {
  const Node& node = storage_.nodes[key];
  const std::string_view bytes = node.has_value_in_pool != 0 ? storage_.pool : text_;
  return bytes.substr(node.value_begin, node.value_size);
}

/// Two keys of the same text differ for a loader when one is quoted and the other a number: "1", 1.
bool TreeBuilder::same_key(NodeId a, NodeId b) const {
  const Node& one = storage_.nodes[a];
  const Node& two = storage_.nodes[b];
  const auto tag = [&](const Node& node) {
    return std::string_view(storage_.pool).substr(node.tag_begin, node.tag_size);
  };
  if (tag(one) != tag(two)) return false;
  if ((one.quoting == Quoting::plain) == (two.quoting == Quoting::plain)) return true;
  return std::holds_alternative<std::string>(interpret_plain(key_text(a), ScalarSchema::yaml11));
}

void TreeBuilder::report_duplicate(NodeId losing_key, NodeId winning_key) {
  const Node& node = storage_.nodes[losing_key];
  problems_.push_back(
      {ProblemKind::duplicate_key, node.begin, node.end, losing_key, winning_key, {}});
}

void TreeBuilder::report_duplicates(NodeId mapping) {
  keys_.clear();
  for (NodeId child = storage_.nodes[mapping].first_child; child != kNoNode;
       child = storage_.nodes[child].next_sibling) {
    NodeId key = storage_.nodes[child].key;
    if (storage_.nodes[key].kind == NodeKind::alias) key = storage_.nodes[key].target;
    if (key == kNoNode || storage_.nodes[key].kind != NodeKind::scalar) continue;
    if (storage_.nodes[key].quoting == Quoting::plain && key_text(key) == "<<") {
      has_merges_ = true;
    } else {
      keys_.emplace_back(key_text(key), storage_.nodes[child].key);
    }
  }
  std::sort(keys_.begin(), keys_.end());
  const std::size_t first_new = problems_.size();
  for (std::size_t end = keys_.size(); end > 1;) {
    const std::size_t winner = end - 1;
    std::size_t loser = winner;
    while (loser > 0 && keys_[loser - 1].first == keys_[winner].first) --loser;
    for (std::size_t i = loser; i < winner; ++i) {
      if (same_key(keys_[i].second, keys_[winner].second))
        report_duplicate(keys_[i].second, keys_[winner].second);
    }
    end = loser;
  }
  std::sort(problems_.begin() + static_cast<std::ptrdiff_t>(first_new), problems_.end(),
            [](const Problem& a, const Problem& b) { return a.begin < b.begin; });
}

/// Aliases make a small text mean a large one; said once here, so that every later walk may trust
/// the tree.
void TreeBuilder::check_expansion() {
  const ExpansionCost cost = expansion_cost({storage_.nodes, text_, storage_.pool});
  if (cost.merge_visits > limits_.max_expanded_nodes) {
    storage_.expand_merges = false;
    note(ProblemKind::limit, {}, kNoNode,
         fmt::format("merge keys bring in more than {} members; none of this file was followed",
                     limits_.max_expanded_nodes));
  }
  if (cost.nodes > limits_.max_expanded_nodes) {
    note(
        ProblemKind::limit, {}, kNoNode,
        fmt::format("aliases stand for more than {} keys and values; they are followed only so far",
                    limits_.max_expanded_nodes));
  }
  for (const NodeId value : cost.bad_merges) {
    note(ProblemKind::merge_not_mapping, {node(value).begin, node(value).end}, value,
         "the value of the merge key `<<` is neither a mapping nor a list of mappings");
  }
}

Document TreeBuilder::finish(std::string path, std::string text, Format format, FileId file) {
  storage_.path = std::move(path);
  storage_.text = std::move(text);
  storage_.format = format;
  text_ = storage_.text;
  if (has_aliases_ || has_merges_) check_expansion();
  std::stable_sort(problems_.begin(), problems_.end(),
                   [](const Problem& a, const Problem& b) { return a.begin < b.begin; });
  return Document::own(std::move(storage_), std::move(problems_), file);
}

}  // namespace gpulint
