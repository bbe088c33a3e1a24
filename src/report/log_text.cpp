#include "report/log_text.h"

namespace gpulint {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// How "[" is written where it could open a command.
std::string_view escaped_bracket(Syntax syntax) {
  switch (syntax) {
    case Syntax::plain:
      return "\\x5b";
    case Syntax::json:
      return "\\u005b";
    case Syntax::markup:
      return "&#91;";
    case Syntax::commands:
      break;
  }
  return "[";
}

/// Length of "##[", "##vso[" or "##teamcity[" at the start of `text` without its bracket; 0 = none.
std::size_t command_name_length(std::string_view text) {
  if (!text.starts_with("##")) return 0;
  std::size_t length = 2;
  while (length < text.size() && is_letter(text[length])) ++length;
  return length < text.size() && text[length] == '[' ? length : 0;
}

}  // namespace

std::string safe_in_log(std::string_view text, Syntax syntax) {
  if (syntax == Syntax::commands) return std::string(text);
  std::string result;
  bool line_start = true;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    if (const std::size_t name = command_name_length(rest); name != 0) {
      result += rest.substr(0, name);
      result += escaped_bracket(syntax);
      at += name;
    } else if (line_start && rest.starts_with("::")) {
      result += "\\x3a:";
      ++at;
    } else {
      result += text[at];
    }
    line_start = text[at] == '\n' || text[at] == '\r' || (line_start && text[at] == ' ');
  }
  return result;
}

}  // namespace gpulint
