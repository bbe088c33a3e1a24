#pragma once

#include "shell/script.h"

#include <string>
#include <string_view>
#include <vector>

namespace shell_test {

/// Unknown bytes as `?`, those that only the caller of the script sets as `~`.
inline std::string shown(const gpulint::ShellText& text) {
  std::string result;
  for (const char byte : text.bytes) {
    if (byte == gpulint::kUnknownByte) {
      result += '?';
    } else if (byte == gpulint::kUnsetByte) {
      result += '~';
    } else {
      result += byte;
    }
  }
  return result;
}

inline std::string shown(const gpulint::ShellCommand& command) {
  std::string line;
  for (const auto& [name, value] : command.assignments) line += name + "=" + shown(value) + " ";
  for (const gpulint::ShellText& word : command.words)
    line += (&word == command.words.data() ? "" : "|") + shown(word);
  return line;
}

/// The commands of the first reading, words joined by bars.
inline std::vector<std::string> commands(std::string_view text) {
  const gpulint::ShellScript script = gpulint::read_shell({"run/train.sh", text});
  std::vector<std::string> lines;
  for (const gpulint::ShellCommand& command : script.readings.front().commands)
    lines.push_back(shown(command));
  return lines;
}

/// The only command of a script.
inline std::string command(std::string_view text) {
  const std::vector<std::string> lines = commands(text);
  return lines.size() == 1 ? lines.front() : std::to_string(lines.size()) + " commands";
}

}  // namespace shell_test
