#include "plan/called_tables.h"

#include "base/text.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace gpulint {
namespace {

constexpr int kDeepestCall = 24;

/// Where the arguments of a call lie whose name stands at `key`: "" beside it; nullopt: it is none.
std::optional<std::string_view> arguments_key(const std::vector<std::string>& words,
                                              std::string_view key) {
  for (const std::string_view each : words) {
    if (!each.starts_with(key) || key.empty()) continue;
    if (each.size() == key.size()) return std::string_view();
    if (each[key.size()] == '.') return each.substr(key.size() + 1);
  }
  return std::nullopt;
}

class CallFinder {
 public:
  CallFinder(const Document& document, const Catalog& catalog)
      : document_(document),
        catalog_(catalog),
        strict_(catalog.words("call-keys")),
        loose_(catalog.words("loose-call-keys")),
        tags_(catalog.words("call-tags")) {}

  std::vector<CalledTable> find() && {
    walk(document_.resolve(document_.root()), 0);
    return std::move(found_);
  }

 private:
  void walk(NodeId node, int depth) {
    const NodeKind kind = document_.kind(node);
    if (node == kNoNode || depth > kDeepestCall || kind == NodeKind::scalar) return;
    if (kind == NodeKind::mapping) look_at(node);
    for (NodeId child = document_.node(node).first_child; child != kNoNode;
         child = document_.node(child).next_sibling) {
      walk(child, depth + 1);
    }
  }

  void look_at(NodeId mapping) {
    const std::string_view tag = document_.tag(mapping);
    for (const std::string& word : tags_) {
      if (!tag.empty() && tag.starts_with(word)) {
        return add(tag.substr(word.size()), mapping, /*is_loose=*/false);
      }
    }
    for (NodeId child = document_.node(mapping).first_child; child != kNoNode;
         child = document_.node(child).next_sibling) {
      const NodeId key = document_.node(child).key;
      if (key == kNoNode || document_.kind(child) != NodeKind::scalar) continue;
      const std::string_view name = document_.scalar(key);
      auto below = arguments_key(strict_, name);
      const bool is_loose = !below;
      if (!below) below = arguments_key(loose_, name);
      if (!below) continue;
      const NodeId arguments = below->empty() ? mapping : document_.find(mapping, *below);
      if (document_.kind(arguments) == NodeKind::mapping && arguments != kNoNode) {
        add(document_.scalar(child), arguments, is_loose);
      }
      return;
    }
  }

  void add(std::string_view target, NodeId arguments, bool is_loose) {
    const std::size_t dot = target.rfind('.');
    const PackageKeys* package = dot == std::string_view::npos ? nullptr : package_of(target);
    if (package == nullptr || !is_in(*package, target.substr(0, dot))) return;
    const KeyTable* table = package->table(target.substr(dot + 1));
    if (table == nullptr || !table->is_call) return;
    found_.push_back({arguments, std::string(target), package, table, is_loose});
  }

  /// By the first part of a dotted name: the package's own, or one that `call-packages` lists.
  const PackageKeys* package_of(std::string_view target) const {
    std::string first(target.substr(0, target.find('.')));
    for (const std::string& word : catalog_.words("call-packages")) {
      if (word.starts_with(first + "=")) first = word.substr(first.size() + 1);
    }
    std::replace(first.begin(), first.end(), '_', '-');
    return catalog_.described<PackageKeys>(first);
  }

  static bool is_in(const PackageKeys& package, std::string_view module) {
    return std::any_of(package.modules.begin(), package.modules.end(), [&](std::string_view known) {
      if (!known.ends_with(".*")) return module == known;
      known.remove_suffix(2);
      return module == known || (module.starts_with(known) && module[known.size()] == '.');
    });
  }

  const Document& document_;
  const Catalog& catalog_;
  const std::vector<std::string>& strict_;
  const std::vector<std::string>& loose_;
  const std::vector<std::string>& tags_;
  std::vector<CalledTable> found_;
};

}  // namespace

std::vector<CalledTable> called_tables(const Document& document, const Catalog& catalog) {
  return CallFinder(document, catalog).find();
}

bool names_call(const Document& document, NodeId mapping, const Catalog& catalog) {
  const std::vector<std::string>& strict = catalog.words("call-keys");
  const std::vector<std::string>& loose = catalog.words("loose-call-keys");
  for (NodeId child = document.node(mapping).first_child; child != kNoNode;
       child = document.node(child).next_sibling) {
    const NodeId key = document.node(child).key;
    if (key == kNoNode) continue;
    const std::string_view name = document.scalar(key);
    if (arguments_key(strict, name) || arguments_key(loose, name)) return true;
  }
  return false;
}

}  // namespace gpulint
