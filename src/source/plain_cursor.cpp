#include "source/plain_cursor.h"

#include <algorithm>
#include <utility>

namespace gpulint {
namespace {

constexpr bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

constexpr bool is_one_of(char c, std::string_view characters) {
  return characters.find(c) != std::string_view::npos;
}

/// What a backslash and this character mean between double quotes; the rarer escapes are left to
/// yaml-cpp.
constexpr std::optional<char> escaped(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case '"':
    case '\\':
    case '/':
      return c;
    default:
      return std::nullopt;
  }
}

}  // namespace

bool PlainCursor::is_colon() {
  const std::uint32_t end = behind_blanks(at);
  if (character(end) != ':' || !ends_word(end + 1)) return false;
  at = end;
  return true;
}

std::string_view PlainCursor::name() {
  const std::uint32_t begin = ++at;
  while (is_letter_or_digit(here()) || is_one_of(here(), "_-")) ++at;
  return text.substr(begin, at - begin);
}

std::string_view PlainCursor::tag() {
  const std::uint32_t begin = at++;
  if (here() == '!') ++at;
  const std::uint32_t word = at;
  while (is_letter_or_digit(here()) || is_one_of(here(), "_-.:/")) ++at;
  return at == word ? std::string_view() : text.substr(begin, at - begin);
}

std::optional<PlainScalar> PlainCursor::scalar(const StopTable& stop) {
  const char first = here();
  if (first == '"' || first == '\'') return quoted();
  if (is_one_of(first, ",[]{}#&*!|>%@`\t\n")) return std::nullopt;
  const bool between_brackets = stop[','];
  const char second = character(at + 1);
  if (first == '-' && (ends_word(at + 1) || stop[static_cast<unsigned char>(second)]))
    return std::nullopt;
  if (is_one_of(first, "?:") && (ends_word(at + 1) || between_brackets)) return std::nullopt;
  return plain(stop);
}

std::optional<PlainScalar> PlainCursor::plain(const StopTable& stop) {
  const bool between_brackets = stop[','];
  PlainScalar scalar{{at, at}};
  for (;; ++at) {
    while (at < size && !stop[static_cast<unsigned char>(text[at])]) ++at;
    const char c = here();
    if (c == '\t') return std::nullopt;
    if (c == '#' && text[at - 1] != ' ') continue;
    if (c != ':' || ends_word(at + 1)) break;
    // Between brackets a colon before one of these ends a scalar, in a way of its own.
    if (between_brackets && is_one_of(character(at + 1), ",[]{}?")) return std::nullopt;
  }
  while (text[at - 1] == ' ') --at;
  scalar.span.end = at;
  return scalar;
}

std::optional<PlainScalar> PlainCursor::quoted() {
  const char quote = here();
  const bool doubled = quote == '"';
  PlainScalar scalar{{at, at}, doubled ? Quoting::double_quoted : Quoting::single_quoted};
  std::uint32_t copied = ++at;  // everything before it is in `decoded`, once there is an escape
  const auto decode = [&](char meant) {
    if (!scalar.decoded) scalar.decoded.emplace();
    scalar.decoded->append(text.substr(copied, at - copied)) += meant;
    copied = ++at + 1;
  };
  for (;; ++at) {
    const char c = here();
    if (is_one_of(c, "\n\t")) return std::nullopt;
    if (doubled && c == '\\') {
      const std::optional<char> meant = escaped(character(at + 1));
      if (!meant) return std::nullopt;
      decode(*meant);
    } else if (c == quote) {
      if (doubled || character(at + 1) != quote) break;
      decode(quote);
    }
  }
  if (scalar.decoded) scalar.decoded->append(text.substr(copied, at - copied));
  scalar.span.end = ++at;
  return scalar;
}

/// Lines of blanks at its start or deeper than its text are left to yaml-cpp, and so is a last line
/// without an end.
std::optional<PlainScalar> PlainCursor::literal(std::int64_t parent_column) {
  PlainScalar scalar{{at, at}, Quoting::literal, std::string()};
  const bool strip = character(++at) == '-';
  if (strip) ++at;
  const std::uint32_t first = behind_blanks(at) + 1;
  if (character(first - 1) != '\n') return std::nullopt;
  const std::uint32_t indent = behind_blanks(first) - first;
  if (indent == 0 || character(first + indent) == '\n' || indent <= parent_column)
    return std::nullopt;
  std::size_t blank_lines = 0;
  for (line_start = first; line_start < size;) {
    const std::uint32_t content = behind_blanks(line_start);
    if (character(content) == '\n') {
      if (content - line_start > indent) return std::nullopt;
      ++blank_lines;
      line_start = content + 1;
      continue;
    }
    if (content - line_start < indent) break;
    const std::size_t line_end = text.find('\n', content);
    if (line_end == std::string_view::npos) return std::nullopt;
    scalar.span.end = static_cast<std::uint32_t>(line_end);
    scalar.decoded->append(std::exchange(blank_lines, 0), '\n');
    const std::uint32_t begin = line_start + indent;
    line_start = scalar.span.end + 1;
    scalar.decoded->append(text.substr(begin, line_start - begin));
  }
  at = line_start;
  if (strip) scalar.decoded->pop_back();
  return scalar;
}

}  // namespace gpulint
