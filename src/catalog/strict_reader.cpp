#include "catalog/strict_reader.h"

#include "base/text.h"
#include "source/scalar.h"

#include <algorithm>
#include <cassert>

namespace gpulint {
namespace {

/// What a message calls a value: its key, or "item 3 of <key>" in a list.
std::string name_of_value(const Document& document, NodeId value) {
  const Node& node = document.node(value);
  if (node.key != kNoNode) return std::string(document.scalar(node.key));
  if (node.parent == kNoNode) return "file";
  std::size_t position = 1;
  for (NodeId item = document.node(node.parent).first_child; item != value && item != kNoNode;
       item = document.node(item).next_sibling) {
    ++position;
  }
  return "item " + std::to_string(position) + " of " + name_of_value(document, node.parent);
}

std::string_view name_of_kind(NodeKind kind) {
  switch (kind) {
    case NodeKind::scalar:
      return "a single value";
    case NodeKind::sequence:
      return "a list";
    case NodeKind::mapping:
      return "a mapping";
    case NodeKind::alias:
      return "an alias";
  }
  return "";
}

/// Checks the kind of a value; kNoNode and a complaint when it is another one.
NodeId expect_kind(Complaints& complaints, NodeId node, NodeKind kind) {
  if (node == kNoNode) return kNoNode;
  const Document& document = complaints.document();
  const NodeId resolved = document.resolve(node);
  if (resolved != kNoNode && document.kind(resolved) == kind &&
      (kind != NodeKind::scalar || !is_null(document, resolved))) {
    return resolved;
  }
  std::string found = "an alias that leads nowhere";
  if (resolved != kNoNode) {
    found = is_null(document, resolved) ? "nothing" : name_of_kind(document.kind(resolved));
  }
  complaints.about(node, "expected " + std::string(name_of_kind(kind)) + ", found " + found);
  return kNoNode;
}

}  // namespace

void Complaints::about(NodeId value, std::string_view message) {
  const Node& node = document_.node(value);
  at(node.begin, node.end, name_of_value(document_, value) + ": " + std::string(message));
}

void Complaints::at(std::uint32_t begin, std::uint32_t end, std::string message) {
  Error error{std::move(message), std::string(document_.path()), {document_.file(), begin, end}};
  error.place = document_.line_column(begin);
  errors_.push_back(std::move(error));
}

Error Complaints::joined() && {
  assert(!errors_.empty());
  std::stable_sort(errors_.begin(), errors_.end(),
                   [](const Error& a, const Error& b) { return a.where.begin < b.where.begin; });
  Error result = std::move(errors_.front());
  for (std::size_t i = 1; i < errors_.size(); ++i) result.message += "\n" + errors_[i].to_string();
  return result;
}

void refuse_reader_problems(Complaints& complaints) {
  const Document& document = complaints.document();
  for (const Problem& problem : document.problems()) {
    std::string message = problem.text;
    switch (problem.kind) {
      case ProblemKind::duplicate_key:
        message = "key \"" + escape_for_display(document.scalar(problem.node)) +
                  "\" is written twice; keep one of them";
        break;
      case ProblemKind::undefined_alias:
        message = "alias without an anchor";
        break;
      case ProblemKind::cyclic_alias:
        message = "alias that contains itself";
        break;
      case ProblemKind::merge_not_mapping:
        message = "\"<<\" takes a mapping";
        break;
      case ProblemKind::not_strict_json:
      case ProblemKind::limit:
        break;
    }
    complaints.at(problem.begin, problem.end, std::move(message));
  }
}

void refuse_anchors_and_tags(Complaints& complaints) {
  const Document& document = complaints.document();
  for (NodeId id = 0; id < document.size(); ++id) {
    const Node& node = document.node(id);
    if (node.kind == NodeKind::alias || !document.anchor(id).empty()) {
      complaints.at(node.begin, node.end, "anchors and aliases are not used in data files");
    } else if (!document.tag(id).empty()) {
      complaints.at(node.begin, node.end, "tags are not used in data files");
    }
  }
}

StrictMapping::StrictMapping(Complaints& complaints, NodeId node)
    : complaints_(complaints),
      node_(node),
      mapping_(expect_kind(complaints, node, NodeKind::mapping)) {}

NodeId StrictMapping::find(std::string_view key) {
  assert(known_count_ < kMaxKeys);
  assert(std::find(known_.begin(), known_.begin() + known_count_, key) ==
         known_.begin() + known_count_);
  known_[known_count_++] = key;
  if (mapping_ == kNoNode) return kNoNode;
  const Document& document = complaints_.document();
  // Files are mostly written in the order their loader asks, so the search goes on where the last
  // one ended and comes round once.
  NodeId value = next_;
  for (std::uint32_t left = document.node(mapping_).child_count; left > 0; --left) {
    if (value == kNoNode) value = document.node(mapping_).first_child;
    if (document.scalar(document.node(value).key) == key) {
      ++found_count_;
      next_ = document.node(value).next_sibling;
      return value;
    }
    value = document.node(value).next_sibling;
  }
  return kNoNode;
}

NodeId StrictMapping::need(std::string_view key) {
  const NodeId value = find(key);
  if (value == kNoNode && mapping_ != kNoNode) {
    complaints_.about(node_, "\"" + std::string(key) + "\" is missing");
  }
  return value;
}

void StrictMapping::refuse_unknown_keys() {
  if (mapping_ == kNoNode) return;
  const Document& document = complaints_.document();
  if (found_count_ == document.node(mapping_).child_count) return;
  const std::span<const std::string_view> known(known_.data(), known_count_);
  for (NodeId value = document.node(mapping_).first_child; value != kNoNode;
       value = document.node(value).next_sibling) {
    const Node& key = document.node(document.node(value).key);
    const std::string_view name = document.scalar(document.node(value).key);
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    complaints_.at(key.begin, key.end,
                   "unknown key \"" + escape_for_display(name) + "\"" + did_you_mean(name, known));
  }
}

bool is_null(const Document& document, NodeId node) {
  if (document.kind(node) != NodeKind::scalar || document.node(node).quoting != Quoting::plain) {
    return false;
  }
  return is_yaml_null(document.scalar(node));
}

std::vector<std::pair<std::string_view, NodeId>> read_entries(Complaints& complaints, NodeId node) {
  std::vector<std::pair<std::string_view, NodeId>> entries;
  const NodeId mapping = expect_kind(complaints, node, NodeKind::mapping);
  if (mapping == kNoNode) return entries;
  const Document& document = complaints.document();
  entries.reserve(document.node(mapping).child_count);
  for (NodeId value = document.node(mapping).first_child; value != kNoNode;
       value = document.node(value).next_sibling) {
    entries.emplace_back(document.scalar(document.node(value).key), value);
  }
  return entries;
}

std::vector<NodeId> read_items(Complaints& complaints, NodeId node) {
  std::vector<NodeId> items;
  const NodeId sequence = expect_kind(complaints, node, NodeKind::sequence);
  if (sequence == kNoNode) return items;
  const Document& document = complaints.document();
  items.reserve(document.node(sequence).child_count);
  for (NodeId item = document.node(sequence).first_child; item != kNoNode;
       item = document.node(item).next_sibling) {
    items.push_back(item);
  }
  return items;
}

std::string_view read_text(Complaints& complaints, NodeId node) {
  const NodeId scalar = expect_kind(complaints, node, NodeKind::scalar);
  if (scalar == kNoNode) return {};
  const std::string_view text = complaints.document().scalar(scalar);
  if (trim(text).empty()) complaints.about(node, "is empty");
  return text;
}

std::string_view read_word(Complaints& complaints, NodeId node) {
  return trim(read_text(complaints, node));
}

std::vector<std::string> read_words(Complaints& complaints, NodeId node, bool may_be_empty) {
  std::vector<std::string> words;
  if (node == kNoNode) return words;
  const Document& document = complaints.document();
  const NodeId resolved = document.resolve(node);
  if (resolved != kNoNode && document.kind(resolved) == NodeKind::scalar) {
    words.emplace_back(read_word(complaints, node));
    return words;
  }
  for (const NodeId item : read_items(complaints, node)) {
    const bool empty = document.kind(item) == NodeKind::scalar && document.scalar(item).empty();
    words.emplace_back(empty && may_be_empty ? std::string_view{} : read_word(complaints, item));
  }
  return words;
}

std::optional<std::size_t> read_choice(Complaints& complaints, NodeId node,
                                       std::span<const std::string_view> choices) {
  const std::string_view word = read_word(complaints, node);
  if (word.empty()) return std::nullopt;
  const auto found = std::find(choices.begin(), choices.end(), word);
  if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
  std::string expected;
  for (const std::string_view choice : choices) {
    expected += (expected.empty() ? "" : ", ") + std::string(choice);
  }
  complaints.about(node, "\"" + escape_for_display(word) + "\" is none of " + expected +
                             did_you_mean(word, choices));
  return std::nullopt;
}

std::string_view folder_name_of(std::string_view path) { return file_name(parent_path(path)); }

}  // namespace gpulint
