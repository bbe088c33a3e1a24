// String literals and the expressions inside f-strings.

#include "python/escapes.h"
#include "python/parser.h"
#include "python/texts.h"

#include <string>
#include <utility>
#include <vector>

namespace gpulint::python {
namespace {

struct Literal {
  std::uint32_t begin = 0;  // of the text between the quotes
  std::uint32_t end = 0;
  bool raw = false;
  bool formatted = false;
};

Literal parts_of(std::string_view source, const Token& token) {
  Literal made;
  std::uint32_t at = token.begin;
  for (; source[at] != '"' && source[at] != '\''; ++at) {
    made.raw = made.raw || (source[at] | 0x20) == 'r';
    made.formatted = made.formatted || (source[at] | 0x20) == 'f' || (source[at] | 0x20) == 't';
  }
  const bool triple =
      token.end - at >= 6 && source[at + 1] == source[at] && source[at + 2] == source[at];
  const std::uint32_t quotes = triple ? 3 : 1;
  made.begin = at + quotes;
  made.end = token.end - quotes;
  return made;
}

/// End of the expression of a replacement field: its `}`, `!r`, `:` or `=`.
std::uint32_t field_end(std::string_view source, std::uint32_t at, std::uint32_t end) {
  int depth = 0;
  while (at < end) {
    const char c = source[at];
    if (c == '"' || c == '\'') {
      const std::uint32_t inner = string_end(source, at, end);
      if (inner > end) return end;
      at = inner;
      continue;
    }
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (depth == 0) {
      if (c == '}' || c == ':') return at;
      const bool doubled = at + 1 < end && source[at + 1] == '=';
      if ((c == '!' && !doubled) ||
          (c == '=' && !doubled && source[at - 1] != '=' && source[at - 1] != '!' &&
           source[at - 1] != '<' && source[at - 1] != '>')) {
        return at;
      }
    }
    if (c == ')' || c == ']' || c == '}') --depth;
    ++at;
  }
  return end;
}

/// Behind the `}` that closes the field whose expression ended at `at`.
std::uint32_t behind_field(std::string_view source, std::uint32_t at, std::uint32_t end) {
  int depth = 1;
  for (; at < end; ++at) {
    if (source[at] == '{') ++depth;
    if (source[at] == '}' && --depth == 0) return at + 1;
  }
  return end;
}

/// `:d` and `:03d` behind a value, as `%` writes them: "%d", "%03d"; "" where the format is another.
std::string whole_number_format(std::string_view source, std::uint32_t at, std::uint32_t end) {
  if (at >= end || source[at] != ':') return {};
  const std::size_t close = source.find('}', at);
  if (close == std::string_view::npos || close >= end) return {};
  const std::string_view form = source.substr(at + 1, close - at - 1);
  return whole_number_width(form) ? "%" + std::string(form) : "";
}

}  // namespace

void Parser::literal_text(const Token& literal, std::string& pool) const {
  const Literal parts = parts_of(tree_.source_, literal);
  pool += unescape(tree_.source_.substr(parts.begin, parts.end - parts.begin), parts.raw);
}

/// Literals side by side are one; with an f-string among them, their pieces are.
SyntaxId Parser::strings() {
  const std::uint32_t begin = token().begin;
  std::vector<Token> literals;
  bool formatted = false;
  for (; token().kind == TokenKind::string; advance()) {
    literals.push_back(token());
    formatted = formatted || parts_of(tree_.source_, token()).formatted;
  }
  if (formatted) {
    Children parts;
    for (const Token& literal : literals) formatted_parts(literal, parts);
    const SyntaxId made = make(Syntax::formatted, begin);
    node(made).first = parts.first;
    return made;
  }
  const SyntaxId made = make(Syntax::string, begin);
  const Literal only = parts_of(tree_.source_, literals.front());
  const std::string_view inner = tree_.source_.substr(only.begin, only.end - only.begin);
  if (literals.size() == 1 && (only.raw || inner.find('\\') == inner.npos)) {
    node(made).text_begin = only.begin;
    node(made).text_size = only.end - only.begin;
    return made;
  }
  std::string pool;
  for (const Token& literal : literals) literal_text(literal, pool);
  set_pool(made, pool);
  return made;
}

/// The pieces of one literal: strings, and the expressions between braces. A field with a format or
/// a conversion is an error node: what it prints is not worked out, apart from whole numbers.
void Parser::formatted_parts(const Token& literal, Children& parts) {
  const Literal all = parts_of(tree_.source_, literal);
  const std::string_view source = tree_.source_;
  std::string plain;
  const auto flush = [&] {
    if (plain.empty()) return;
    const SyntaxId piece = make(Syntax::string, literal.begin);
    set_pool(piece, unescape(plain, all.raw));
    append(parts, piece);
    plain.clear();
  };
  for (std::uint32_t at = all.begin; at < all.end;) {
    const char c = source[at];
    const bool doubled = at + 1 < all.end && source[at + 1] == c;
    if (!all.formatted || (c != '{' && c != '}') || doubled) {
      plain += c;
      at += all.formatted && (c == '{' || c == '}') ? 2 : 1;
      continue;
    }
    if (c == '}') {
      ++at;
      continue;
    }
    flush();
    const std::uint32_t end = field_end(source, at + 1, all.end);
    const std::string form = whole_number_format(source, end, all.end);
    const bool is_plain = end < all.end && (source[end] == '}' || !form.empty());
    SyntaxId value = kNoSyntax;
    if (is_plain && depth_ < limits_.max_depth / 2) {
      std::vector<Token> outer = tokenize(source, at + 1, end, true, nullptr);
      outer.swap(tokens_);
      const std::size_t place = std::exchange(at_, 0);
      const std::uint32_t last_end = last_end_;
      value = expressions();
      if (token().kind != TokenKind::end) failed_ = true;
      outer.swap(tokens_);
      at_ = place;
      last_end_ = last_end;
      if (std::exchange(failed_, tree_.limit_ != nullptr)) value = kNoSyntax;
    }
    const std::uint32_t behind = behind_field(source, end, all.end);
    if (value == kNoSyntax) {
      value = make(Syntax::error, at);
      node(value).end = behind;
    } else if (!form.empty()) {
      const SyntaxId pattern = make(Syntax::string, at);
      set_pool(pattern, form);
      value = make(Syntax::binary, at, {pattern, value});
      node(value).op = static_cast<std::uint8_t>(Operator::modulo);
    }
    append(parts, value);
    at = behind;
  }
  flush();
}

}  // namespace gpulint::python
