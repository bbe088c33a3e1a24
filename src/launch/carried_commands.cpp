#include "launch/carried_commands.h"

#include "base/text.h"
#include "launch/makefile.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

namespace gpulint {
namespace {

bool ends_with_ignoring_case(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         equals_ignoring_case(text.substr(text.size() - end.size()), end);
}

bool is_makefile(std::string_view path) {
  const std::string_view name = file_name(path);
  return equals_ignoring_case(name, "makefile") || equals_ignoring_case(name, "gnumakefile") ||
         ends_with_ignoring_case(name, ".mk");
}

bool is_dockerfile(std::string_view path) {
  const std::string_view name = file_name(path);
  return equals_ignoring_case(name, "dockerfile") || equals_ignoring_case(name, "containerfile") ||
         starts_with_ignoring_case(name, "dockerfile.") ||
         ends_with_ignoring_case(name, ".dockerfile");
}

/// Line ends of a text, everything else blank.
std::string blank(std::string_view text) {
  std::string made(text.size(), ' ');
  for (std::size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1))
    made[at] = '\n';
  return made;
}

void keep(std::string_view text, std::size_t begin, std::size_t end, std::string& commands) {
  text.substr(begin, end - begin).copy(commands.data() + begin, end - begin);
}

/// The commands that a text shows between fences.
std::string shown_commands(std::string_view text) {
  constexpr std::array<std::string_view, 6> kLanguages = {"",      "bash",    "sh",
                                                          "shell", "console", "zsh"};
  std::string commands = blank(text);
  bool inside = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trim(text.substr(at, end - at));
    if (line.starts_with("```")) {
      const std::string_view language = trim(line.substr(3));
      inside =
          !inside && std::find(kLanguages.begin(), kLanguages.end(), language) != kLanguages.end();
    } else if (inside) {
      keep(text, line.starts_with("$ ") ? text.find("$ ", at) + 2 : at, end, commands);
    }
    at = end + 1;
  }
  return commands;
}

/// What a Dockerfile starts, and the variables it sets.
class DockerfileReader {
 public:
  explicit DockerfileReader(std::string_view text) : text_(text), made_{blank(text)} {}

  CarriedCommands read() && {
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t end = end_of_instruction(at);
      take(at, end);
      at = end + 1;
    }
    return std::move(made_);
  }

 private:
  /// Behind the last line of an instruction that goes on behind `\`.
  std::size_t end_of_instruction(std::size_t at) const {
    std::size_t end = std::min(text_.find('\n', at), text_.size());
    while (end < text_.size() && trim(text_.substr(at, end - at)).ends_with('\\')) {
      at = end + 1;
      end = std::min(text_.find('\n', at), text_.size());
    }
    return end;
  }

  void take(std::size_t at, std::size_t end) {
    while (at < end && text_[at] == ' ') ++at;
    std::size_t begin = at;
    while (at < end && std::isalpha(static_cast<unsigned char>(text_[at])) != 0) ++at;
    const std::string word = to_lower(text_.substr(begin, at - begin));
    while (at < end && (text_[at] == ' ' || text_[at] == '\t')) ++at;
    if (word == "env" || word == "arg") {
      set_variables(at, end, word == "env" ? made_.variables : made_.unexported);
    } else if (word == "entrypoint" || word == "cmd" || word == "run") {
      if (word == "entrypoint") entry_end_.reset();
      const bool is_list = at < end && text_[at] == '[';
      if (is_list) {
        // The words of CMD stand behind those of ENTRYPOINT.
        if (word == "cmd" && entry_end_)
          std::fill(made_.text.begin() + static_cast<std::ptrdiff_t>(*entry_end_),
                    made_.text.begin() + static_cast<std::ptrdiff_t>(at), ' ');
        keep_words(at, end);
      } else {
        keep(text_, at, end, made_.text);
      }
      if (word == "entrypoint" && is_list) entry_end_ = end;
    }
  }

  /// `["python", "train.py"]` as two quoted words.
  void keep_words(std::size_t at, std::size_t end) {
    bool quoted = false;
    for (; at < end; ++at) {
      const char c = text_[at];
      if (c == '"' && (at == 0 || text_[at - 1] != '\\')) quoted = !quoted;
      if (quoted || c == '"') made_.text[at] = c;
      if (c == '\n') made_.text[at] = ' ';
    }
  }

  /// `NAME=value OTHER="a b"` and `NAME value`.
  void set_variables(std::size_t at, std::size_t end, ShellVariables& variables) {
    while (at < end) {
      const std::size_t begin = at;
      while (at < end && is_name_part(text_[at])) ++at;
      if (at == begin) {
        ++at;
        continue;
      }
      const std::string name(text_.substr(begin, at - begin));
      if (at == end || (text_[at] != '=' && text_[at] != ' ')) return;
      const bool is_rest = text_[at++] == ' ';
      const bool is_quoted = at < end && (text_[at] == '"' || text_[at] == '\'');
      const char until = is_quoted ? text_[at++] : ' ';
      const std::size_t stop = is_rest && !is_quoted ? end : std::min(text_.find(until, at), end);
      variables.emplace_back(
          name, ShellText::of(text_.substr(at, stop - at), static_cast<std::uint32_t>(at)));
      at = stop;
    }
  }

  std::string_view text_;
  CarriedCommands made_;
  std::optional<std::size_t> entry_end_;  // of an ENTRYPOINT that is a list
};

}  // namespace

bool may_be_script(std::string_view path) {
  return is_shell_script_name(path) || is_makefile(path) || is_dockerfile(path);
}

bool may_hold_variables(std::string_view path) {
  static constexpr std::array<std::string_view, 5> kEndings = {"env", "conf", "cfg", "config", ""};
  return std::find(kEndings.begin(), kEndings.end(), extension(path)) != kEndings.end();
}

bool may_show_commands(std::string_view path) { return extension(path) == "md"; }

CarriedCommands carried_commands(std::string_view path, std::string_view text) {
  if (may_show_commands(path)) return {shown_commands(text)};
  if (is_makefile(path)) return recipes_of(text);
  if (is_dockerfile(path)) return DockerfileReader(text).read();
  return {std::string(text)};
}

bool may_carry_commands(const Document& document) {
  const auto is_word = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  for (NodeId id = 0; id < document.size(); ++id) {
    if (document.kind(id) == NodeKind::sequence && document.items(id).size() > 1) return true;
    if (document.kind(id) != NodeKind::scalar) continue;
    const std::string_view text = document.scalar(id);
    if (text.find_first_of(" \n/") != std::string_view::npos) return true;
    const std::size_t dot = text.rfind('.');  // "train.sh"
    if (dot != std::string_view::npos && dot + 1 < text.size() && is_word(text[dot + 1]))
      return true;
  }
  return false;
}

}  // namespace gpulint
