#include "expr/lexer.h"

#include "base/text.h"

#include <array>
#include <utility>

namespace gpulint::expr {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

constexpr std::array<std::pair<std::string_view, TokenKind>, 8> kWords{{
    {"true", TokenKind::true_word},
    {"false", TokenKind::false_word},
    {"and", TokenKind::and_word},
    {"or", TokenKind::or_word},
    {"not", TokenKind::not_word},
    {"if", TokenKind::if_word},
    {"else", TokenKind::else_word},
    {"in", TokenKind::in_word},
}};

constexpr std::array<std::pair<std::string_view, TokenKind>, 6> kPairs{{
    {"//", TokenKind::slash_slash},
    {"==", TokenKind::equal},
    {"!=", TokenKind::not_equal},
    {"<=", TokenKind::less_equal},
    {">=", TokenKind::greater_equal},
    {"??", TokenKind::fallback},
}};

TokenKind single(char c) {
  switch (c) {
    case '+':
      return TokenKind::plus;
    case '-':
      return TokenKind::minus;
    case '*':
      return TokenKind::star;
    case '/':
      return TokenKind::slash;
    case '%':
      return TokenKind::percent;
    case '<':
      return TokenKind::less;
    case '>':
      return TokenKind::greater;
    case '(':
      return TokenKind::left_parenthesis;
    case ')':
      return TokenKind::right_parenthesis;
    case '[':
      return TokenKind::left_bracket;
    case ']':
      return TokenKind::right_bracket;
    case ',':
      return TokenKind::comma;
    default:
      return TokenKind::invalid;
  }
}

}  // namespace

Token Lexer::token(TokenKind kind, std::size_t length) {
  const std::size_t begin = at_;
  at_ += length;
  return {kind, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at_)};
}

Token Lexer::invalid(std::string_view problem, std::size_t length) {
  problem_ = problem;
  return token(TokenKind::invalid, length);
}

Token Lexer::next() {
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  if (at_ == text_.size()) return token(TokenKind::end, 0);
  const char c = text_[at_];
  if (is_name_start(c)) return name();
  const bool fraction = c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]);
  if (is_digit(c) || fraction) return number();
  if (c == '\'' || c == '"') return text();
  return punctuation();
}

Token Lexer::name() {
  std::size_t end = at_ + 1;
  while (end < text_.size()) {
    const bool dot = text_[end] == '.' && end + 1 < text_.size() && is_name_start(text_[end + 1]);
    if (!dot && !is_name_part(text_[end])) break;
    ++end;
  }
  const std::string_view word = text_.substr(at_, end - at_);
  for (const auto& [spelling, kind] : kWords) {
    if (word == spelling) return token(kind, word.size());
  }
  return token(TokenKind::name, word.size());
}

/// Digits with single underscores between them, a fraction, an exponent. A unit may follow
/// directly.
Token Lexer::number() {
  std::size_t end = at_;
  const auto digits = [&] {
    while (end < text_.size() &&
           (is_digit(text_[end]) || (text_[end] == '_' && end > at_ && is_digit(text_[end - 1]) &&
                                     end + 1 < text_.size() && is_digit(text_[end + 1])))) {
      ++end;
    }
  };
  digits();
  if (end < text_.size() && text_[end] == '.') {
    ++end;
    digits();
  }
  if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
    std::size_t exponent = end + 1;
    if (exponent < text_.size() && (text_[exponent] == '+' || text_[exponent] == '-')) ++exponent;
    if (exponent < text_.size() && is_digit(text_[exponent])) {
      end = exponent;
      digits();
    }
  }
  return token(TokenKind::number, end - at_);
}

Token Lexer::text() {
  const char quote = text_[at_];
  for (std::size_t end = at_ + 1; end < text_.size(); ++end) {
    if (text_[end] == quote) return token(TokenKind::text, end + 1 - at_);
    if (text_[end] != '\\') continue;
    const char escaped = end + 1 < text_.size() ? text_[end + 1] : quote;
    if (escaped != '\\' && escaped != '\'' && escaped != '"') {
      return invalid("a backslash in text escapes only a quote or a backslash", end + 1 - at_);
    }
    ++end;
  }
  return invalid("this text has no closing quote", text_.size() - at_);
}

Token Lexer::punctuation() {
  const std::string_view rest = text_.substr(at_);
  for (const auto& [spelling, kind] : kPairs) {
    if (rest.starts_with(spelling)) return token(kind, spelling.size());
  }
  const TokenKind kind = single(rest.front());
  if (kind != TokenKind::invalid) return token(kind, 1);
  if (rest.front() == '=') return invalid("\"=\" does not compare; write \"==\"", 1);
  if (rest.front() == '!') return invalid("write \"not\" instead of \"!\"", 1);
  if (rest.starts_with("&&")) return invalid("write \"and\" instead of \"&&\"", 2);
  if (rest.starts_with("||")) return invalid("write \"or\" instead of \"||\"", 2);
  return invalid("no expression contains this character", 1);
}

std::string_view Lexer::rate_suffix() const {
  if (at_ + 1 >= text_.size() || text_[at_] != '/' || !is_name_start(text_[at_ + 1])) return {};
  std::size_t end = at_ + 1;
  while (end < text_.size() && is_name_part(text_[end])) ++end;
  return text_.substr(at_ + 1, end - at_ - 1);
}

}  // namespace gpulint::expr
