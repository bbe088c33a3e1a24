#pragma once

// What a defaults list of Hydra says, item by item, and where packages lead. Internal to this room.

#include "plan/run_paths.h"
#include "source/document.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// One entry of a defaults list.
struct DefaultsItem {
  NodeId node = kNoNode;   // the option, for messages
  std::string_view group;  // "" for a plain config name; "/x" is absolute
  std::optional<std::string_view> package;
  std::vector<std::string_view> options;  // file names without ending; empty: nothing is chosen
  bool is_self = false;
  bool is_override = false;
  bool is_optional = false;
};

/// Of the list's node.
std::vector<DefaultsItem> read_items(const Document& document, NodeId list);

/// `/model`, or one that overrides: it is counted from the folder of the groups.
bool is_absolute(const DefaultsItem& item);
std::string_view without_slash(std::string_view group);
/// `/model`, or the config `/model/large` without a group: there, counted from the folder.
bool lies_below(const RunFiles& files, const std::string& root, const std::string& folder,
                const DefaultsItem& item);
/// The list chooses an option of the group.
bool has_group(const std::vector<DefaultsItem>& items, std::string_view group);
/// True when something is overridden, and nothing that `groups` has not.
bool overrides_all(const std::vector<DefaultsItem>& items, const std::vector<DefaultsItem>& groups);
/// How many of what is overridden `groups` chooses already.
std::size_t chosen_again(const std::vector<DefaultsItem>& items,
                         const std::vector<DefaultsItem>& groups);

/// `# @package x` before the first key; nullopt when the file has none.
std::optional<std::string_view> package_header(const Document& document);
/// Where a package leads that stands in a file of `parent`; `group`: what `_group_` stands for.
std::string final_package(std::string_view parent, std::string_view package,
                          std::string_view group);

/// "a.b" of the group "a/b".
std::string dotted(std::string_view group);
/// Either alone, where the other is empty.
std::string joined_parts(std::string_view a, std::string_view b, char separator);

}  // namespace gpulint
