#include "plan/key_index.h"

#include "base/key_hash.h"
#include "base/text.h"

#include <algorithm>
#include <string>

namespace gpulint {

namespace {

// Base of the polynomial: odd, so that multiplying loses nothing; the fractional bits of sqrt(3).
constexpr std::uint64_t kPathBase = 0xbb67ae8584caa73bULL;

PathHash child_path(PathHash parent, std::string_view component) {
  return parent * kPathBase + component_hash(component);
}

char folded(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  return c == '-' ? '_' : c;
}

bool same_folded(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return x == y || folded(x) == folded(y);
         });
}

std::size_t slot_of(PathHash path) { return static_cast<std::size_t>(path ^ (path >> 32)); }

/// `G_optimizer_lr` without `G`; "" where no such word stands before or after it.
std::string_view undecorated(std::string_view key, const KeyDecorations& decorations) {
  const auto joins = [&](std::size_t at) { return key[at] == '_' || key[at] == '-'; };
  for (const std::string& word : decorations.before) {
    const bool leads = key.size() > word.size() + 1 && joins(word.size()) &&
                       same_folded(key.substr(0, word.size()), word);
    if (leads) return key.substr(word.size() + 1);
  }
  for (const std::string& word : decorations.after) {
    const bool trails = key.size() > word.size() + 1 && joins(key.size() - word.size() - 1) &&
                        same_folded(key.substr(key.size() - word.size()), word);
    if (trails) return key.substr(0, key.size() - word.size() - 1);
  }
  return {};
}

/// The plain key within a decorated one; "" for none, and for a key that is plain itself.
std::string_view plain_key(std::string_view key, const KeyDecorations& decorations) {
  const auto is_plain = [&](std::string_view word) {
    return std::any_of(decorations.of.begin(), decorations.of.end(),
                       [&](const std::string& each) { return same_folded(each, word); });
  };
  constexpr int kMostWords = 2;
  std::string_view plain;
  for (int words = 0; words < kMostWords && !is_plain(key); ++words) {
    key = undecorated(key, decorations);
    if (key.empty()) return {};
    if (is_plain(key)) plain = key;
  }
  return plain;
}

bool is_merge_key(const Document& document, NodeId key) {
  return key != kNoNode && document.node(key).value_size == 2 && document.scalar(key) == "<<";
}

bool has_merge_key(const Document& document, NodeId mapping) {
  for (NodeId child = document.node(mapping).first_child; child != kNoNode;
       child = document.node(child).next_sibling) {
    if (is_merge_key(document, document.node(child).key)) return true;
  }
  return false;
}

}  // namespace

RelativePath relative_path(std::string_view dotted) {
  RelativePath path;
  while (!dotted.empty()) {
    const std::size_t dot = std::min(dotted.find('.'), dotted.size());
    path.hash = child_path(path.hash, dotted.substr(0, dot));
    path.scale *= kPathBase;
    dotted.remove_prefix(std::min(dot + 1, dotted.size()));
  }
  return path;
}

PathHash path_below(PathHash parent, std::string_view dotted) {
  return relative_path(dotted).below(parent);
}

bool component_matches(std::string_view pattern, std::string_view key) {
  if (pattern == "*") return true;
  if (pattern.size() == 1) return pattern == key;  // as component_hash does
  if (pattern.ends_with('*')) {
    const std::string_view head = pattern.substr(0, pattern.size() - 1);
    return key.size() >= head.size() && same_folded(head, key.substr(0, head.size()));
  }
  if (pattern.starts_with('*')) {
    const std::string_view tail = pattern.substr(1);
    return key.size() >= tail.size() && same_folded(tail, key.substr(key.size() - tail.size()));
  }
  return same_folded(pattern, key);
}

KeyIndex::KeyIndex(const Document& document, const KeyDecorations* decorations)
    : document_(&document), decorations_(decorations), slots_(128) {
  for (const Problem& problem : document.problems()) {
    if (problem.kind == ProblemKind::duplicate_key) losing_keys_.push_back(problem.node);
  }
  std::sort(losing_keys_.begin(), losing_keys_.end());
  const NodeId root = document.root();
  if (root == kNoNode) return;
  const NodeId start = document.resolve(root);
  if (start == kNoNode || document.kind(start) != NodeKind::mapping) return;
  pending_.push_back({start});
  for (std::size_t next = 0; next < pending_.size(); ++next) {
    if (count_ >= kMostEntries) {
      truncated_ = true;
      break;
    }
    const Pending from = pending_[next];  // a copy: the list grows meanwhile
    walk(from);
  }
  if (truncated_) names_.add_all();
}

void KeyIndex::walk(const Pending& from) {
  if (has_merge_key(*document_, from.mapping)) {
    for (const Member& member : document_->members(from.mapping)) {
      add(from, {member.key, member.value});
    }
    return;
  }
  for (NodeId child = document_->node(from.mapping).first_child; child != kNoNode;
       child = document_->node(child).next_sibling) {
    const NodeId key = document_->node(child).key;
    if (!losing_keys_.empty() &&
        std::binary_search(losing_keys_.begin(), losing_keys_.end(), key)) {
      continue;
    }
    add(from, {key, document_->resolve(child)});
  }
}

void KeyIndex::add(const Pending& parent, Place place) {
  if (place.key == kNoNode || place.value == kNoNode) return;
  if (document_->kind(place.key) != NodeKind::scalar) return;
  if (count_ >= kMostEntries || parent.level >= kMostLevels) {
    truncated_ = true;
    return;
  }
  const std::string_view name = document_->scalar(place.key);
  const PathHash own = child_path(parent.path, name);
  names_.add(component_hash(name));
  insert(own, place);
  if (document_->kind(place.value) == NodeKind::mapping) {
    // `init_args.config:` is a section in a section; readers take its parts apart.
    const bool is_dotted = name.find('.') != std::string_view::npos;
    const PathHash inside = is_dotted ? path_below(parent.path, name) : own;
    if (is_dotted && !find(inside).found()) insert(inside, place);
    pending_.push_back({place.value, inside, parent.level + 1});
  } else if (decorations_ != nullptr) {
    add_plain(parent, place);
  }
}

void KeyIndex::add_plain(const Pending& parent, Place place) {
  if (document_->kind(place.value) != NodeKind::scalar) return;
  const std::string_view key = document_->scalar(place.key);
  const bool is_dotted = key.find('.') != std::string_view::npos;  // `optimizer.lr: 0.1`
  const std::string_view plain = is_dotted ? key : plain_key(key, *decorations_);
  const PathHash path = path_below(parent.path, plain);
  if (plain.empty() || find(path).found()) return;
  insert(path, place);
  names_.add(component_hash(plain.substr(plain.rfind('.') + 1)));
  has_plain_keys_ = true;
}

void KeyIndex::insert(PathHash path, Place place) {
  if ((count_ + 1) * 2 > slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = slot_of(path) & mask;
  while (slots_[at].place.found() && slots_[at].hash != path) at = (at + 1) & mask;
  if (!slots_[at].place.found()) ++count_;
  slots_[at] = {path, place};
}

void KeyIndex::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (!slot.place.found()) continue;
    std::size_t at = slot_of(slot.hash) & mask;
    while (slots_[at].place.found()) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

Place KeyIndex::find(PathHash path) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = slot_of(path) & mask; slots_[at].place.found(); at = (at + 1) & mask) {
    if (slots_[at].hash == path) return slots_[at].place;
  }
  return {};
}

bool value_matches(const Document& document, NodeId value, std::string_view pattern) {
  if (pattern.empty()) return true;
  if (pattern.starts_with('!')) return component_matches(pattern, document.tag(value));
  return document.kind(value) == NodeKind::scalar &&
         component_matches(pattern, document.scalar(value));
}

namespace {

constexpr int kMostVisits = 2'000;

// A question about a document; visits at most `budget` nodes, since a pattern over a huge list must
// not cost more than the list is worth.
struct Search {
  const Document& document;
  std::string_view value;
  int budget;
  std::vector<Place>* all = nullptr;  // unset: the first is enough

  Place follow(Place from, std::string_view dotted) {
    if (dotted.empty() && all != nullptr) {
      all->push_back(from);
      return {};
    }
    if (dotted.empty()) return value_matches(document, from.value, value) ? from : Place{};
    const NodeKind kind = document.kind(from.value);
    if (kind != NodeKind::mapping && kind != NodeKind::sequence) return {};
    const std::size_t dot = std::min(dotted.find('.'), dotted.size());
    const std::string_view component = dotted.substr(0, dot);
    const std::string_view rest = dotted.substr(std::min(dot + 1, dotted.size()));
    for (NodeId child = document.node(from.value).first_child; child != kNoNode && --budget > 0;
         child = document.node(child).next_sibling) {
      const Place next{document.node(child).key, document.resolve(child)};
      if (!next.found() || !admits(component, kind, next.key)) continue;
      const Place place = follow(next, rest);
      if (place.found()) return place;
    }
    return {};
  }

  bool admits(std::string_view component, NodeKind parent, NodeId key) const {
    if (parent == NodeKind::sequence) return component == "*";
    return key != kNoNode && component_matches(component, document.scalar(key));
  }
};

}  // namespace

Place KeyIndex::find_pattern(NodeId root, std::string_view dotted, std::string_view value) const {
  if (root == kNoNode) return {};
  return Search{*document_, value, kMostVisits}.follow({kNoNode, root}, dotted);
}

std::vector<Place> KeyIndex::find_all(NodeId root, std::string_view dotted) const {
  std::vector<Place> all;
  if (root != kNoNode) Search{*document_, {}, kMostVisits, &all}.follow({kNoNode, root}, dotted);
  return all;
}

}  // namespace gpulint
