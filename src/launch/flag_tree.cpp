#include "launch/flag_tree.h"

#include "base/text.h"
#include "source/node_writer.h"

#include <algorithm>
#include <utility>

namespace gpulint {
namespace {

std::string_view without_dashes(std::string_view name) {
  while (name.starts_with('-')) name.remove_prefix(1);
  return name;
}

char plain(char c) {
  if (c == '-') return '_';
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::vector<FlagNode>::iterator find_in(std::vector<FlagNode>& nodes, std::string_view name) {
  return std::find_if(nodes.begin(), nodes.end(),
                      [&](const FlagNode& node) { return same_flag(node.name, name); });
}

bool same_value(const FlagNode& a, const FlagNode& b) {
  return !a.is_unknown && !b.is_unknown && a.is_list == b.is_list && a.children.empty() &&
         b.children.empty() &&
         std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(),
                    [](const ShellText& x, const ShellText& y) { return x.bytes == y.bytes; });
}

void make_unknown(FlagNode& node) {
  node.is_unknown = true;
  node.items.clear();
  node.end = node.last = {};
  for (FlagNode& child : node.children) make_unknown(child);
}

void merge_nodes(std::vector<FlagNode>& into, const std::vector<FlagNode>& from) {
  for (FlagNode& node : into) {
    const auto other = std::find_if(from.begin(), from.end(), [&](const FlagNode& each) {
      return same_flag(each.name, node.name);
    });
    if (other == from.end()) {
      make_unknown(node);
    } else if (!node.children.empty() && !other->children.empty()) {
      merge_nodes(node.children, other->children);
    } else if (!same_value(node, *other)) {
      make_unknown(node);
    }
  }
  for (const FlagNode& node : from) {
    if (find_in(into, node.name) != into.end()) continue;
    into.push_back(node);
    make_unknown(into.back());
  }
}

/// Writes the nodes of a Document over a script's text.
class FlagWriter {
 public:
  FlagWriter(const LaunchText& text, TextRange place, bool keeps_dashes)
      : text_(text), place_(place), keeps_dashes_(keeps_dashes) {}

  Document write(const FlagTree& tree, std::string_view under) {
    storage_.path = text_.path;
    storage_.text = text_.text;
    storage_.format = Format::shell;
    storage_.comments = text_.comments;
    if (text_.parts.size() > 1) storage_.parts = text_.parts;
    std::vector<std::string_view> above;
    for (const std::string_view part : split(under, '.')) {
      if (!part.empty()) above.push_back(part);
    }
    NodeId parent = kNoNode;
    for (std::size_t i = 0; i <= above.size(); ++i) {
      const NodeId key = i == 0 ? kNoNode : add_word(above[i - 1], parent);
      const NodeId mapping = add(NodeKind::mapping, parent, place_);
      if (i == 0) {
        storage_.roots.push_back(mapping);
      } else {
        NodeId last = kNoNode;
        append_child(storage_, parent, last, mapping, key);
      }
      parent = mapping;
    }
    add_members(parent, tree.nodes());
    return Document::own(std::move(storage_), {}, text_.file);
  }

 private:
  NodeId add(NodeKind kind, NodeId parent, TextRange range) {
    return add_node(storage_, kind, parent, range.begin, range.end);
  }

  /// A word that no text writes: it stands where the command starts.
  NodeId add_word(std::string_view word, NodeId parent) {
    const NodeId id = add(NodeKind::scalar, parent, {place_.begin, place_.begin});
    set_pooled_value(storage_, id, word);
    return id;
  }

  /// Where a text stands as one piece; its place is empty where it does not.
  TextRange range_of(const ShellText& text) const {
    if (text.empty() || text.origins.front() == kNowhere) return {place_.begin, place_.begin};
    const std::uint32_t begin = text.origins.front();
    for (std::size_t i = 0; i < text.size(); ++i) {
      const std::uint32_t at = begin + static_cast<std::uint32_t>(i);
      const bool verbatim =
          text.origins[i] == at && at < storage_.text.size() && storage_.text[at] == text.bytes[i];
      if (!verbatim) return {begin, begin};
    }
    return {begin, begin + static_cast<std::uint32_t>(text.size())};
  }

  NodeId add_text(const ShellText& text, NodeId parent) {
    const TextRange range = range_of(text);
    const NodeId id = add(NodeKind::scalar, parent, range);
    if (!text.known()) {
      set_pooled_value(storage_, id, kUnknownValue);
    } else if (range.size() == 0) {
      set_pooled_value(storage_, id, text.bytes);
    } else {
      storage_.nodes[id].value_begin = range.begin;
      storage_.nodes[id].value_size = range.size();
    }
    return id;
  }

  NodeId add_key(const FlagNode& node, NodeId parent) {
    const TextRange range = range_of(node.written);
    const NodeId id = add(NodeKind::scalar, parent, range);
    const std::string_view name = node.name;
    std::string_view spelled = keeps_dashes_ ? std::string_view(node.written.bytes) : name;
    if (node.is_switch && spelled.empty()) spelled = name;
    set_pooled_value(storage_, id, spelled);
    return id;
  }

  void add_members(NodeId parent, const std::vector<FlagNode>& nodes) {
    NodeId last = kNoNode;
    for (const FlagNode& node : nodes) {
      const NodeId key = add_key(node, parent);
      append_child(storage_, parent, last, add_value(node, parent), key);
    }
  }

  NodeId add_value(const FlagNode& node, NodeId parent) {
    if (node.is_unknown) {
      const TextRange range = range_of(node.written);
      const NodeId id = add(NodeKind::scalar, parent, range);
      const std::string below = std::string(kUnknownFolder) + node.last.bytes;
      set_pooled_value(storage_, id, node.last.empty() ? kUnknownValue : std::string_view(below));
      return id;
    }
    if (!node.children.empty()) {
      const NodeId id = add(NodeKind::mapping, parent, range_of(node.written));
      add_members(id, node.children);
      return id;
    }
    if (node.items.size() == 1 && !node.is_list) return add_value_text(node, parent);
    const NodeId id = add(NodeKind::sequence, parent, range_of(node.written));
    NodeId last = kNoNode;
    for (const ShellText& item : node.items) append_child(storage_, id, last, add_text(item, id));
    return id;
  }

  /// What a switch means is said where it stands.
  NodeId add_value_text(const FlagNode& node, NodeId parent) {
    const NodeId id = add_text(node.items.front(), parent);
    if (node.is_switch || node.items.front().empty()) {
      const TextRange range = range_of(node.written);
      storage_.nodes[id].begin = range.begin;
      storage_.nodes[id].end = range.end;
    }
    return id;
  }

  /// What dialects read as a value that is given elsewhere.
  static constexpr std::string_view kUnknownValue = "???";
  static constexpr std::string_view kUnknownFolder = "$_/";

  const LaunchText& text_;
  TextRange place_;
  bool keeps_dashes_ = false;
  Document::Storage storage_;
};

}  // namespace

bool same_flag(std::string_view a, std::string_view b) {
  a = without_dashes(a);
  b = without_dashes(b);
  if (a.size() == 1) return a == b;
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return plain(x) == plain(y); });
}

void FlagTree::add(std::string_view path, FlagNode node) {
  std::vector<FlagNode>* level = &nodes_;
  // `optimizer#lr` is spelled so by programs whose keys hold dots.
  const char separator = path.find('#') == std::string_view::npos ? '.' : '#';
  std::vector<std::string_view> parts = split(path, separator);
  std::erase(parts, std::string_view());
  if (parts.empty()) return;
  constexpr std::size_t kMostParts = 12;
  if (parts.size() > kMostParts) return;
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    auto found = find_in(*level, parts[i]);
    if (found == level->end()) {
      FlagNode section;
      section.name = parts[i];
      section.written = node.written;
      level->push_back(std::move(section));
      found = level->end() - 1;
    }
    found->items.clear();
    found->is_unknown = false;
    found->is_switch = false;
    level = &found->children;
  }
  node.name = parts.back();
  const auto found = find_in(*level, node.name);
  if (found == level->end()) {
    level->push_back(std::move(node));
  } else {
    *found = std::move(node);
  }
}

void FlagTree::merge(const FlagTree& other) { merge_nodes(nodes_, other.nodes_); }

bool FlagTree::intersect(const FlagTree& other) {
  const auto same = [&](const FlagNode& node) {
    return std::find_if(other.nodes_.begin(), other.nodes_.end(),
                        [&](const FlagNode& each) { return each.name == node.name; });
  };
  const std::size_t gone =
      std::erase_if(nodes_, [&](const FlagNode& node) { return same(node) == other.nodes_.end(); });
  for (FlagNode& node : nodes_) {
    const auto twin = same(node);
    if (twin->items == node.items && !twin->is_unknown) continue;
    make_unknown(node);
  }
  return gone == 0 && nodes_.size() == other.nodes_.size();
}

void FlagTree::fill_from(const FlagTree& other) {
  for (const FlagNode& node : other.nodes_) {
    if (find_in(nodes_, node.name) == nodes_.end()) nodes_.push_back(node);
  }
}

const FlagNode* FlagTree::find(std::string_view name) const {
  const auto found = std::find_if(nodes_.begin(), nodes_.end(),
                                  [&](const FlagNode& node) { return same_flag(node.name, name); });
  return found == nodes_.end() ? nullptr : &*found;
}

Document flag_document(const FlagTree& tree, const LaunchText& text, TextRange place,
                       std::string_view under, bool keeps_dashes) {
  return FlagWriter(text, place, keeps_dashes).write(tree, under);
}

}  // namespace gpulint
