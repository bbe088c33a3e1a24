#include "launch/directives.h"

#include "base/text.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace gpulint {
namespace {

const Launcher* launcher_of_mark(std::span<const Launcher* const> launchers,
                                 std::string_view mark) {
  for (const Launcher* launcher : launchers) {
    const auto& marks = launcher->directives;
    if (std::find(marks.begin(), marks.end(), mark) != marks.end()) return launcher;
  }
  return nullptr;
}

}  // namespace

std::vector<LauncherFlags> directive_flags(std::span<const Launcher* const> launchers,
                                           const std::vector<ShellDirective>& directives) {
  std::vector<LauncherFlags> found;
  for (const ShellDirective& directive : directives) {
    const Launcher* launcher = launcher_of_mark(launchers, directive.mark);
    if (launcher == nullptr) continue;
    if (found.empty() || found.back().first != launcher) found.push_back({launcher, {}});
    Words words = directive.words;
    bool module = false;
    FlagTree flags = take_own_flags(*launcher, words, module);
    flags.fill_from(found.back().second);
    found.back().second = std::move(flags);
  }
  return found;
}

void add_variables_set(const Launcher& launcher, const FlagTree& flags, ShellVariables& variables) {
  for (const auto& [flag, names] : launcher.sets) {
    const FlagNode* node = nullptr;
    std::span<const FlagNode> level = flags.nodes();
    for (const std::string_view part : split(flag, '.')) {
      const auto found = std::find_if(level.begin(), level.end(), [&](const FlagNode& each) {
        return same_flag(each.name, part);
      });
      node = found == level.end() ? nullptr : &*found;
      if (node == nullptr) break;
      level = node->children;
    }
    if (node == nullptr || node->items.size() != 1) continue;
    ShellText value = node->items.front();
    // `gpu:a100:4`: the count stands behind the last colon.
    if (const std::size_t colon = value.bytes.rfind(':'); colon != std::string::npos)
      value = value.part(
          {static_cast<std::uint32_t>(colon) + 1, static_cast<std::uint32_t>(value.size())});
    for (const std::string& name : names) variables.emplace_back(name, value);
  }
}

ShellVariables directive_variables(std::span<const Launcher* const> launchers,
                                   const std::vector<ShellDirective>& directives) {
  ShellVariables variables;
  constexpr std::string_view kAnyJob = "*";  // instead of a flag: set whatever is asked for
  for (const auto& [launcher, flags] : directive_flags(launchers, directives)) {
    add_variables_set(*launcher, flags, variables);
    for (const auto& [flag, names] : launcher->sets) {
      if (flag != kAnyJob) continue;
      for (const std::string& name : names)
        variables.emplace_back(name, ShellText::unknown(kNowhere));
    }
  }
  return variables;
}

}  // namespace gpulint
