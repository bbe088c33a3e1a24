#pragma once

// Internal to this room.

#include "launch/launcher_calls.h"
#include "launch/open_launch.h"

#include <optional>
#include <span>
#include <vector>

namespace gpulint {

/// What all commands of a script share.
struct CommandContext {
  std::span<const Launcher* const> launchers;
  const LauncherCalls& calls;
  const CommonFlags& common;
  const std::vector<ShellDirective>& directives;  // of the script
  const LauncherFlags* carrier = nullptr;         // the file that carries it, with its facts
};

/// The launchers and the program of a command with their flags; nullopt when it starts nothing that
/// could train.
std::optional<OpenLaunch> read_command(const ShellCommand& command, const CommandContext& context);

}  // namespace gpulint
