#include "plan/hydra_defaults.h"

#include "base/text.h"
#include "plan/run_layers.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace gpulint {
namespace {

constexpr std::string_view kDirective = "@package";

bool is_null_word(std::string_view text) { return text.empty() || text == "null" || text == "~"; }

std::pair<std::string_view, std::optional<std::string_view>> split_package(std::string_view text) {
  const std::size_t at = text.find('@');
  if (at == std::string_view::npos) return {text, std::nullopt};
  return {text.substr(0, at), text.substr(at + 1)};
}

/// Takes "override " or "optional " off the front.
bool take_word(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word) || text.size() <= word.size() || text[word.size()] != ' ')
    return false;
  text = trim(text.substr(word.size()));
  return true;
}

void add_option(const Document& document, NodeId option, DefaultsItem& item) {
  const std::string_view name = trim(document.scalar(option));
  const bool chosen = document.kind(option) == NodeKind::scalar && !is_null_word(name);
  if (chosen) item.options.push_back(name);
}

DefaultsItem read_item(const Document& document, NodeId node) {
  DefaultsItem item;
  item.node = node;
  if (document.kind(node) == NodeKind::scalar) {
    std::string_view name = trim(document.scalar(node));
    item.is_self = name == "_self_";
    item.is_optional = take_word(name, "optional");
    const auto [path, package] = split_package(name);
    item.package = package;
    if (!item.is_self && !is_null_word(path)) item.options.push_back(path);
    return item;
  }
  const std::vector<Member> members = document.members(node);
  if (members.empty()) return item;
  std::string_view group = trim(document.scalar(members.front().key));
  for (bool more = true; more;) {
    const bool optional = take_word(group, "optional");
    const bool overrides = take_word(group, "override");
    item.is_optional = item.is_optional || optional;
    item.is_override = item.is_override || overrides;
    more = optional || overrides;
  }
  std::tie(item.group, item.package) = split_package(group);
  const NodeId option = members.front().value;
  if (option == kNoNode) return item;
  item.node = option;
  if (document.kind(option) == NodeKind::sequence) {
    for (const NodeId each : document.items(option)) add_option(document, each, item);
  } else {
    add_option(document, option, item);
  }
  return item;
}

}  // namespace

std::vector<DefaultsItem> read_items(const Document& document, NodeId list) {
  std::vector<DefaultsItem> items;
  for (const NodeId node : document.items(list)) items.push_back(read_item(document, node));
  return items;
}

std::optional<std::string_view> package_header(const Document& document) {
  const NodeId top = top_of(document);
  const std::uint32_t first = top == kNoNode ? static_cast<std::uint32_t>(document.text().size())
                                             : document.node(top).begin;
  for (const Comment& comment : document.comments()) {
    if (comment.begin > first) break;
    std::string_view text = document.text().substr(comment.begin, comment.end - comment.begin);
    text.remove_prefix(std::min(text.find_first_not_of("# \t"), text.size()));
    if (!text.starts_with(kDirective)) continue;
    const std::string_view package = trim(text.substr(kDirective.size()));
    return package.starts_with(':') ? trim(package.substr(1)) : package;
  }
  return std::nullopt;
}

std::string dotted(std::string_view group) {
  std::string result(group);
  std::replace(result.begin(), result.end(), '/', '.');
  return result;
}

std::string joined_parts(std::string_view a, std::string_view b, char separator) {
  if (a.empty()) return std::string(b);
  if (b.empty()) return std::string(a);
  return std::string(a) + separator + std::string(b);
}

std::string final_package(std::string_view parent, std::string_view package,
                          std::string_view group) {
  std::string text(package);
  if (const std::size_t at = text.find("_group_"); at != std::string::npos) {
    return final_package("", text.replace(at, 7, dotted(group)), "");
  }
  constexpr std::string_view kGlobal = "_global_";
  if (const std::size_t at = text.rfind(kGlobal); at != std::string::npos) {
    // The character after it is left out whatever it is, as Hydra does: "__global__" is global too.
    return text.substr(std::min(text.size(), at + kGlobal.size() + 1));
  }
  if (text == "_here_") return std::string(parent);
  if (text.starts_with("_here_."))
    return joined_parts(parent, std::string_view(text).substr(7), '.');
  return joined_parts(parent, text, '.');
}

std::string_view without_slash(std::string_view group) {
  return group.starts_with('/') ? group.substr(1) : group;
}

bool is_absolute(const DefaultsItem& item) {
  return item.group.starts_with('/') || (item.is_override && !item.group.empty());
}

bool lies_below(const RunFiles& files, const std::string& root, const std::string& folder,
                const DefaultsItem& item) {
  const auto is_there = [&](std::string_view name, FileKind kind) {
    const std::string path = normalize_path(join_path(folder, name));
    return files.kind(path) == kind && is_inside(files, root, path);
  };
  if (!item.group.empty())
    return is_absolute(item) && is_there(without_slash(item.group), FileKind::directory);
  return std::any_of(item.options.begin(), item.options.end(), [&](std::string_view option) {
    if (!option.starts_with('/')) return false;
    std::string name(without_slash(option));
    if (!name.ends_with(".yaml")) name += ".yaml";
    return is_there(name, FileKind::regular);
  });
}

bool has_group(const std::vector<DefaultsItem>& items, std::string_view group) {
  return std::any_of(items.begin(), items.end(), [&](const DefaultsItem& item) {
    return !item.is_override && without_slash(item.group) == group;
  });
}

bool overrides_all(const std::vector<DefaultsItem>& items,
                   const std::vector<DefaultsItem>& groups) {
  bool any = false;
  for (const DefaultsItem& item : items) {
    const std::string_view group = without_slash(item.group);
    if (!item.is_override || group.starts_with("hydra/")) continue;  // of Hydra's own plugins
    if (!has_group(groups, group)) return false;
    any = true;
  }
  return any;
}

std::size_t chosen_again(const std::vector<DefaultsItem>& items,
                         const std::vector<DefaultsItem>& groups) {
  const auto is_chosen = [&](const DefaultsItem& item) {
    return item.is_override && std::any_of(groups.begin(), groups.end(), [&](const auto& each) {
      return !each.is_override && !each.options.empty() && each.options == item.options &&
             without_slash(each.group) == without_slash(item.group);
    });
  };
  return static_cast<std::size_t>(std::count_if(items.begin(), items.end(), is_chosen));
}

}  // namespace gpulint
