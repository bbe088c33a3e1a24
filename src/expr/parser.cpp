#include "expr/parser.h"

#include "base/text.h"
#include "expr/arithmetic.h"
#include "expr/builtins.h"
#include "expr/expression.h"
#include "expr/quoted.h"

#include <algorithm>
#include <utility>

namespace gpulint::expr {
namespace {

// Binding strength of infix operators; the ternary is weaker than all. "??" is stronger than a
// comparison, so that `num_workers ?? 0 > 4` compares the fallback too.
constexpr int kOr = 1;
constexpr int kAnd = 2;
constexpr int kComparison = 3;
constexpr int kFallback = 4;
constexpr int kSum = 5;
constexpr int kProduct = 6;

int precedence(TokenKind kind) {
  switch (kind) {
    case TokenKind::or_word:
      return kOr;
    case TokenKind::and_word:
      return kAnd;
    case TokenKind::equal:
    case TokenKind::not_equal:
    case TokenKind::less:
    case TokenKind::less_equal:
    case TokenKind::greater:
    case TokenKind::greater_equal:
    case TokenKind::in_word:
    case TokenKind::not_word:
      return kComparison;  // x not in y
    case TokenKind::fallback:
      return kFallback;
    case TokenKind::plus:
    case TokenKind::minus:
      return kSum;
    case TokenKind::star:
    case TokenKind::slash:
    case TokenKind::slash_slash:
    case TokenKind::percent:
      return kProduct;
    default:
      return 0;
  }
}

Opcode opcode_of(TokenKind kind) {
  switch (kind) {
    case TokenKind::plus:
      return Opcode::add;
    case TokenKind::minus:
      return Opcode::subtract;
    case TokenKind::star:
      return Opcode::multiply;
    case TokenKind::slash:
      return Opcode::divide;
    case TokenKind::slash_slash:
      return Opcode::floor_divide;
    case TokenKind::percent:
      return Opcode::modulo;
    case TokenKind::equal:
      return Opcode::equal;
    case TokenKind::not_equal:
      return Opcode::not_equal;
    case TokenKind::less:
      return Opcode::less;
    case TokenKind::less_equal:
      return Opcode::less_equal;
    case TokenKind::greater:
      return Opcode::greater;
    case TokenKind::greater_equal:
      return Opcode::greater_equal;
    default:
      return Opcode::in;
  }
}

}  // namespace

Parser::Parser(std::string_view text) : text_(text), lexer_(text) {}

bool Parser::parse() {
  if (text_.size() > kMaximumLength) {
    return failed("this expression is longer than 16 KiB; split it", Token{});
  }
  operations.reserve(std::min<std::size_t>(text_.size() / 5 + 2, 64));
  advance();
  if (token_.kind == TokenKind::end) return failed("an expression is missing here", token_);
  return conditional() && (token_.kind == TokenKind::end || unexpected("an operator or the end"));
}

/// value [if condition else value]: the condition is moved in front of the first value.
bool Parser::conditional() {
  const std::size_t first = operations.size();
  if (!binary(kOr)) return false;
  if (token_.kind != TokenKind::if_word) return true;
  const Token at = token_;
  const std::size_t condition = operations.size();
  advance();
  if (!binary(kOr)) return false;
  emit(Opcode::branch, at);
  std::rotate(operations.begin() + static_cast<std::ptrdiff_t>(first),
              operations.begin() + static_cast<std::ptrdiff_t>(condition), operations.end());
  const std::size_t branch = first + operations.size() - condition - 1;
  const std::size_t jump = operations.size();
  emit(Opcode::jump, at);
  operations[branch].index = static_cast<std::uint32_t>(operations.size() - branch);
  if (token_.kind != TokenKind::else_word) return unexpected("\"else\"");
  advance();
  if (!nested(&Parser::conditional)) return false;
  emit(Opcode::branch_join, at);
  operations[jump].index = static_cast<std::uint32_t>(operations.size() - jump);
  return true;
}

bool Parser::binary(int least) {
  if (!prefix()) return false;
  bool compared = false;
  for (;;) {
    const Token at = token_;
    const int strength = precedence(at.kind);
    if (strength == 0 || strength < least) return true;
    if (strength == kComparison && compared) {
      return failed("comparisons do not chain; write \"a < b and b < c\"", at);
    }
    compared = strength == kComparison;
    advance();
    if (!infix(strength, at)) return false;
  }
}

/// The right side of the operator `at`, then the operation.
bool Parser::infix(int strength, Token at) {
  if (at.kind == TokenKind::and_word) {
    return lazy(Opcode::and_test, Opcode::and_join, kAnd + 1, at);
  }
  if (at.kind == TokenKind::or_word) return lazy(Opcode::or_test, Opcode::or_join, kOr + 1, at);
  if (at.kind == TokenKind::fallback) {
    return lazy(Opcode::fallback_test, Opcode::fallback_join, kFallback + 1, at);
  }
  const bool negated = at.kind == TokenKind::not_word;
  if (negated && !expect(TokenKind::in_word, "\"in\" behind \"not\"")) return false;
  const std::size_t right = operations.size();
  if (!binary(strength + 1)) return false;
  const Opcode code = opcode_of(at.kind);
  if (code == Opcode::in && is_constant(right)) {
    operations.back().code = Opcode::in_constant;
  } else {
    emit(code, at);
  }
  if (negated) emit(Opcode::logical_not, at);
  return true;
}

bool Parser::lazy(Opcode test, Opcode join_code, int least, Token at) {
  const std::size_t place = operations.size();
  emit(test, at);
  if (!binary(least)) return false;
  emit(join_code, at);
  operations[place].index = static_cast<std::uint32_t>(operations.size() - place);
  return true;
}

bool Parser::prefix() {
  const Token at = token_;
  if (at.kind == TokenKind::not_word) {
    advance();
    if (!nested(&Parser::comparison)) return false;
    emit(Opcode::logical_not, at);
    return true;
  }
  if (at.kind != TokenKind::minus) return postfix();
  advance();
  const std::size_t operand = operations.size();
  if (!nested(&Parser::prefix)) return false;
  if (is_constant(operand) && is_number(constants.back())) {
    constants.back() = negated(constants.back());
    operations.back().begin = static_cast<std::uint16_t>(at.begin);
  } else {
    emit(Opcode::negate, at);
  }
  return true;
}

bool Parser::comparison() { return binary(kComparison); }

bool Parser::postfix() {
  if (!primary()) return false;
  while (token_.kind == TokenKind::left_bracket) {
    const Token at = token_;
    advance();
    if (!nested(&Parser::conditional)) return false;
    if (!expect(TokenKind::right_bracket, "\"]\"")) return false;
    emit(Opcode::element, at);
  }
  return true;
}

bool Parser::primary() {
  const Token at = token_;
  switch (at.kind) {
    case TokenKind::name:
      return name_or_call();
    case TokenKind::number:
      return number();
    case TokenKind::text:
      return text();
    case TokenKind::left_bracket:
      return list();
    case TokenKind::true_word:
    case TokenKind::false_word:
      advance();
      push_constant(at.kind == TokenKind::true_word, at);
      return true;
    case TokenKind::left_parenthesis:
      advance();
      return nested(&Parser::conditional) && expect(TokenKind::right_parenthesis, "\")\"");
    default:
      return unexpected("a value");
  }
}

bool Parser::name_or_call() {
  const Token name = token_;
  const std::size_t first = operations.size();
  advance();
  if (token_.kind != TokenKind::left_parenthesis) {
    emit(Opcode::symbol, name);
    return true;
  }
  advance();
  std::uint16_t count = 0;
  if (!sequence(TokenKind::right_parenthesis, count)) return false;
  return call(name, count, first);
}

/// Ends the call of a function whose arguments begin at the operation `first`.
bool Parser::call(Token name, std::uint16_t count, std::size_t first) {
  if (const std::optional<About> question = find_question(spelled(name))) {
    if (operations.size() != first + 1 || operations[first].code != Opcode::symbol) {
      return failed(std::string{spelled(name)} + "() takes the name of one fact", name);
    }
    operations[first].code = Opcode::about;
    operations[first].count = static_cast<std::uint16_t>(*question);
    return true;
  }
  const std::optional<BuiltinName> builtin = find_builtin(spelled(name));
  if (!builtin) {
    emit(Opcode::function, name, 0, count);
    return true;
  }
  if (count < builtin->least || count > builtin->most) {
    const std::string wanted = builtin->least == builtin->most
                                   ? std::to_string(builtin->least)
                                   : std::to_string(builtin->least) + " or more";
    return failed(std::string{builtin->name} + "() takes " + wanted + " argument" +
                      (wanted == "1" ? "" : "s") + ", found " + std::to_string(count),
                  name);
  }
  emit(Opcode::builtin, name, static_cast<std::uint32_t>(builtin->id), count);
  return true;
}

/// Elements up to `closing`, which is consumed; a trailing comma is allowed.
bool Parser::sequence(TokenKind closing, std::uint16_t& count) {
  while (token_.kind != closing) {
    if (!nested(&Parser::conditional)) return false;
    ++count;
    if (token_.kind == closing) break;
    const std::string_view wanted =
        closing == TokenKind::right_bracket ? "\",\" or \"]\"" : "\",\" or \")\"";
    if (!expect(TokenKind::comma, wanted)) return false;
  }
  advance();
  return true;
}

bool Parser::list() {
  Token at = token_;
  const std::size_t first = operations.size();
  advance();
  std::uint16_t count = 0;
  if (!sequence(TokenKind::right_bracket, count)) return false;
  at.end = previous_end_;
  emit(Opcode::list, at, 0, count);
  fold_list(first);
  return true;
}

bool Parser::nested(bool (Parser::*part)()) {
  if (nesting_ == kMaximumNesting) return failed("this expression nests deeper than 64", token_);
  ++nesting_;
  const bool good = (this->*part)();
  --nesting_;
  return good;
}

void Parser::advance() {
  previous_end_ = token_.end;
  token_ = lexer_.next();
}

bool Parser::expect(TokenKind kind, std::string_view what) {
  if (token_.kind != kind) return unexpected(what);
  advance();
  return true;
}

bool Parser::unexpected(std::string_view expected) {
  if (token_.kind == TokenKind::invalid) return failed(std::string{lexer_.problem()}, token_);
  const std::string found = token_.kind == TokenKind::end ? "the end" : quoted(spelled(token_));
  return failed("found " + found + ", expected " + std::string{expected}, token_);
}

bool Parser::failed(std::string message, Token at) {
  error = Error{std::move(message)};
  error.where = {kNoFile, at.begin, at.end};
  return false;
}

void Parser::emit(Opcode code, Token at, std::uint32_t index, std::uint16_t count) {
  operations.push_back({code, count, index, static_cast<std::uint16_t>(at.begin),
                        static_cast<std::uint16_t>(at.end), kNoUnit});
}

void Parser::push_constant(Value value, Token at, Unit unit) {
  emit(Opcode::constant, at, static_cast<std::uint32_t>(constants.size()));
  operations.back().unit = unit;
  constants.push_back(std::move(value));
}

/// Is what was parsed since `first` one constant?
bool Parser::is_constant(std::size_t first) const {
  return operations.size() == first + 1 && operations[first].code == Opcode::constant;
}

}  // namespace gpulint::expr
