// A misspelt key is read by nobody: most loaders ignore what they do not know, and the run goes on
// with a default. Nobody lists all keys of all versions, so a key is suspected only when three
// things hold: the dialect's file does not name it, one letter added, left out, changed or two
// swapped make it a key that it names, and that key is not in the same mapping. Short keys are left
// alone, because there one letter makes another word. The project's own code may take keys beside
// those of its framework (a dataclass parsed together with it), so a key that it names is its own.

#include "plan/misspelt_keys.h"

#include "base/text.h"
#include "catalog/known_keys.h"
#include "code/code_base.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace gpulint {

namespace {

constexpr std::size_t kShortestKey = 8;  // letters; below, real words are one letter apart

/// Of a key somebody typed, as opposed to a path or a reference.
bool is_plain(std::string_view key) {
  return std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

/// `ModelCheckpoint` is the name of a class, by which somebody calls a section of his own.
bool is_class_name(std::string_view key) {
  const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto is_small = [](char c) { return c >= 'a' && c <= 'z'; };
  return !key.empty() && is_capital(key.front()) &&
         std::any_of(key.begin() + 1, key.end(), is_capital) &&
         std::any_of(key.begin(), key.end(), is_small);
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

/// The project's own code names it. A config in Python is code itself and names all of its keys.
bool is_named(const Run* run, const Document& document, std::string_view key) {
  return run != nullptr && run->project() != nullptr && document.format() != Format::python &&
         run->project()->names(run->root(), key);
}

void observe_mapping(const Document& document, NodeId mapping,
                     const std::vector<std::string>& known, const Run* run,
                     std::vector<Observation>& observations) {
  std::vector<std::pair<NodeId, std::string>> keys;
  std::vector<std::string> present;
  for (NodeId child = document.node(mapping).first_child; child != kNoNode;
       child = document.node(child).next_sibling) {
    const NodeId key = document.node(child).key;
    if (key == kNoNode) continue;
    keys.emplace_back(child, compared_spelling(document.scalar(key)));
    present.push_back(keys.back().second);
  }
  for (const auto& [child, name] : keys) {
    if (!is_plain(name) || std::binary_search(known.begin(), known.end(), name)) continue;
    const std::string_view candidate = slip_of(known, name, present);
    const NodeId key = document.node(child).key;
    if (candidate.empty() || is_class_name(document.scalar(key))) continue;
    if (is_named(run, document, document.scalar(key))) continue;
    Observation& item = observations.emplace_back();
    item.list = "misspelt_keys";
    item.span = document.span(key);
    item.pointer = document.pointer(child);
    item.name = std::string(document.scalar(key));
    item.detail = std::string(candidate);
  }
}

}  // namespace

std::string_view slip_of(const std::vector<std::string>& known, std::string_view key,
                         const std::vector<std::string>& present) {
  if (key.size() < kShortestKey || !is_plain(key)) return {};
  for (const std::string& candidate : known) {
    if (edit_distance(candidate, key, 1) != 1 || differs_by_meaning(candidate, key)) continue;
    if (std::find(present.begin(), present.end(), candidate) == present.end()) return candidate;
  }
  return {};
}

void observe_misspelt_keys(const KeyIndex& keys, const Dialect& dialect, const Scope& top,
                           const Run* run, std::vector<Observation>& observations) {
  // In-house configs have keys of their own, and the generic dialect lists many names for one fact.
  if (!dialect.leaf_sections.empty()) return;
  for (const auto& [parent, leaves] : *dialect.mapping->known_keys) {
    const NodeId mapping =
        parent.empty() ? top.node : keys.find(path_below(top.path, parent)).value;
    if (mapping == kNoNode || keys.document().kind(mapping) != NodeKind::mapping) continue;
    observe_mapping(keys.document(), mapping, leaves, run, observations);
  }
}

}  // namespace gpulint
