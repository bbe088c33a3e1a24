#pragma once

#include <cstdint>
#include <string_view>

namespace gpulint::expr {

enum class TokenKind : std::uint8_t {
  end,
  invalid,  // `problem` of the lexer says why
  name,     // dotted: gpu.memory
  number,
  text,
  true_word,
  false_word,
  and_word,
  or_word,
  not_word,
  if_word,
  else_word,
  in_word,
  plus,
  minus,
  star,
  slash,
  slash_slash,
  percent,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  fallback,  // ??
  left_parenthesis,
  right_parenthesis,
  left_bracket,
  right_bracket,
  comma,
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// Reads one token at a time; never allocates.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Token next();
  /// Name directly behind a "/" that directly follows the last token ("s" behind "GB" in "GB/s").
  std::string_view rate_suffix() const;
  void skip_rate_suffix() { at_ += 1 + rate_suffix().size(); }
  /// Why the last token is invalid.
  std::string_view problem() const { return problem_; }

 private:
  Token token(TokenKind kind, std::size_t length);
  Token invalid(std::string_view problem, std::size_t length);
  Token name();
  Token number();
  Token text();
  Token punctuation();

  std::string_view text_;
  std::size_t at_ = 0;
  std::string_view problem_;
};

}  // namespace gpulint::expr
