#pragma once

// What a shell script would start, read without running anything. The script is taken to be started
// with no arguments and in an environment that sets nothing of its own. Where a condition cannot be
// decided every branch is read, each in a reading of the whole script.

#include "shell/text.h"
#include "source/node.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpulint {

using ShellVariables = std::vector<std::pair<std::string, ShellText>>;

/// A comment that another program reads: `#SBATCH --nodes=2`.
struct ShellDirective {
  std::string mark;  // "#SBATCH"
  std::vector<ShellText> words;
  TextRange place;
};

struct ShellCommand {
  std::vector<ShellText> words;  // expanded; unknown bytes where only a running shell knows
  ShellVariables assignments;    // written before it: they hold for it alone
  std::shared_ptr<const ShellVariables> environment;  // exported before it, sorted by name
  TextRange place;                                    // in the text of the script
  ShellText folder;  // its working directory; unknown bytes for where the script starts
  std::vector<std::uint32_t> turns;  // of the loops around it, outermost first
  /// What the script is started with (`$@`) was read before it and may be among its words.
  bool may_have_arguments = false;
  /// Of the scripts that the read one starts in between; nullptr: none.
  std::shared_ptr<const std::vector<ShellDirective>> directives;
};

/// By the ending of its name: of a shell or of a batch system.
bool is_shell_script_name(std::string_view path);

struct ShellReading {
  std::vector<ShellCommand> commands;
};

/// A script that another one reads into itself (`source common.sh`) or starts: its text and where
/// that starts among the texts of the run, which is what origins count from.
struct SourcedText {
  std::string text;
  std::uint32_t begin = 0;
  std::string path = {};
};

struct ShellRequest {
  std::string_view path;  // what `$0` is
  std::string_view text;
  /// Read in place of `text`, in which its bytes stand somewhere.
  std::optional<ShellText> script = {};
  ShellVariables variables = {};   // set and exported before it starts
  ShellVariables unexported = {};  // only set: programs do not see them
  /// Opens the file a path leads to; unset: no file is read.
  std::function<std::optional<SourcedText>(const ShellText& path)> open = {};
  /// Opens a file that is read line by line; unset: none is.
  std::function<std::optional<SourcedText>(const ShellText& path)> lines = {};
  /// Somebody gives it one of the switches that it parses (`--train) TRAIN=true ;;`): a reading for
  /// each, beside that without any.
  bool tries_switches = false;
  /// What the program that reads such comments sets before a script starts.
  std::function<ShellVariables(const std::vector<ShellDirective>&)> variables_of = {};
};

struct ShellScript {
  std::vector<ShellReading> readings;  // never empty; the first takes every first branch
  std::vector<std::string> limits;     // each reached, with what was left out
  std::vector<std::string> unread;     // those of them that left out a part of the text
};

/// Never fails: what a shell would refuse is read as far as it makes sense.
ShellScript read_shell(const ShellRequest& request);

/// Comments of the form `#NAME -…` with NAME in capitals, and `#$ …`, in front of the first
/// command.
std::vector<ShellDirective> shell_directives(std::string_view text);
/// All comments, for suppressions.
std::vector<Comment> shell_comments(std::string_view text);

}  // namespace gpulint
