// Names, literals, brackets of all kinds, and the calls, attributes and subscripts behind them.

#include "python/parser.h"

#include <array>
#include <string_view>

namespace gpulint::python {
namespace {

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

}  // namespace

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

}  // namespace gpulint::python
