#include "source/yaml_spelling.h"

#include "base/text.h"

namespace gpulint {
namespace {

bool has_lone_carriage_return(std::string_view text) {
  for (std::size_t at = text.find('\r'); at != std::string_view::npos;
       at = text.find('\r', at + 1)) {
    if (at + 1 == text.size() || text[at + 1] != '\n') return true;
  }
  return false;
}

/// yaml-cpp 0.7 mistakes a last line of blanks without a line end for content of a block scalar.
bool ends_in_blank_line(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t");
  return last != std::string_view::npos && last + 1 < text.size() && text[last] == '\n';
}

/// The scalar behind the last `&name` of a text, on its line and without quotes; nullopt: something
/// else is there.
std::optional<std::string> anchored_scalar(std::string_view text, std::string_view name) {
  const std::string anchor = "&" + std::string(name);
  for (std::size_t at = text.rfind(anchor); at != text.npos;
       at = at == 0 ? text.npos : text.rfind(anchor, at - 1)) {
    std::string_view rest = text.substr(at + anchor.size());
    if (rest.empty() || (rest.front() != ' ' && rest.front() != '\t')) continue;
    rest = rest.substr(0, rest.find('\n'));
    rest = trim(rest.substr(0, rest.find(" #")));
    const bool is_quoted = rest.size() > 1 && rest.front() == rest.back() &&
                           (rest.front() == '"' || rest.front() == '\'');
    if (is_quoted) rest = rest.substr(1, rest.size() - 2);
    if (rest.empty() || rest.find_first_of("\"'\\[]{}&*!|>") != rest.npos) return std::nullopt;
    return std::string(rest);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> with_line_feeds(std::string_view text) {
  if (!has_lone_carriage_return(text) && !ends_in_blank_line(text)) return std::nullopt;
  std::string copy(text);
  for (std::size_t i = 0; i < copy.size(); ++i) {
    if (copy[i] == '\r' && (i + 1 == copy.size() || copy[i + 1] != '\n')) copy[i] = '\n';
  }
  return copy + '\n';
}

std::optional<std::string> without_alias_keys(std::string_view text, AliasKeys& keys) {
  const auto is_blank = [&](std::size_t at) {
    return at >= text.size() || text[at] == ' ' || text[at] == '\n' || text[at] == '\r';
  };
  for (std::size_t at = text.find('*'); at != text.npos; at = text.find('*', at + 1)) {
    const std::size_t line = text.rfind('\n', at) + 1;  // 0 where there is none
    if (text.substr(line, at - line).find_first_not_of(" -") != text.npos) continue;
    std::size_t end = at + 1;
    while (end < text.size() && (is_name_part(text[end]) || text[end] == '-')) ++end;
    if (end == at + 1 || end >= text.size() || text[end] != ':' || !is_blank(end + 1)) continue;
    const auto scalar = anchored_scalar(text.substr(0, line), text.substr(at + 1, end - at - 1));
    if (!scalar) continue;
    keys.emplace(static_cast<std::uint32_t>(at), *scalar);
  }
  if (keys.empty()) return std::nullopt;
  std::string written(text);
  for (const auto& [at, name] : keys) written[at] = '_';
  return written;
}

}  // namespace gpulint
