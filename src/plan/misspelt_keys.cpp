// A misspelt key is read by nobody: most loaders ignore what they do not know, and the run goes on
// with a default. Which keys exist is only known of some frameworks and never of all versions, so a
// key is suspected only when three things hold: the framework's list does not have it, one letter
// added, left out, changed or two swapped make it a key of the list, and that key is not in the
// same mapping. Short keys are left alone, for there one letter makes another word.

#include "plan/misspelt_keys.h"

#include "base/text.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace gpulint {

namespace {

constexpr std::size_t kShortestKey = 8;  // letters; below, real words are one letter apart

/// Leaf keys of one mapping, by the dotted path of the mapping.
using KnownKeys = std::map<std::string, std::vector<std::string>, std::less<>>;

std::string normal(std::string_view key) {
  std::string text = to_lower(key);
  while (text.starts_with('-')) text.erase(0, 1);
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

void add_path(KnownKeys& known, std::string_view path) {
  if (path.find_first_of("*/=") != std::string_view::npos) return;
  // Every part of a path is a key of the mapping before it.
  std::size_t begin = 0;
  while (begin < path.size()) {
    const std::size_t dot = std::min(path.find('.', begin), path.size());
    const std::string parent = begin == 0 ? std::string() : std::string(path.substr(0, begin - 1));
    known[parent].push_back(normal(path.substr(begin, dot - begin)));
    begin = dot + 1;
  }
}

KnownKeys known_keys(const Dialect& dialect) {
  KnownKeys known;
  for (const KeyMapping& key : dialect.mapping->keys) add_path(known, key.path);
  for (const std::string& path : dialect.mapping->known_keys) add_path(known, path);
  for (const std::string& path : dialect.false_friends) add_path(known, path);
  for (const std::string& path : dialect.partial_keys) add_path(known, path);
  return known;
}

/// A plural, a version or an ordinal is another key, not a slip.
bool differs_by_meaning(std::string_view a, std::string_view b) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const bool digits_differ = std::count_if(a.begin(), a.end(), is_digit) != 0 ||
                             std::count_if(b.begin(), b.end(), is_digit) != 0;
  const std::string_view longer = a.size() > b.size() ? a : b;
  const std::string_view shorter = a.size() > b.size() ? b : a;
  const bool plural = longer.ends_with('s') && longer.substr(0, longer.size() - 1) == shorter;
  return digits_differ || plural;
}

std::string_view meant(const std::vector<std::string>& known, std::string_view key,
                       const std::vector<std::string>& present) {
  if (key.size() < kShortestKey) return {};
  for (const std::string& candidate : known) {
    if (edit_distance(candidate, key, 1) != 1 || differs_by_meaning(candidate, key)) continue;
    if (std::find(present.begin(), present.end(), candidate) == present.end()) return candidate;
  }
  return {};
}

void observe_mapping(const Document& document, NodeId mapping,
                     const std::vector<std::string>& known,
                     std::vector<Observation>& observations) {
  std::vector<std::pair<NodeId, std::string>> keys;
  std::vector<std::string> present;
  for (NodeId child = document.node(mapping).first_child; child != kNoNode;
       child = document.node(child).next_sibling) {
    const NodeId key = document.node(child).key;
    if (key == kNoNode) continue;
    keys.emplace_back(child, normal(document.scalar(key)));
    present.push_back(keys.back().second);
  }
  for (const auto& [child, name] : keys) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string_view candidate = meant(known, name, present);
    if (candidate.empty()) continue;
    const NodeId key = document.node(child).key;
    Observation& item = observations.emplace_back();
    item.list = "misspelt_keys";
    item.span = document.span(key);
    item.pointer = document.pointer(child);
    item.name = std::string(document.scalar(key));
    item.detail = std::string(candidate);
  }
}

}  // namespace

void observe_misspelt_keys(const KeyIndex& keys, const Dialect& dialect, const Scope& top,
                           std::vector<Observation>& observations) {
  if (dialect.mapping->known_keys.empty()) return;
  for (const auto& [parent, leaves] : known_keys(dialect)) {
    const NodeId mapping =
        parent.empty() ? top.node : keys.find(path_below(top.path, parent)).value;
    if (mapping == kNoNode || keys.document().kind(mapping) != NodeKind::mapping) continue;
    observe_mapping(keys.document(), mapping, leaves, observations);
  }
}

}  // namespace gpulint
