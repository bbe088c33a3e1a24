// Completion scripts hold every name the binary knows, so that pressing Tab starts no process.

#include "base/text.h"
#include "cli/shell_texts.h"

#include <fmt/format.h>

namespace gpulint::cli {
namespace {

/// Everything an option completes to in bash: words, files, or nothing.
std::string bash_reply(const OptionSurface& option) {
  if (!option.choices.empty()) {
    return fmt::format("COMPREPLY=($(compgen -W \"{}\" -- \"$cur\"))",
                       fmt::join(option.choices, " "));
  }
  if (option.names_file) return "COMPREPLY=($(compgen -f -- \"$cur\"))";
  return "COMPREPLY=()";
}

std::string bash_command(const CommandSurface& command) {
  std::string names;
  std::string values;
  std::string words = "COMPREPLY=($(compgen -f -- \"$cur\"))";
  for (const OptionSurface& option : command.options) {
    if (option.name.empty()) {
      words = bash_reply(option);
      continue;
    }
    names += names.empty() ? option.name : " " + option.name;
    if (option.value.empty()) continue;
    values += fmt::format("        {}) {}; return;;\n", option.name, bash_reply(option));
  }
  std::string text = fmt::format("    {})\n", command.name);
  if (!values.empty()) text += "      case \"$prev\" in\n" + values + "      esac\n";
  text += fmt::format(
      "      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W \"{}\" -- \"$cur\"))\n"
      "      else {}; fi;;\n",
      names, words);
  return text;
}

std::string bash(std::span<const CommandSurface> commands) {
  std::string names;
  std::string cases;
  for (const CommandSurface& command : commands) {
    names += (names.empty() ? "" : " ") + command.name;
    cases += bash_command(command);
  }
  return fmt::format(
      "# gpulint completions for bash: source this file, or put it where bash-completion looks.\n"
      "_gpulint() {{\n"
      "  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} "
      "command=${{COMP_WORDS[1]}}\n"
      "  local commands=\"{}\"\n"
      "  if [[ $COMP_CWORD -eq 1 && $cur != -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$commands\" -- \"$cur\") $(compgen -f -- \"$cur\"))\n"
      "    return\n"
      "  fi\n"
      "  [[ \" $commands \" == *\" $command \"* ]] || command=check\n"
      "  case \"$command\" in\n"
      "{}"
      "  esac\n"
      "}}\n"
      "complete -o filenames -F _gpulint gpulint\n",
      names, cases);
}

/// Inside single quotes of zsh and fish; fish and zsh differ in how a quote is written.
std::string quoted(std::string_view text, std::string_view quote) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += quote;
    } else {
      result += c;
    }
  }
  return result + "'";
}

/// A description of zsh's _arguments: brackets and colons have a meaning there.
std::string zsh_escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_action(const OptionSurface& option) {
  if (!option.choices.empty()) return fmt::format("({})", fmt::join(option.choices, " "));
  return option.names_file ? "_files" : " ";
}

std::string zsh_option(const OptionSurface& option) {
  const std::string quote = "'\\''";
  if (option.name.empty()) return quoted("*:word:" + zsh_action(option), quote);
  std::string spec = fmt::format("*{}[{}]", option.name, zsh_escaped(option.help));
  if (!option.value.empty()) {
    spec += fmt::format(":{}:{}", zsh_escaped(option.value), zsh_action(option));
  }
  return quoted(spec, quote);
}

std::string zsh(std::span<const CommandSurface> commands) {
  std::string described;
  std::string cases;
  for (const CommandSurface& command : commands) {
    described += "    " + quoted(command.name + ":" + zsh_escaped(command.purpose), "'\\''") + "\n";
    cases += fmt::format("    {})\n      _arguments", command.name);
    for (const OptionSurface& option : command.options) {
      cases += " \\\n        " + zsh_option(option);
    }
    cases += ";;\n";
  }
  return fmt::format(
      "#compdef gpulint\n"
      "# gpulint completions for zsh: save as _gpulint in a folder of $fpath.\n"
      "_gpulint() {{\n"
      "  local -a commands\n"
      "  commands=(\n{}  )\n"
      "  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n"
      "    _describe command commands\n"
      "    _files\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  if (( ${{commands[(I)$command:*]}} )); then\n"
      "    shift words; (( CURRENT-- ))\n"
      "  else\n"
      "    command=check\n"
      "  fi\n"
      "  case $command in\n"
      "{}"
      "  esac\n"
      "}}\n"
      "_gpulint \"$@\"\n",
      described, cases);
}

std::string fish_option(const std::string& condition, const OptionSurface& option) {
  const std::string quote = "\\'";
  std::string line = "complete -c gpulint -n " + quoted(condition, quote);
  if (option.name.starts_with("--")) {
    line += " -l " + option.name.substr(2);
  } else if (!option.name.empty()) {
    line += " -s " + option.name.substr(1);
  }
  if (!option.choices.empty()) {
    line += fmt::format(" {} {}", option.name.empty() ? "-a" : "-x -a",
                        quoted(join(option.choices, " "), quote));
  } else if (!option.value.empty()) {
    line += option.names_file ? " -r -F" : " -x";
  }
  if (!option.help.empty() && !option.name.empty()) line += " -d " + quoted(option.help, quote);
  return line + "\n";
}

std::string fish(std::span<const CommandSurface> commands) {
  std::string text =
      "# gpulint completions for fish: save as gpulint.fish in ~/.config/fish/completions.\n";
  std::string names;
  for (const CommandSurface& command : commands) names += " " + command.name;
  for (const CommandSurface& command : commands) {
    text += fmt::format("complete -c gpulint -n __fish_use_subcommand -a {} -d {}\n", command.name,
                        quoted(command.purpose, "\\'"));
  }
  for (const CommandSurface& command : commands) {
    // check is also what runs when no command is named.
    const std::string condition =
        command.name == "check"
            ? fmt::format("not __fish_seen_subcommand_from{}; or __fish_seen_subcommand_from check",
                          names)
            : "__fish_seen_subcommand_from " + command.name;
    for (const OptionSurface& option : command.options) {
      if (option.name.empty() && option.choices.empty()) continue;
      text += fish_option(condition, option);
    }
  }
  return text;
}

}  // namespace

std::optional<std::string> completion_script(std::string_view shell,
                                             std::span<const CommandSurface> commands) {
  if (shell == "bash") return bash(commands);
  if (shell == "zsh") return zsh(commands);
  if (shell == "fish") return fish(commands);
  return std::nullopt;
}

}  // namespace gpulint::cli
