#pragma once

// Commands that stand in a file which is no shell script: recipes of a Makefile, what a Dockerfile
// starts, what a document shows between fences.

#include "shell/script.h"

#include <string>
#include <string_view>

namespace gpulint {

/// Reads as a script; every byte of a command stands where it stood, the rest is blank.
struct CarriedCommands {
  std::string text;
  ShellVariables variables = {};   // that every command sees
  ShellVariables unexported = {};  // that only the file's own words are made of
};

/// By its name: a shell or batch script, a Makefile or a Dockerfile.
bool may_be_script(std::string_view path);
/// By its name: a Markdown document.
bool may_show_commands(std::string_view path);

/// A shell script carries all of its text.
CarriedCommands carried_commands(std::string_view path, std::string_view text);

}  // namespace gpulint
