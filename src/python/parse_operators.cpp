// Operators, from `or` down to `**`.

#include "python/parser.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace gpulint::python {
namespace {

struct BinaryOperator {
  std::string_view symbol;
  Operator op;
  int level;
};

constexpr int kUnaryLevel = 6;  // tighter than all of these
constexpr std::array<BinaryOperator, 12> kBinary = {{
    {"|", Operator::bit_or, 0},
    {"^", Operator::bit_xor, 1},
    {"&", Operator::bit_and, 2},
    {"<<", Operator::shift_left, 3},
    {">>", Operator::shift_right, 3},
    {"+", Operator::add, 4},
    {"-", Operator::subtract, 4},
    {"*", Operator::multiply, 5},
    {"/", Operator::divide, 5},
    {"//", Operator::floor_divide, 5},
    {"%", Operator::modulo, 5},
    {"@", Operator::matrix, 5},
}};

const BinaryOperator* binary_operator(std::string_view symbol) {
  for (const BinaryOperator& each : kBinary) {
    if (each.symbol == symbol) return &each;
  }
  return nullptr;
}

}  // namespace

SyntaxId Parser::disjunction() {
  const std::uint32_t begin = token().begin;
  const SyntaxId first = conjunction();
  if (failed_ || !is_word("or")) return first;
  Children list;
  append(list, first);
  while (!failed_ && accept_word("or")) append(list, conjunction());
  const SyntaxId made = make(Syntax::boolean, begin);
  node(made).first = list.first;
  node(made).op = static_cast<std::uint8_t>(Operator::logical_or);
  return made;
}

SyntaxId Parser::conjunction() {
  const std::uint32_t begin = token().begin;
  const SyntaxId first = inversion();
  if (failed_ || !is_word("and")) return first;
  Children list;
  append(list, first);
  while (!failed_ && accept_word("and")) append(list, inversion());
  const SyntaxId made = make(Syntax::boolean, begin);
  node(made).first = list.first;
  node(made).op = static_cast<std::uint8_t>(Operator::logical_and);
  return made;
}

SyntaxId Parser::inversion() {
  if (!is_word("not")) return comparison();
  const std::uint32_t begin = token().begin;
  if (++depth_ > limits_.max_depth) {
    --depth_;
    tree_.limit_ = "depth";
    return fail();
  }
  advance();
  const SyntaxId value = inversion();
  --depth_;
  const SyntaxId made = make(Syntax::unary, begin, {value});
  node(made).op = static_cast<std::uint8_t>(Operator::logical_not);
  return made;
}

Operator Parser::comparison_operator() {
  constexpr std::array<std::pair<std::string_view, Operator>, 7> kSymbols = {{
      {"==", Operator::equal},
      {"!=", Operator::not_equal},
      {"<>", Operator::not_equal},
      {"<", Operator::less},
      {"<=", Operator::less_equal},
      {">", Operator::greater},
      {">=", Operator::greater_equal},
  }};
  if (token().kind == TokenKind::symbol) {
    for (const auto& [symbol, op] : kSymbols) {
      if (accept(symbol)) return op;
    }
    return Operator::none;
  }
  if (accept_word("in")) return Operator::in;
  if (accept_word("is")) return accept_word("not") ? Operator::is_not : Operator::is;
  if (is_word("not")) {
    advance();
    if (accept_word("in")) return Operator::not_in;
    failed_ = true;
  }
  return Operator::none;
}

SyntaxId Parser::comparison() {
  const std::uint32_t begin = token().begin;
  SyntaxId left = binary(kTopLevel);
  Children pairs;
  while (!failed_) {
    const Operator op = comparison_operator();
    if (op == Operator::none) break;
    const SyntaxId right = binary(kTopLevel);
    if (failed_) return right;
    const SyntaxId made = make(Syntax::compare, begin, {left, right});
    node(made).op = static_cast<std::uint8_t>(op);
    append(pairs, made);
    left = right;  // a chain: `a < b < c`; the pair that follows gets a copy of the middle
    const auto copy = static_cast<SyntaxId>(tree_.nodes_.size());
    const SyntaxNode middle = node(right);
    tree_.nodes_.push_back(middle);
    left = copy;
  }
  if (pairs.first == kNoSyntax) return left;
  if (pairs.first == pairs.last) return pairs.first;
  const SyntaxId made = make(Syntax::boolean, begin);
  node(made).first = pairs.first;
  node(made).op = static_cast<std::uint8_t>(Operator::logical_and);
  return made;
}

SyntaxId Parser::binary(int level) {
  if (level == kUnaryLevel) return unary();
  const std::uint32_t begin = token().begin;
  SyntaxId left = unary();
  // Precedence climbing: one call for an operand instead of one for each level.
  struct Open {
    SyntaxId left;
    const BinaryOperator* op;
  };
  std::vector<Open> open;
  while (!failed_) {
    const BinaryOperator* op =
        token().kind == TokenKind::symbol ? binary_operator(text(token())) : nullptr;
    const int next_level = op == nullptr || op->level < level ? -1 : op->level;
    while (!open.empty() && open.back().op->level >= next_level) {
      const SyntaxId made =
          make(Syntax::binary, node(open.back().left).begin, {open.back().left, left});
      node(made).op = static_cast<std::uint8_t>(open.back().op->op);
      left = made;
      open.pop_back();
    }
    if (next_level < 0) break;
    advance();
    open.push_back({left, op});
    left = unary();
  }
  node(left).begin = std::min(node(left).begin, begin);
  return left;
}

SyntaxId Parser::unary() {
  const std::uint32_t begin = token().begin;
  Operator op = Operator::none;
  if (is("-")) op = Operator::negate;
  if (is("+")) op = Operator::plus;
  if (is("~")) op = Operator::invert;
  if (op == Operator::none) return power();
  if (++depth_ > limits_.max_depth) {
    --depth_;
    tree_.limit_ = "depth";
    return fail();
  }
  advance();
  const SyntaxId value = unary();
  --depth_;
  const SyntaxId made = make(Syntax::unary, begin, {value});
  node(made).op = static_cast<std::uint8_t>(op);
  return made;
}

SyntaxId Parser::power() {
  const std::uint32_t begin = token().begin;
  const bool awaits = is_word("await") && !next_is("=") && !next_is(".");
  if (awaits) advance();
  SyntaxId value = trailers(atom(), begin);
  if (awaits) value = make(Syntax::await, begin, {value});
  if (failed_ || !accept("**")) return value;
  const SyntaxId exponent = unary();
  const SyntaxId made = make(Syntax::binary, begin, {value, exponent});
  node(made).op = static_cast<std::uint8_t>(Operator::power);
  return made;
}

}  // namespace gpulint::python
