#include "plan/sections.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace gpulint {
namespace {

bool is_foreign(const Dialect& dialect, std::string_view name) {
  return std::any_of(dialect.foreign_sections.begin(), dialect.foreign_sections.end(),
                     [&](const std::string& each) { return component_matches(each, name); });
}

/// Mappings right below `at`.
void add_children(const KeyIndex& keys, const Dialect& dialect, const Scope& at,
                  const std::vector<NodeId>& except, std::size_t most,
                  std::vector<Scope>& sections) {
  const Document& document = keys.document();
  for (NodeId child = document.node(at.node).first_child;
       child != kNoNode && sections.size() < most; child = document.node(child).next_sibling) {
    const NodeId key = document.node(child).key;
    const NodeId value = document.resolve(child);
    if (key == kNoNode || document.kind(key) != NodeKind::scalar) continue;
    if (value == kNoNode || document.kind(value) != NodeKind::mapping) continue;
    if (is_foreign(dialect, document.scalar(key))) continue;
    if (std::find(except.begin(), except.end(), value) != except.end()) continue;
    const PathHash path = path_below(at.path, document.scalar(key));
    if (keys.find(path).value == value) sections.push_back({value, path, at.order + 1});
  }
}

}  // namespace

std::vector<Scope> sections_below(const KeyIndex& keys, const Dialect& dialect, const Scope& from,
                                  const std::vector<NodeId>& except, std::size_t most) {
  constexpr int kDeepest = 4;  // further down keys belong to parts of the model
  std::vector<Scope> sections;
  if (from.node == kNoNode || keys.document().kind(from.node) != NodeKind::mapping) return sections;
  add_children(keys, dialect, from, except, most, sections);
  for (std::size_t next = 0; next < sections.size() && sections.size() < most; ++next) {
    const Scope at = sections[next];  // a copy: the list grows meanwhile
    if (at.order - from.order < kDeepest) add_children(keys, dialect, at, except, most, sections);
  }
  return sections;
}

void add_scopes(const KeyIndex& keys, const Dialect& dialect, const Scope& scope,
                std::vector<Scope>& scopes) {
  scopes.push_back(scope);
  for (const std::string& section : dialect.leaf_sections) {
    if (section.empty()) continue;
    const PathHash path = path_below(scope.path, section);
    const Place place = keys.find(path);
    if (place.found() && keys.document().kind(place.value) == NodeKind::mapping) {
      scopes.push_back({place.value, path, scope.order});
    }
  }
}

bool has_bare_keys(const Dialect& dialect) { return dialect.mapping->keys.has_bare_keys(); }

}  // namespace gpulint
