#include "source/document.h"

#include "source/merge.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <functional>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace gpulint {
namespace {

Tree tree_of(const Document::View& view) { return {view.nodes, view.text, view.pool}; }

bool is_mapping(const Tree& tree, NodeId id) {
  return id < tree.nodes.size() && tree.nodes[id].kind == NodeKind::mapping;
}

/// Members in order of arrival, found again by key. Small mappings, which nearly all are, do
/// without a table.
class MemberList {
 public:
  explicit MemberList(const Tree& tree) : tree_(tree) {}

  void add_own(Member member) {
    if (Member* known = find(member.key)) {
      known->key = member.key;
      known->value = member.value;
    } else {
      append(member);
    }
  }
  void add_merged(Member member) {
    if (find(member.key) == nullptr) append(member);
  }
  std::vector<Member> take() { return std::move(members_); }

 private:
  static constexpr std::size_t kSmall = 12;  // members; above, a table beats comparing with each

  bool is_simple(NodeId key) const {
    const NodeId target = tree_.resolve(key);
    return target != kNoNode && tree_.nodes[target].kind == NodeKind::scalar;
  }
  std::string_view text(NodeId key) const { return tree_.scalar(tree_.resolve(key)); }

  Member* find(NodeId key) {
    if (!is_simple(key)) return nullptr;
    const std::string_view wanted = text(key);
    if (members_.size() > kSmall) {
      const auto found = places_.find(wanted);
      return found == places_.end() ? nullptr : &members_[found->second];
    }
    for (Member& member : members_) {
      if (is_simple(member.key) && text(member.key) == wanted) return &member;
    }
    return nullptr;
  }
  void append(Member member) {
    members_.push_back(member);
    if (members_.size() <= kSmall) return;
    const std::size_t first = members_.size() == kSmall + 1 ? 0 : members_.size() - 1;
    for (std::size_t i = first; i < members_.size(); ++i) {
      if (is_simple(members_[i].key)) places_.emplace(text(members_[i].key), i);
    }
  }

  Tree tree_;
  std::vector<Member> members_;
  std::unordered_map<std::string_view, std::size_t> places_;
};

/// Depth is bounded: the reader switches merging off where the merges of a file add up to more
/// visits than `max_expanded_nodes`, and a chain of n merges needs n²/2 of them.
void add_members(const Tree& tree, NodeId mapping, bool expand, bool merged, MemberList& members) {
  for (NodeId child = tree.nodes[mapping].first_child; child != kNoNode;
       child = tree.nodes[child].next_sibling) {
    const NodeId key = tree.nodes[child].key;
    if (expand && is_merge_key(tree, key)) continue;
    const Member member{key, tree.resolve(child), merged};
    merged ? members.add_merged(member) : members.add_own(member);
  }
  if (!expand) return;
  for (const NodeId base : merged_mappings(tree, mapping))
    add_members(tree, base, expand, true, members);
}

NodeId find_in(const Tree& tree, NodeId mapping, std::string_view key, bool expand) {
  NodeId found = kNoNode;
  bool merges = false;
  for (NodeId child = tree.nodes[mapping].first_child; child != kNoNode;
       child = tree.nodes[child].next_sibling) {
    const NodeId name = tree.nodes[child].key;
    merges = merges || is_merge_key(tree, name);
    if (tree.scalar(tree.resolve(name)) == key) found = child;
  }
  if (found != kNoNode) return tree.resolve(found);
  if (!merges || !expand) return kNoNode;
  for (const NodeId base : merged_mappings(tree, mapping)) {
    const NodeId inherited = find_in(tree, base, key, expand);
    if (inherited != kNoNode) return inherited;
  }
  return kNoNode;
}

/// One reference token of a JSON pointer with ~1 and ~0 turned into / and ~.
std::string unescaped(std::string_view token) {
  std::string result;
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] == '~' && i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1')) {
      result += token[++i] == '1' ? '/' : '~';
    } else {
      result += token[i];
    }
  }
  return result;
}

std::string escaped(std::string_view token) {
  std::string result;
  for (const char c : token) {
    if (c == '~') {
      result += "~0";
    } else if (c == '/') {
      result += "~1";
    } else {
      result += c;
    }
  }
  return result;
}

NodeId item_at(const Tree& tree, NodeId sequence, std::string_view index) {
  std::uint32_t wanted = 0;
  const auto [end, error] = std::from_chars(index.data(), index.data() + index.size(), wanted);
  if (error != std::errc{} || end != index.data() + index.size()) return kNoNode;
  NodeId item = tree.nodes[sequence].first_child;
  for (; item != kNoNode && wanted > 0; --wanted) item = tree.nodes[item].next_sibling;
  return item == kNoNode ? kNoNode : tree.resolve(item);
}

std::uint32_t place_among_siblings(const Tree& tree, NodeId id) {
  std::uint32_t index = 0;
  for (NodeId item = tree.nodes[tree.nodes[id].parent].first_child; item != id && item != kNoNode;
       item = tree.nodes[item].next_sibling) {
    ++index;
  }
  return index;
}

/// The value a key belongs to; the node itself when it is not a key.
NodeId value_of_key(const Tree& tree, NodeId id) {
  const NodeId parent = tree.nodes[id].parent;
  if (!is_mapping(tree, parent) || tree.nodes[id].key != kNoNode) return id;
  for (NodeId child = tree.nodes[parent].first_child; child != kNoNode;
       child = tree.nodes[child].next_sibling) {
    if (tree.nodes[child].key == id) return child;
  }
  return id;
}

/// The part whose text holds `offset`.
const Document::Part& part_at(std::span<const Document::Part> parts, std::uint32_t offset) {
  const auto next = std::upper_bound(
      parts.begin(), parts.end(), offset,
      [](std::uint32_t at, const Document::Part& part) { return at < part.begin; });
  return *(next == parts.begin() ? next : next - 1);
}

}  // namespace

Document Document::from_view(const View& view) {
  Document document;
  document.view_ = view;
  return document;
}

Document Document::own(Storage storage, std::vector<Problem> problems, FileId file) {
  Document document;
  document.storage_ = std::make_shared<const Storage>(std::move(storage));
  const Storage& kept = *document.storage_;
  document.view_ = {kept.path,  kept.text,     kept.pool,  kept.nodes,
                    kept.roots, kept.comments, kept.format};
  document.problems_ = std::move(problems);
  document.file_ = file;
  document.expand_merges_ = kept.expand_merges;
  return document;
}

Document Document::as_file(FileId file) const {
  assert(parts().empty());
  Document same;
  same.view_ = view_;
  same.storage_ = storage_;
  same.problems_ = problems_;
  same.file_ = file;
  same.expand_merges_ = expand_merges_;
  return same;
}

Document::Fingerprint Document::fingerprint() const {
  static_assert(std::has_unique_object_representations_v<Node>);
  const std::hash<std::string_view> hash;
  const auto bytes_of = [](const auto& items) {
    return std::string_view(reinterpret_cast<const char*>(items.data()),
                            items.size() * sizeof(*items.data()));
  };
  const auto join = [](std::size_t& own, std::size_t other) { own = own * 1'000'003 + other; };
  Fingerprint made{hash(bytes_of(view_.nodes)), hash(view_.text)};
  join(made.nodes, hash(bytes_of(view_.roots)));
  join(made.texts, hash(view_.pool));
  join(made.texts, hash(view_.path));
  join(made.nodes, file_);
  for (const Part& part : parts()) {
    for (const std::uint32_t each : {part.begin, part.file, part.depth}) join(made.nodes, each);
  }
  return made;
}

std::size_t Document::bytes() const {
  if (!storage_) return 0;
  return storage_->path.capacity() + storage_->text.capacity() + storage_->pool.capacity() +
         storage_->nodes.capacity() * sizeof(Node) + storage_->roots.capacity() * sizeof(NodeId) +
         storage_->comments.capacity() * sizeof(Comment) + problems_.capacity() * sizeof(Problem);
}

SourceSpan Document::span_in_part(const Node& node) const {
  const Part& part = part_at(parts(), node.begin);
  return {part.file, node.begin - part.begin, node.end - part.begin};
}

std::string_view Document::text_at(const SourceSpan& span) const {
  std::string_view text = view_.text;
  if (!parts().empty()) {
    const std::span<const Part> all = parts();
    const auto part = std::find_if(all.begin(), all.end(),
                                   [&](const Part& each) { return each.file == span.file; });
    if (part == all.end()) return {};
    const auto next = part + 1;
    text = text.substr(part->begin, next == all.end() ? text.npos : next->begin - part->begin);
  } else if (span.file != file_) {
    return {};
  }
  if (span.begin > span.end || span.end > text.size()) return {};
  return text.substr(span.begin, span.end - span.begin);
}

NodeId Document::resolve(NodeId id) const { return tree_of(view_).resolve(id); }

std::string_view Document::scalar(NodeId id) const { return tree_of(view_).scalar(id); }

std::string_view Document::tag(NodeId id) const { return tree_of(view_).tag(id); }

std::string_view Document::anchor(NodeId id) const {
  const Node& named = node(id);
  if (named.anchor_begin > view_.pool.size()) return {};
  return view_.pool.substr(named.anchor_begin, named.anchor_size);
}

LineColumn Document::line_column(std::uint32_t offset) const {
  if (lines_.line_count() == 0) lines_ = LineIndex(view_.text);
  return lines_.at(view_.text, offset);
}

NodeId Document::find(NodeId mapping, std::string_view key) const {
  const Tree tree = tree_of(view_);
  const NodeId target = tree.resolve(mapping);
  return is_mapping(tree, target) ? find_in(tree, target, key, expand_merges_) : kNoNode;
}

std::vector<Member> Document::members(NodeId mapping) const {
  const Tree tree = tree_of(view_);
  MemberList members(tree);
  const NodeId target = tree.resolve(mapping);
  if (is_mapping(tree, target)) add_members(tree, target, expand_merges_, false, members);
  return members.take();
}

std::vector<NodeId> Document::items(NodeId sequence) const {
  const Tree tree = tree_of(view_);
  std::vector<NodeId> items;
  const NodeId target = tree.resolve(sequence);
  if (target == kNoNode || tree.nodes[target].kind != NodeKind::sequence) return items;
  for (NodeId item = tree.nodes[target].first_child; item != kNoNode;
       item = tree.nodes[item].next_sibling) {
    const NodeId value = tree.resolve(item);
    if (value != kNoNode) items.push_back(value);
  }
  return items;
}

NodeId Document::at(std::string_view pointer) const {
  const Tree tree = tree_of(view_);
  NodeId current = tree.resolve(root());
  while (!pointer.empty() && current != kNoNode) {
    if (pointer.front() != '/') return kNoNode;
    pointer.remove_prefix(1);
    const std::string_view token = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(token.size());
    current = tree.nodes[current].kind == NodeKind::sequence ? item_at(tree, current, token)
                                                             : find(current, unescaped(token));
  }
  return current;
}

std::string Document::pointer(NodeId id) const {
  const Tree tree = tree_of(view_);
  if (id >= tree.nodes.size()) return {};
  std::vector<std::string> tokens;
  for (NodeId current = value_of_key(tree, id); tree.nodes[current].parent != kNoNode;
       current = value_of_key(tree, tree.nodes[current].parent)) {
    const NodeId key = tree.nodes[current].key;
    tokens.push_back(key == kNoNode ? std::to_string(place_among_siblings(tree, current))
                                    : escaped(tree.scalar(tree.resolve(key))));
  }
  if (!parts().empty()) {
    const std::size_t depth = part_at(parts(), tree.nodes[id].begin).depth;
    tokens.resize(tokens.size() - std::min(depth, tokens.size()));
  }
  std::string result;
  for (auto token = tokens.rbegin(); token != tokens.rend(); ++token) result += "/" + *token;
  return result;
}

std::string dotted_key(std::string_view pointer) {
  std::string key;
  if (pointer.empty()) return key;
  for (const std::string_view part : split(pointer.substr(1), '/')) {
    if (!key.empty()) key += '.';
    for (std::size_t i = 0; i < part.size(); ++i) {
      const bool is_escape = part[i] == '~' && i + 1 < part.size();
      key += is_escape ? (part[i + 1] == '1' ? '/' : '~') : part[i];
      if (is_escape) ++i;
    }
  }
  return key;
}

}  // namespace gpulint
