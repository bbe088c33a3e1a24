#include "launch/open_launch.h"

#include "base/text.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace gpulint {

void OpenLaunch::join(const OpenLaunch& other) {
  flags.flags.merge(other.flags.flags);
  flags.overrides.merge(other.flags.overrides);
  const bool has_same_flags = flags.given.intersect(other.flags.given);
  flags.may_be_more = flags.may_be_more || other.flags.may_be_more || !has_same_flags;
  flags.has_unknown = flags.has_unknown || other.flags.has_unknown;
  if (flags.subcommand != other.flags.subcommand) flags.subcommand.clear();
  std::erase_if(flags.configs, [&](const NamedConfig& config) {
    return std::none_of(
        other.flags.configs.begin(), other.flags.configs.end(),
        [&](const NamedConfig& each) { return each.name.bytes == config.name.bytes; });
  });
  std::erase_if(flags.chosen, [&](const auto& each) {
    const auto& others = other.flags.chosen;
    return std::find(others.begin(), others.end(), each) == others.end();
  });
  // One that is called and has comments stands there twice.
  std::vector<bool> taken(other.launchers.size());
  for (auto& [launcher, own] : launchers) {
    std::size_t same = 0;
    while (same < taken.size() && (taken[same] || other.launchers[same].first != launcher)) ++same;
    own.merge(same == taken.size() ? FlagTree() : other.launchers[same].second);
    if (same < taken.size()) taken[same] = true;
  }
}

bool OpenLaunch::is_silent(std::span<const std::string_view> silent) const {
  const auto says = [&](std::string_view condition) {
    const std::size_t equals = condition.find('=');
    if (!flags.subcommand.empty() && flags.subcommand == condition) return true;
    const FlagNode* node = flags.flags.find(condition.substr(0, equals));
    if (node == nullptr) node = flags.overrides.find(condition.substr(0, equals));
    if (node == nullptr || node->is_unknown || node->items.size() != 1) return false;
    const std::string value = to_lower(node->items.front().bytes);
    if (equals == std::string_view::npos) return value == "true" || value == "1";
    return matches_shell_pattern(condition.substr(equals + 1), value);
  };
  if (std::any_of(silent.begin(), silent.end(), says)) return true;
  return entry != nullptr && std::any_of(entry->silent.begin(), entry->silent.end(), says);
}

}  // namespace gpulint
