#include "report/log_text.h"

namespace gpulint {
namespace {

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

}  // namespace

std::string safe_in_log(std::string_view text, Syntax syntax) {
  if (syntax == Syntax::commands) return std::string(text);
  std::string result;
  bool line_start = true;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("##[")) {
      result += "##";
      result += escaped_bracket(syntax);
      at += 2;
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
