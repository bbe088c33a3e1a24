#include "plan/unread_keys.h"

#include "base/text.h"
#include "catalog/known_keys.h"
#include "plan/fact_table.h"
#include "plan/key_index.h"

#include <algorithm>
#include <string>
#include <utility>

namespace gpulint {
namespace {

struct Reader {
  const Document& document;
  const Dialect& dialect;
  std::vector<std::string> read;  // pointers that facts came from, sorted
  std::vector<Observation> unread = {};

  bool is_named(std::string_view parent, std::string_view key) const {
    const auto names = [&](std::string_view section) {
      const auto found = dialect.mapping->known_keys->find(section);
      return found != dialect.mapping->known_keys->end() &&
             std::binary_search(found->second.begin(), found->second.end(), compared_spelling(key));
    };
    if (names(parent) || names(compared_spelling(parent))) return true;
    // Paths of the dialect begin at the section that holds the settings.
    return std::any_of(dialect.sections.begin(), dialect.sections.end(),
                       [&](std::string_view root) {
                         if (root.empty() || !parent.starts_with(root)) return false;
                         if (parent.size() == root.size()) return names({});
                         return parent[root.size()] == '.' && names(parent.substr(root.size() + 1));
                       });
  }

  /// A section whose keys never count, by its name.
  bool is_foreign(std::string_view name) const {
    return dialect.leaf_sections.empty() &&
           std::any_of(dialect.foreign_sections.begin(), dialect.foreign_sections.end(),
                       [&](const std::string& each) { return component_matches(each, name); });
  }

  /// A list of plain values is one setting, and so is an empty section.
  bool is_setting(NodeId value) const {
    if (document.kind(value) == NodeKind::scalar) return true;
    if (document.kind(value) != NodeKind::sequence) return false;
    const auto items = document.items(value);
    return std::all_of(items.begin(), items.end(), [&](NodeId item) {
      return document.kind(document.resolve(item)) == NodeKind::scalar;
    });
  }

  std::string shown(NodeId value) const {
    constexpr std::size_t kShown = 60;  // what fits on a line
    if (document.kind(value) == NodeKind::scalar) {
      return std::string(document.scalar(value).substr(0, kShown));
    }
    std::vector<std::string> items;
    for (const NodeId item : document.items(value)) {
      items.emplace_back(document.scalar(document.resolve(item)));
    }
    return "[" + join(items, ", ").substr(0, kShown) + "]";
  }

  void walk(NodeId mapping, const std::string& parent, int depth) {
    constexpr int kDeepest = 16;
    constexpr std::size_t kMostUnread = 1'000;  // nobody reads more of one file
    if (depth == kDeepest) return;
    for (NodeId child = document.node(mapping).first_child;
         child != kNoNode && unread.size() < kMostUnread;
         child = document.node(child).next_sibling) {
      const NodeId key = document.node(child).key;
      const NodeId value = document.resolve(child);
      if (key == kNoNode || value == kNoNode || document.kind(key) != NodeKind::scalar) continue;
      const std::string name(document.scalar(key));
      const std::string path = parent.empty() ? name : parent + "." + name;
      if (document.kind(value) == NodeKind::mapping) {
        if (!is_foreign(name)) walk(value, path, depth + 1);
      } else if (is_setting(value) && !is_named(parent, name)) {
        add(path, key, child, value);
      }
    }
  }

  void add(const std::string& path, NodeId key, NodeId child, NodeId value) {
    const std::string pointer = document.pointer(child);
    if (std::binary_search(read.begin(), read.end(), pointer)) return;
    Observation& item = unread.emplace_back();
    item.list = "unread_keys";
    item.span = document.span(key);
    item.pointer = pointer;
    item.name = path;
    item.value = shown(value);
  }
};

std::vector<std::string> pointers_of(std::span<const Plan> plans) {
  std::vector<std::string> pointers;
  for (const Plan& plan : plans) {
    for (const FactRow& row : fact_table()) {
      const Provenance* from = provenance_of(plan.facts, row);
      if (from != nullptr && !from->pointer.empty()) pointers.push_back(from->pointer);
    }
  }
  std::sort(pointers.begin(), pointers.end());
  return pointers;
}

}  // namespace

std::vector<Observation> unread_keys(const Document& document, const Dialect& dialect,
                                     std::span<const Plan> plans) {
  Reader reader{document, dialect, pointers_of(plans)};
  const NodeId top = document.resolve(document.root());
  if (top != kNoNode && document.kind(top) == NodeKind::mapping) reader.walk(top, {}, 0);
  return std::move(reader.unread);
}

}  // namespace gpulint
