#pragma once

// Words of a command line as flags. Internal to this room.

#include "launch/launch.h"

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gpulint {

using Words = std::vector<ShellText>;

/// Lists of every file that is bound to no dialect: they hold for every program.
struct CommonFlags {
  std::vector<std::string_view> overrides;
  std::vector<std::string_view> configs;
  std::vector<std::string_view> silent;
};

struct ProgramFlags {
  FlagTree flags;
  FlagTree overrides;
  std::vector<std::string> removed;
  std::vector<NamedConfig> configs;
  /// `name=word`, which chooses an option where `name` is a group of configs.
  std::vector<std::pair<std::string, std::string>> chosen;
  /// A plain word in front of all flags: "fit" of `main.py fit --x 1`; "--": a flag comes first.
  std::string subcommand;
  FlagTree given;            // every flag as it stands, in order, with the words behind it
  bool may_be_more = false;  // words that only a running shell, or whoever starts it, knows
  bool has_unknown = false;  // words that only a running shell knows, and there are some
};

/// Everything behind a program's name.
ProgramFlags read_program_flags(std::span<const ShellText> words, const Launcher* program,
                                const CommonFlags& common);

/// The launcher's own flags at the front of `words`, which are taken away with it; what is left is
/// what it starts. `module`: it says that this is a module.
FlagTree take_own_flags(const Launcher& launcher, Words& words, bool& module);

/// A path that ends like a config, unknown parts allowed in front of its name.
bool ends_like_config(std::string_view text);

}  // namespace gpulint
