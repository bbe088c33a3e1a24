#include "shell/syntax.h"

#include <algorithm>

namespace gpulint {
namespace {

/// Quotes nested deeper than anybody writes them; what lies deeper is read as plain text.
constexpr int kMostNesting = 40;

/// To the `close` that answers the `open` at `at`, quotes in between stepped over.
std::uint32_t skip_bracketed(std::string_view text, std::uint32_t at, std::uint32_t end, char open,
                             char close, int depth) {
  int inside = 0;
  while (at < end) {
    const char c = text[at];
    if (c == '\\') {
      at += 2;
      continue;
    }
    if (depth < kMostNesting) {
      if (c == '\'') {
        at = skip_single_quoted(text, at, end);
        continue;
      }
      if (c == '"') {
        at = skip_double_quoted(text, at, end, depth + 1);
        continue;
      }
      if (c == '`') {
        at = skip_backquoted(text, at, end);
        continue;
      }
      if (c == '$' && inside > 0) {
        at = skip_dollar(text, at, end, depth + 1);
        continue;
      }
    }
    if (c == open) ++inside;
    if (c == close && --inside <= 0) return at + 1;
    ++at;
  }
  return end;
}

}  // namespace

std::uint32_t skip_single_quoted(std::string_view text, std::uint32_t at, std::uint32_t end) {
  const std::size_t close = text.find('\'', at + 1);
  if (close == std::string_view::npos || close >= end) return end;
  return static_cast<std::uint32_t>(close) + 1;
}

std::uint32_t skip_double_quoted(std::string_view text, std::uint32_t at, std::uint32_t end,
                                 int depth) {
  ++at;
  while (at < end) {
    const char c = text[at];
    if (c == '"') return at + 1;
    if (c == '\\') {
      at += 2;
    } else if (c == '$' && depth < kMostNesting) {
      at = skip_dollar(text, at, end, depth + 1);
    } else if (c == '`') {
      at = skip_backquoted(text, at, end);
    } else {
      ++at;
    }
  }
  return end;
}

std::uint32_t skip_backquoted(std::string_view text, std::uint32_t at, std::uint32_t end) {
  for (++at; at < end; ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '`') {
      return at + 1;
    }
  }
  return end;
}

std::uint32_t skip_dollar(std::string_view text, std::uint32_t at, std::uint32_t end, int depth) {
  const std::uint32_t next = at + 1;
  if (next >= end) return end;
  if (text[next] == '(') return skip_parentheses(text, next, end, depth);
  if (text[next] == '{') return skip_bracketed(text, next, end, '{', '}', depth);
  if (text[next] == '[') return skip_bracketed(text, next, end, '[', ']', depth);
  return next;
}

std::uint32_t skip_parentheses(std::string_view text, std::uint32_t at, std::uint32_t end,
                               int depth) {
  return std::min(end, skip_bracketed(text, at, end, '(', ')', depth));
}

}  // namespace gpulint
