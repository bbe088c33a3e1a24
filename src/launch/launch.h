#pragma once

// The training runs that a shell script starts: for each command its program, the flags of the
// program as a document that the dialects read like a config, what its launchers say, and the names
// of the configs it is handed. What programs there are and what their flags mean is data
// (knowledge/launchers).

#include "catalog/launcher.h"
#include "launch/flag_tree.h"
#include "shell/script.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpulint {

/// A launcher in front of a program, with its own flags and, under `env`, the variables it sees.
struct LaunchedBy {
  const Launcher* launcher = nullptr;
  std::shared_ptr<const Document> flags;
};

/// A word that names a config.
struct NamedConfig {
  ShellText name;
  std::string flag;        // "" = it stands alone
  bool is_marked = false;  // by a flag that names configs
};

struct Launch {
  std::string program;  // as a person would name it: "train.py", "swift sft"
  ShellText script;     // the path of a Python script; empty: a module or a command
  std::string module;   // dotted, of `python -m`
  LauncherStarts role = LauncherStarts::command;  // what its name says; command: nothing
  std::string dialect;                            // "" = by its flags
  std::string under;                              // section of that dialect they lie in
  std::string otherwise;                          // the dialect of flags that are of none
  std::shared_ptr<const Document> flags;          // of the program
  std::shared_ptr<const Document> overrides;      // `a.b=c`: keys of the config it is handed
  std::shared_ptr<const Document> all;            // both
  std::vector<std::string> removed;               // `~a.b`
  /// `name=word`, which chooses an option where `name` is a group of configs.
  std::vector<std::pair<std::string, std::string>> chosen;
  /// Every flag of the program as it stands, dashes and all; nullptr: it starts no Python file.
  std::shared_ptr<const Document> given;
  bool may_be_more = false;           // of them, that only a running shell knows
  bool has_unknown = false;           // there are some that only a running shell knows
  std::string subcommand;  // in front of all flags: "fit" of `main.py fit --x`; "--": there is none
  std::vector<LaunchedBy> launchers;  // innermost first
  std::vector<NamedConfig> configs;
  ShellText folder;  // where it starts
  TextRange place;
};

struct LaunchScript {
  std::vector<Launch> launches;     // in the order of the script
  std::vector<std::string> limits;  // each reached
};

/// A script that another one reads into itself.
struct OpenedScript {
  std::string text;
  FileId file = kNoFile;
  std::string path;
};

struct LaunchRequest {
  std::string_view path;
  std::string_view text;
  FileId file = kNoFile;
  std::span<const Launcher* const> launchers;
  /// Read in place of `text`, in which its bytes stand somewhere; its comments are no directives.
  std::optional<ShellText> script = {};
  const Launcher* carrier = nullptr;  // the kind of file that carries the commands
  FlagTree carrier_flags = {};        // what it says around them
  ShellVariables variables = {};      // set and exported before it starts
  ShellVariables unexported = {};     // only set
  std::function<std::optional<OpenedScript>(const std::string& path)> open = {};
  /// Opens a text that a loop reads line by line.
  std::function<std::optional<OpenedScript>(const std::string& path)> lines = {};
  /// Whether a file of this name lies in the project, around the script.
  std::function<bool(const std::string& path)> has = {};
};

/// Never fails. Commands that, by their names or flags, do not train are left out.
LaunchScript read_launches(const LaunchRequest& request);

/// A cheap look: does the text name any of the launchers that start something?
bool may_launch(std::string_view text, std::span<const Launcher* const> launchers);

}  // namespace gpulint
