#include "python/parser.h"

#include <array>
#include <string>
#include <utility>

namespace gpulint::python {
namespace {

struct BinaryOperator {
  std::string_view symbol;
  Operator op;
  int level;
};

constexpr int kTopLevel = 0;
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

bool is_reserved(std::string_view word) {
  constexpr std::array<std::string_view, 29> kWords = {
      "and",    "as",     "assert", "break",   "class",    "continue", "def",    "del",
      "elif",   "else",   "except", "finally", "for",      "from",     "global", "if",
      "import", "in",     "is",     "lambda",  "nonlocal", "not",      "or",     "pass",
      "raise",  "return", "try",    "while",   "with"};
  for (const std::string_view each : kWords) {
    if (each == word) return true;
  }
  return false;
}

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | ((code >> 18) & 0x07));
    out += static_cast<char>(0x80 | ((code >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((code >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
}

/// Reads `digits` hexadecimal digits at `at`; false when there are fewer.
bool read_hex(std::string_view text, std::size_t& at, int digits, std::uint32_t& code) {
  code = 0;
  for (int i = 0; i < digits; ++i, ++at) {
    if (at >= text.size()) return false;
    const char c = text[at];
    const int value = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (value < 0) return false;
    code = code * 16 + static_cast<std::uint32_t>(value);
  }
  return true;
}

/// One escape whose backslash stands before `at`.
void unescape_one(std::string_view text, std::size_t& at, std::string& out) {
  const char c = text[at++];
  std::uint32_t code = 0;
  const std::size_t start = at;
  switch (c) {
    case 'n':
      out += '\n';
      return;
    case 't':
      out += '\t';
      return;
    case 'r':
      out += '\r';
      return;
    case '0':
      out += '\0';
      return;
    case '\n':
      return;
    case '\\':
    case '\'':
    case '"':
      out += c;
      return;
    case 'x':
    case 'u':
    case 'U':
      if (read_hex(text, at, c == 'x' ? 2 : c == 'u' ? 4 : 8, code) && code < 0x110000) {
        append_utf8(out, code);
        return;
      }
      at = start;
      break;
    default:
      break;
  }
  out += '\\';
  out += c;
}

std::string unescape(std::string_view text, bool raw) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at++];
    if (c != '\\' || raw || at >= text.size()) {
      out += c;
    } else {
      unescape_one(text, at, out);
    }
  }
  return out;
}

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

}  // namespace

SyntaxId Parser::expressions() {
  const std::uint32_t begin = token().begin;
  const SyntaxId first = star_or_expression();
  if (failed_ || !is(",")) return first;
  Children list;
  append(list, first);
  while (!failed_ && accept(",")) {
    const bool ends = token().kind == TokenKind::newline || is(")") || is("]") || is("}") ||
                      is("=") || is(":") || is(";");
    if (ends) break;
    append(list, star_or_expression());
  }
  const SyntaxId made = make(Syntax::tuple, begin);
  node(made).first = list.first;
  return made;
}

SyntaxId Parser::star_or_expression() {
  const std::uint32_t begin = token().begin;
  if (accept("*")) {
    const SyntaxId value = binary(kTopLevel);
    return make(Syntax::star, begin, {value});
  }
  return expression();
}

SyntaxId Parser::target_list() {
  const std::uint32_t begin = token().begin;
  Children list;
  bool many = false;
  do {
    if (is_word("in")) break;
    const std::uint32_t at = token().begin;
    const bool star = accept("*");
    const SyntaxId target = binary(kTopLevel);
    append(list, star ? make(Syntax::star, at, {target}) : target);
    many = many || is(",");
  } while (!failed_ && accept(","));
  if (!many) return list.first == kNoSyntax ? fail() : list.first;
  const SyntaxId made = make(Syntax::tuple, begin);
  node(made).first = list.first;
  return made;
}

SyntaxId Parser::expression() {
  if (failed_) return absent();
  if (++depth_ > limits_.max_depth) {
    --depth_;
    tree_.limit_ = "depth";
    return fail();
  }
  const std::uint32_t begin = token().begin;
  SyntaxId made = kNoSyntax;
  if (is_word("lambda")) {
    made = lambda();
  } else if (is_word("yield")) {
    advance();
    accept_word("from");
    const bool is_bare = token().kind == TokenKind::newline || is(")") || is("]") || is("=");
    const SyntaxId value = is_bare ? kNoSyntax : expressions();
    made = make(Syntax::yield, begin, {value});
  } else {
    made = disjunction();
    if (!failed_ && is(":=")) {
      advance();
      const SyntaxId value = expression();
      made = make(Syntax::assign_expression, begin, {made, value});
    } else if (!failed_ && accept_word("if")) {
      const SyntaxId condition = disjunction();
      if (!accept_word("else")) {
        --depth_;
        return fail();
      }
      const SyntaxId otherwise = expression();
      made = make(Syntax::conditional, begin, {made, condition, otherwise});
    }
  }
  --depth_;
  return made;
}

SyntaxId Parser::lambda() {
  const std::uint32_t begin = token().begin;
  advance();
  const SyntaxId taken = parameters(":", false);
  expect(":");
  const SyntaxId body = expression();
  return make(Syntax::lambda, begin, {taken, body});
}

SyntaxId Parser::parameters(std::string_view closing, bool annotated) {
  const SyntaxId made = make(Syntax::parameters, token().begin);
  Children list;
  bool keyword_only = false;
  while (!failed_ && !is(closing) && token().kind != TokenKind::end) {
    const std::uint32_t begin = token().begin;
    Parameter how = keyword_only ? Parameter::keyword_only : Parameter::positional;
    if (accept("/")) {
      if (!accept(",")) break;
      continue;
    }
    if (accept("**")) {
      how = Parameter::keyword_rest;
    } else if (accept("*")) {
      keyword_only = true;
      if (accept(",")) continue;
      how = Parameter::rest;
    }
    if (token().kind != TokenKind::name) return fail();
    const Token name = token();
    advance();
    if (annotated && accept(":")) star_or_expression();
    SyntaxId value = kNoSyntax;
    if (accept("=")) value = expression();
    const SyntaxId parameter = make(Syntax::parameter, begin, {value});
    set_text(parameter, name);
    node(parameter).op = static_cast<std::uint8_t>(how);
    append(list, parameter);
    if (!accept(",")) break;
  }
  node(made).first = list.first;
  return close(made);
}

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

SyntaxId Parser::trailers(SyntaxId value, std::uint32_t begin) {
  while (!failed_ && token().kind == TokenKind::symbol) {
    if (accept(".")) {
      if (token().kind != TokenKind::name) return fail();
      const Token name = token();
      advance();
      value = make(Syntax::attribute, begin, {value});
      set_text(value, name);
    } else if (accept("(")) {
      Children list;
      append(list, value);
      arguments(list);
      expect(")");
      value = make(Syntax::call, begin);
      node(value).first = list.first;
    } else if (is("[")) {
      const SyntaxId index = subscripts();
      value = make(Syntax::subscript, begin, {value, index});
    } else {
      break;
    }
  }
  return value;
}

void Parser::arguments(Children& list) {
  while (!failed_ && !is(")") && token().kind != TokenKind::end) {
    const std::uint32_t begin = token().begin;
    if (accept("**")) {
      const SyntaxId value = expression();
      append(list, make(Syntax::double_star, begin, {value}));
    } else if (accept("*")) {
      const SyntaxId value = expression();
      append(list, make(Syntax::star, begin, {value}));
    } else if (token().kind == TokenKind::name && next_is("=")) {
      const Token name = token();
      advance();
      advance();
      const SyntaxId value = expression();
      const SyntaxId made = make(Syntax::keyword, begin, {value});
      set_text(made, name);
      append(list, made);
    } else {
      const SyntaxId value = expression();
      const bool comprehends = !failed_ && (is_word("for") || is_word("async"));
      append(list, comprehends ? comprehension(value, kNoSyntax, Operator::makes_generator, begin)
                               : value);
    }
    if (!accept(",")) break;
  }
}

SyntaxId Parser::subscripts() {
  const std::uint32_t begin = token().begin;
  expect("[");
  Children list;
  bool many = false;
  while (!failed_ && !is("]") && token().kind != TokenKind::end) {
    const std::uint32_t at = token().begin;
    SyntaxId lower = is(":") ? absent() : star_or_expression();
    if (!failed_ && is(":")) {
      advance();
      const SyntaxId upper = is(":") || is("]") || is(",") ? absent() : expression();
      SyntaxId step = kNoSyntax;
      if (accept(":")) step = is("]") || is(",") ? absent() : expression();
      lower = make(Syntax::slice, at, {lower, upper, step});
    }
    append(list, lower);
    if (!accept(",")) break;
    many = true;
  }
  expect("]");
  if (!many) return list.first == kNoSyntax ? absent() : list.first;
  const SyntaxId made = make(Syntax::tuple, begin);
  node(made).first = list.first;
  return made;
}

SyntaxId Parser::comprehension(SyntaxId element, SyntaxId value, Operator makes,
                               std::uint32_t begin) {
  Children list;
  append(list, element);
  append(list, value);
  while (!failed_ && (is_word("for") || is_word("async"))) {
    const std::uint32_t at = token().begin;
    accept_word("async");
    if (!accept_word("for")) return fail();
    const SyntaxId target = target_list();
    if (!accept_word("in")) return fail();
    const SyntaxId iterable = disjunction();
    Children parts;
    append(parts, target);
    append(parts, iterable);
    while (!failed_ && accept_word("if")) append(parts, disjunction());
    const SyntaxId loop = make(Syntax::comprehension_for, at);
    node(loop).first = parts.first;
    append(list, loop);
  }
  const SyntaxId made = make(Syntax::comprehension, begin);
  node(made).first = list.first;
  node(made).op = static_cast<std::uint8_t>(makes);
  return made;
}

SyntaxId Parser::atom() {
  switch (token().kind) {
    case TokenKind::name:
      return word();
    case TokenKind::number: {
      const SyntaxId made = make(Syntax::number, token().begin);
      set_text(made, token());
      advance();
      return close(made);
    }
    case TokenKind::string:
      return strings();
    case TokenKind::symbol:
      if (is("(")) return parenthesised();
      if (is("[")) return bracketed();
      if (is("{")) return braced();
      if (is("...")) {
        const SyntaxId made = make(Syntax::constant, token().begin);
        set_text(made, token());
        advance();
        return close(made);
      }
      return fail();
    case TokenKind::end:
    case TokenKind::newline:
    case TokenKind::indent:
    case TokenKind::dedent:
    case TokenKind::invalid:
      break;
  }
  return fail();
}

SyntaxId Parser::word() {
  const std::string_view name = text(token());
  if (is_reserved(name)) return fail();
  const bool is_constant = name == "True" || name == "False" || name == "None";
  const SyntaxId made = make(is_constant ? Syntax::constant : Syntax::name, token().begin);
  set_text(made, token());
  advance();
  return close(made);
}

SyntaxId Parser::parenthesised() {
  const std::uint32_t begin = token().begin;
  advance();
  if (accept(")")) return make(Syntax::tuple, begin);
  SyntaxId value = expressions();
  if (!failed_ && (is_word("for") || is_word("async"))) {
    value = comprehension(value, kNoSyntax, Operator::makes_generator, begin);
  }
  expect(")");
  node(value).begin = begin;
  return close(value);
}

SyntaxId Parser::bracketed() {
  const std::uint32_t begin = token().begin;
  advance();
  Children list;
  while (!failed_ && !is("]") && token().kind != TokenKind::end) {
    const SyntaxId item = star_or_expression();
    if (!failed_ && list.first == kNoSyntax && (is_word("for") || is_word("async"))) {
      const SyntaxId made = comprehension(item, kNoSyntax, Operator::makes_list, begin);
      expect("]");
      return close(made);
    }
    append(list, item);
    if (!accept(",")) break;
  }
  expect("]");
  const SyntaxId made = make(Syntax::list, begin);
  node(made).first = list.first;
  return made;
}

SyntaxId Parser::braced() {
  const std::uint32_t begin = token().begin;
  advance();
  Children list;
  bool is_set = false;
  while (!failed_ && !is("}") && token().kind != TokenKind::end) {
    const std::uint32_t at = token().begin;
    if (accept("**")) {
      const SyntaxId value = expression();
      append(list, make(Syntax::double_star, at, {value}));
      if (!accept(",")) break;
      continue;
    }
    const SyntaxId key = star_or_expression();
    SyntaxId value = kNoSyntax;
    if (!failed_ && accept(":")) {
      value = expression();
    } else {
      is_set = true;
    }
    if (!failed_ && list.first == kNoSyntax && (is_word("for") || is_word("async"))) {
      const SyntaxId made = comprehension(
          key, value, value == kNoSyntax ? Operator::makes_set : Operator::makes_dict, begin);
      expect("}");
      return close(made);
    }
    append(list, key);
    append(list, value);
    if (!accept(",")) break;
  }
  expect("}");
  const SyntaxId made = make(is_set ? Syntax::set : Syntax::dict, begin);
  node(made).first = list.first;
  return made;
}

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
/// a conversion is an error node: what it prints is not worked out.
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
    const bool is_plain = end < all.end && source[end] == '}';
    SyntaxId value = kNoSyntax;
    if (is_plain && depth_ < limits_.max_depth / 2) {
      std::vector<Token> outer = tokenize(source, at + 1, end, true, nullptr);
      outer.swap(tokens_);
      const std::size_t place = std::exchange(at_, 0);
      value = expressions();
      if (token().kind != TokenKind::end) failed_ = true;
      outer.swap(tokens_);
      at_ = place;
      if (std::exchange(failed_, tree_.limit_ != nullptr)) value = kNoSyntax;
    }
    append(parts, value == kNoSyntax ? make(Syntax::error, at) : value);
    at = behind_field(source, end, all.end);
  }
  flush();
}

}  // namespace gpulint::python
