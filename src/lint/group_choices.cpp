#include "lint/group_choices.h"

#include "base/text.h"
#include "source/data_files.h"

#include <algorithm>
#include <string_view>

namespace gpulint {
namespace {

constexpr std::string_view kDefaults = "defaults";

/// A file that another of its folder is made of: `- base`.
GroupChoice part_of(const Document& document, std::string_view name, const std::string& top) {
  const std::string path = normalize_path(join_path(parent_path(document.path()), name));
  const std::string_view below =
      top.empty() ? std::string_view(path)
                  : std::string_view(path).substr(std::min(path.size(), top.size() + 1));
  return {std::string(parent_path(below)), without_yaml_ending(file_name(below))};
}

}  // namespace

std::string without_yaml_ending(std::string_view name) {
  return std::string(is_yaml_file_name(name) ? name.substr(0, name.rfind('.')) : name);
}

bool lies_over_all(std::string_view text) { return text.find("@package _global_") != text.npos; }

std::vector<GroupChoice> group_choices(const Document& document, const std::string& groups) {
  std::vector<GroupChoice> choices;
  const NodeId top = document.root();
  const NodeId list = top == kNoNode ? kNoNode : document.find(top, kDefaults);
  if (list == kNoNode || document.kind(document.resolve(list)) != NodeKind::sequence)
    return choices;
  for (const NodeId item : document.items(document.resolve(list))) {
    if (document.kind(item) == NodeKind::scalar)
      choices.push_back(part_of(document, trim(document.scalar(item)), groups));
    if (document.kind(item) != NodeKind::mapping) continue;
    const std::vector<Member> members = document.members(item);
    if (members.size() != 1 || members.front().value == kNoNode) continue;
    const NodeId value = document.resolve(members.front().value);
    std::string_view group = trim(document.scalar(members.front().key));
    for (const std::string_view word : {"override ", "optional "}) {
      if (group.starts_with(word)) group = trim(group.substr(word.size()));
    }
    if (group.starts_with('/')) group.remove_prefix(1);
    const bool is_plain = group.find_first_of(" @$") == std::string_view::npos &&
                          !group.starts_with("hydra/") && group != "hydra";
    if (!is_plain || document.kind(value) != NodeKind::scalar) continue;
    const std::string_view option = trim(document.scalar(value));
    const bool is_open = option.empty() || option == "null" || option == "~";
    choices.push_back({std::string(group), is_open ? std::string() : without_yaml_ending(option)});
  }
  return choices;
}

bool chooses_again(const Document& option, const std::vector<GroupChoice>& primary) {
  const NodeId top = option.root();
  const NodeId list = top == kNoNode ? kNoNode : option.find(top, kDefaults);
  if (list == kNoNode || option.kind(option.resolve(list)) != NodeKind::sequence) return false;
  const std::vector<NodeId> items = option.items(option.resolve(list));
  return std::any_of(items.begin(), items.end(), [&](NodeId item) {
    const bool is_name = option.kind(item) == NodeKind::scalar;
    const std::vector<Member> members =
        option.kind(item) == NodeKind::mapping ? option.members(item) : std::vector<Member>{};
    if (!is_name && members.size() != 1) return false;
    std::string_view group = trim(option.scalar(is_name ? item : members.front().key));
    if (!group.starts_with('/')) return false;
    group.remove_prefix(1);
    if (is_name) group = parent_path(group);
    return std::any_of(primary.begin(), primary.end(), [&](const GroupChoice& each) {
      return !group.empty() && each.group == group;
    });
  });
}

}  // namespace gpulint
