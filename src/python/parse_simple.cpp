// Statements that fit on a line.

#include "python/parser.h"

#include <array>
#include <utility>

namespace gpulint::python {
namespace {

Operator augmented_operator(std::string_view symbol) {
  constexpr std::array<std::pair<std::string_view, Operator>, 13> kTable = {{
      {"+=", Operator::add},
      {"-=", Operator::subtract},
      {"*=", Operator::multiply},
      {"/=", Operator::divide},
      {"//=", Operator::floor_divide},
      {"%=", Operator::modulo},
      {"**=", Operator::power},
      {"@=", Operator::matrix},
      {"&=", Operator::bit_and},
      {"|=", Operator::bit_or},
      {"^=", Operator::bit_xor},
      {"<<=", Operator::shift_left},
      {">>=", Operator::shift_right},
  }};
  for (const auto& [text, made] : kTable) {
    if (text == symbol) return made;
  }
  return Operator::none;
}

}  // namespace

SyntaxId Parser::simple() {
  if (token().kind == TokenKind::name) {
    const std::string_view first = text(token());
    if (first == "import") return import();
    if (first == "from") return import_from();
    if (first == "return") return with_value(Syntax::returns);
    if (first == "raise") {
      const SyntaxId made = with_value(Syntax::raise);
      if (accept_word("from")) expression();
      return made;
    }
    if (first == "pass") return words(Syntax::pass);
    if (first == "break") return words(Syntax::break_loop);
    if (first == "continue") return words(Syntax::continue_loop);
    if (first == "global" || first == "nonlocal") return words(Syntax::global);
    if (first == "del") return with_value(Syntax::remove);
    if (first == "assert") return with_value(Syntax::assertion);
  }
  return expression_statement();
}

/// A word, and a value behind it unless the line ends.
SyntaxId Parser::with_value(Syntax kind) {
  const std::uint32_t begin = token().begin;
  advance();
  const bool is_bare = token().kind == TokenKind::newline || is(";");
  const SyntaxId value = is_bare ? kNoSyntax : expressions();
  return make(kind, begin, {value});
}

/// A word, and names behind it.
SyntaxId Parser::words(Syntax kind) {
  const std::uint32_t begin = token().begin;
  advance();
  Children list;
  while (kind == Syntax::global && token().kind == TokenKind::name) {
    const SyntaxId name = make(Syntax::name, token().begin);
    set_text(name, token());
    advance();
    append(list, close(name));
    if (!accept(",")) break;
  }
  const SyntaxId made = make(kind, begin);
  node(made).first = list.first;
  return made;
}

SyntaxId Parser::alias(bool dotted) {
  if (token().kind != TokenKind::name) return fail();
  Token name = token();
  advance();
  while (dotted && is(".")) {
    advance();
    if (token().kind != TokenKind::name) return fail();
    name.end = token().end;
    advance();
  }
  const SyntaxId made = make(Syntax::alias, name.begin);
  set_text(made, name);
  if (accept_word("as")) {
    const SyntaxId bound = make(Syntax::name, token().begin);
    set_text(bound, token());
    advance();
    node(made).first = close(bound);
  }
  return close(made);
}

SyntaxId Parser::import() {
  const std::uint32_t begin = token().begin;
  advance();
  Children list;
  do {
    append(list, alias(true));
  } while (!failed_ && accept(","));
  const SyntaxId made = make(Syntax::import, begin);
  node(made).first = list.first;
  return made;
}

SyntaxId Parser::import_from() {
  const std::uint32_t begin = token().begin;
  advance();
  std::uint8_t dots = 0;
  for (; is(".") || is("..."); advance())
    dots = static_cast<std::uint8_t>(dots + (is(".") ? 1 : 3));
  Token module{TokenKind::name, token().begin, token().begin};
  if (!is_word("import")) {
    const SyntaxId name = alias(true);
    if (failed_) return name;
    module.end = node(name).end;
  }
  if (!accept_word("import")) return fail();
  Children list;
  if (is("*")) {
    const SyntaxId star = make(Syntax::alias, token().begin);
    set_text(star, token());
    advance();
    append(list, close(star));
  } else {
    const bool grouped = accept("(");
    while (!failed_ && token().kind == TokenKind::name) {
      append(list, alias(false));
      if (!accept(",")) break;
    }
    if (grouped) expect(")");
  }
  const SyntaxId made = make(Syntax::import_from, begin);
  node(made).first = list.first;
  set_text(made, module);
  node(made).op = dots;
  return made;
}

SyntaxId Parser::expression_statement() {
  const std::uint32_t begin = token().begin;
  const SyntaxId first = expressions();
  if (failed_) return first;
  if (is(":")) {
    advance();
    const SyntaxId annotation = expression();
    SyntaxId value = kNoSyntax;
    if (accept("=")) value = expressions();
    return make(Syntax::annotated, begin, {first, annotation, value});
  }
  if (is("=")) {
    Children list;
    append(list, first);
    while (!failed_ && accept("=")) append(list, expressions());
    const SyntaxId made = make(Syntax::assign, begin);
    node(made).first = list.first;
    return made;
  }
  if (token().kind == TokenKind::symbol) {
    const Operator op = augmented_operator(text(token()));
    if (op != Operator::none) {
      advance();
      const SyntaxId value = expressions();
      const SyntaxId made = make(Syntax::augmented, begin, {first, value});
      node(made).op = static_cast<std::uint8_t>(op);
      return made;
    }
  }
  return make(Syntax::expression, begin, {first});
}

}  // namespace gpulint::python
