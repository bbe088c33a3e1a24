#pragma once

// Commands that stand in a file which is no shell script: recipes of a Makefile, what a Dockerfile
// starts, what a document shows between fences, the tasks and containers of a file of YAML.

#include "catalog/launcher.h"
#include "launch/flag_tree.h"
#include "shell/script.h"
#include "source/document.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// Reads as a script; every byte of a command stands where it stood, the rest is blank.
struct CarriedCommands {
  std::string text;
  ShellVariables variables = {};   // that every command sees
  ShellVariables unexported = {};  // that only the file's own words are made of
  /// Read in place of `text`: what one unit of a file of YAML starts.
  std::optional<ShellText> script = {};
  const Launcher* carrier = nullptr;  // that kind of file
  FlagTree flags = {};                // and what it says around the unit
};

/// By its name: a shell or batch script, a Makefile or a Dockerfile.
bool may_be_script(std::string_view path);
/// What scripts read their settings from with `source`, in the syntax of the shell.
bool may_hold_variables(std::string_view path);
/// By its name: a Markdown document.
bool may_show_commands(std::string_view path);

/// A shell script carries all of its text.
CarriedCommands carried_commands(std::string_view path, std::string_view text);

/// False where no value of a document could be a command: no list, no text of several words, no
/// path. Cheaper than to ask what kind of file it is, for which all launchers have to be read.
bool may_carry_commands(const Document& document);
/// The kind of file that carries commands, of those that `launchers` describe, or nullptr.
const Launcher* carrier_of(const Document& document, std::span<const Launcher* const> launchers);
/// What each unit of such a file starts, in the order of the file.
std::vector<CarriedCommands> unit_commands(const Document& document, const Launcher& carrier);

}  // namespace gpulint
