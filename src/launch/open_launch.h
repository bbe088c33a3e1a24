#pragma once

// A training command while its readings are joined. Internal to this room.

#include "launch/directives.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

struct OpenLaunch {
  TextRange place;
  std::vector<std::uint32_t> turns;
  std::string program;
  ShellText script;
  std::string module;
  LauncherStarts role = LauncherStarts::command;
  const Launcher* entry = nullptr;
  ProgramFlags flags;
  std::vector<LauncherFlags> launchers;
  ShellText folder;

  /// Makes unknown what another reading of the command says otherwise.
  void join(const OpenLaunch& other);
  /// True for flags by which a program of any name does not train; `silent`: those that hold for
  /// every program.
  bool is_silent(std::span<const std::string_view> silent) const;
};

}  // namespace gpulint
