#include "lint/unset_variables.h"

#include "base/text.h"

#include <algorithm>

namespace gpulint {
namespace {

bool is_one_of(char c, std::string_view characters) {
  return characters.find(c) != characters.npos;
}

/// `. ./settings.sh`, or a word that sets variables nobody can name.
bool may_set_any(std::string_view text) {
  if (text.find("source ") != text.npos || text.find("eval ") != text.npos) return true;
  for (std::size_t at = text.find(". "); at != text.npos; at = text.find(". ", at + 1)) {
    if (at == 0 || is_one_of(text[at - 1], " \t\n;&")) return true;
  }
  return false;
}

bool is_only_read(std::string_view text, std::string_view name) {
  const auto goes_on = [](char c) { return is_name_part(c) || is_one_of(c, "-./"); };
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const char before = at == 0 ? '\n' : text[at - 1];
    const char behind = end < text.size() ? text[end] : '\n';
    if (goes_on(before) || (goes_on(behind) && before != '$')) continue;
    const bool has_braces = before == '{' && at > 1 && text[at - 2] == '$';
    // `${name:-...}` says what holds where nothing sets it.
    if (!(before == '$' || (has_braces && behind == '}'))) return false;
  }
  return true;
}

}  // namespace

UnsetVariable unset_variable_behind(std::string_view text, std::uint32_t end) {
  std::size_t at = end;
  const bool is_joined = at < text.size() && text[at] == '=';
  if (is_joined) ++at;
  while (!is_joined && at < text.size() && is_one_of(text[at], " \t\r\n\\")) ++at;
  if (at == end || at + 1 >= text.size() || text[at] != '$') return {};
  const bool has_braces = text[at + 1] == '{';
  const std::size_t begin = at + (has_braces ? 2 : 1);
  std::size_t stop = begin;
  while (stop < text.size() && is_name_part(text[stop])) ++stop;
  const std::string_view name = text.substr(begin, stop - begin);
  if (has_braces && (stop >= text.size() || text[stop++] != '}')) return {};
  const bool is_whole = stop >= text.size() || is_one_of(text[stop], " \t\r\n\\;&|)\"");
  const bool has_capital =
      std::any_of(name.begin(), name.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
  if (!is_whole || name.empty() || has_capital || is_one_of(name.front(), "0123456789")) return {};
  if (may_set_any(text) || !is_only_read(text, name)) return {};
  return {std::string(name), is_joined};
}

}  // namespace gpulint
