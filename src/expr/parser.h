#pragma once

#include "base/result.h"
#include "expr/lexer.h"
#include "expr/operation.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint::expr {

/// Precedence climbing straight into post-order: what is parsed is appended at once, no tree is
/// built. The C++ stack is bounded by kMaximumNesting.
class Parser {
 public:
  explicit Parser(std::string_view text);

  /// False when the text is not an expression; then `error` says why and where.
  bool parse();

  std::vector<Operation> operations;
  std::vector<Value> constants;
  Error error;

 private:
  bool conditional();
  bool binary(int least);
  bool prefix();
  bool comparison();
  bool postfix();
  bool primary();
  bool name_or_call();
  bool call(Token name, std::uint16_t count, std::size_t first);
  bool list();
  bool number();
  bool text();
  bool sequence(TokenKind closing, std::uint16_t& count);

  bool nested(bool (Parser::*part)());
  void advance();
  bool expect(TokenKind kind, std::string_view what);
  bool unexpected(std::string_view expected);
  bool failed(std::string message, Token at);
  std::string_view spelled(Token token) const {
    return text_.substr(token.begin, token.end - token.begin);
  }

  void emit(Opcode code, Token at, std::uint32_t index = 0, std::uint16_t count = 0);
  void push_constant(Value value, Token at, Unit unit = kNoUnit);
  bool lazy(Opcode test, Opcode join, int least, Token at);
  bool infix(int strength, Token at);
  bool is_constant(std::size_t first) const;
  bool unit_suffix(Token number, Value value);
  void fold_list(std::size_t first);

  std::string_view text_;
  Lexer lexer_;
  Token token_;
  std::uint32_t previous_end_ = 0;  // of the token before token_
  int nesting_ = 0;
};

}  // namespace gpulint::expr
