#include "launch/directives.h"

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

ShellVariables directive_variables(std::span<const Launcher* const> launchers,
                                   const std::vector<ShellDirective>& directives) {
  ShellVariables variables;
  for (const auto& [launcher, flags] : directive_flags(launchers, directives)) {
    for (const auto& [flag, names] : launcher->sets) {
      const FlagNode* node = flags.find(flag);
      if (node == nullptr || node->items.size() != 1) continue;
      ShellText value = node->items.front();
      // `gpu:a100:4`: the count stands behind the last colon.
      if (const std::size_t colon = value.bytes.rfind(':'); colon != std::string::npos)
        value = value.part(
            {static_cast<std::uint32_t>(colon) + 1, static_cast<std::uint32_t>(value.size())});
      for (const std::string& name : names) variables.emplace_back(name, value);
    }
  }
  return variables;
}

}  // namespace gpulint
