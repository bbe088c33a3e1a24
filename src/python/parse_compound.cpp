// Statements that hold others.

#include "python/parser.h"

#include <cstdint>
#include <string_view>
#include <utility>

namespace gpulint::python {

SyntaxId Parser::compound() {
  if (is("@")) return decorated();
  if (token().kind != TokenKind::name) return kNoSyntax;
  const std::string_view first = text(token());
  if (first == "if") return branch();
  if (first == "for") return for_loop(false);
  if (first == "while") return while_loop();
  if (first == "with") return with(false);
  if (first == "try") return attempt();
  if (first == "def") return function({}, false);
  if (first == "class") return class_type({});
  if (first == "async") {
    advance();
    if (is_word("def")) return function({}, true);
    if (is_word("for")) return for_loop(true);
    if (is_word("with")) return with(true);
    return fail();
  }
  if (first == "match") return match();
  return kNoSyntax;
}

SyntaxId Parser::branch() {
  const std::uint32_t begin = token().begin;
  advance();
  const SyntaxId condition = expression();
  const SyntaxId then = block();
  SyntaxId otherwise = kNoSyntax;
  if (!failed_ && is_word("elif")) {
    if (++depth_ > 4 * limits_.max_depth) return fail();
    otherwise = branch();
    --depth_;
  } else if (!failed_ && accept_word("else")) {
    otherwise = block();
  }
  return make(Syntax::branch, begin, {condition, then, otherwise});
}

SyntaxId Parser::for_loop(bool is_async) {
  const std::uint32_t begin = token().begin;
  advance();
  const SyntaxId target = target_list();
  if (!accept_word("in")) return fail();
  const SyntaxId iterable = expressions();
  const SyntaxId body = block();
  SyntaxId otherwise = kNoSyntax;
  if (!failed_ && accept_word("else")) otherwise = block();
  const SyntaxId made = make(Syntax::for_loop, begin, {target, iterable, body, otherwise});
  node(made).is_async = is_async;
  return made;
}

SyntaxId Parser::while_loop() {
  const std::uint32_t begin = token().begin;
  advance();
  const SyntaxId condition = expression();
  const SyntaxId body = block();
  SyntaxId otherwise = kNoSyntax;
  if (!failed_ && accept_word("else")) otherwise = block();
  return make(Syntax::while_loop, begin, {condition, body, otherwise});
}

SyntaxId Parser::with_item() {
  const std::uint32_t begin = token().begin;
  const SyntaxId value = expression();
  SyntaxId target = kNoSyntax;
  if (accept_word("as")) target = star_or_expression();
  return make(Syntax::with_item, begin, {value, target});
}

SyntaxId Parser::with(bool is_async) {
  const std::uint32_t begin = token().begin;
  advance();
  Children list;
  // `with (a as b, c as d):` and `with (yield x):` begin alike: the first is tried, then the
  // second.
  const std::size_t start = at_;
  const std::size_t nodes = tree_.nodes_.size();
  bool grouped = accept("(");
  while (grouped && !failed_ && !is(")")) {
    append(list, with_item());
    if (!accept(",")) break;
  }
  grouped = grouped && !failed_ && accept(")") && is(":");
  if (!grouped) {
    at_ = start;
    tree_.nodes_.resize(nodes);
    list = {};
    failed_ = false;
    do {
      append(list, with_item());
    } while (!failed_ && accept(","));
  }
  append(list, block());
  const SyntaxId made = make(Syntax::with, begin);
  node(made).first = list.first;
  node(made).is_async = is_async;
  return made;
}

SyntaxId Parser::attempt() {
  const std::uint32_t begin = token().begin;
  advance();
  Children list;
  append(list, block());
  while (!failed_ && (is_word("except") || is_word("else") || is_word("finally"))) {
    const std::uint32_t start = token().begin;
    const int role = is_word("except") ? 0 : is_word("else") ? 1 : 2;
    advance();
    Token name{};
    if (role == 0) {
      accept("*");
      if (!is(":")) expressions();
      if (accept_word("as")) {
        name = token();
        advance();
      }
    }
    const SyntaxId body = block();
    const SyntaxId made = make(Syntax::handler, start, {body});
    node(made).op = static_cast<std::uint8_t>(role);
    set_text(made, name);
    append(list, made);
  }
  const SyntaxId made = make(Syntax::attempt, begin);
  node(made).first = list.first;
  return made;
}

SyntaxId Parser::function(Children decorators, bool is_async) {
  const std::uint32_t begin = token().begin;
  advance();
  const Token name = token();
  if (name.kind != TokenKind::name) return fail();
  advance();
  if (is("[")) subscripts();  // type parameters
  expect("(");
  const SyntaxId taken = parameters(")", true);
  expect(")");
  if (accept("->")) expression();
  const bool around = std::exchange(yields_, false);
  const SyntaxId body = block();
  const SyntaxId made = make(Syntax::function, begin, {taken, body, decorators.first});
  node(made).yields = std::exchange(yields_, around);
  if (decorators.first != kNoSyntax) node(body).next = decorators.first;
  set_text(made, name);
  node(made).is_async = is_async;
  return made;
}

SyntaxId Parser::class_type(Children decorators) {
  const std::uint32_t begin = token().begin;
  advance();
  const Token name = token();
  if (name.kind != TokenKind::name) return fail();
  advance();
  if (is("[")) subscripts();
  Children list;
  if (accept("(")) {
    arguments(list);
    expect(")");
  }
  const SyntaxId bases = make(Syntax::call, begin);
  node(bases).first = list.first;
  const SyntaxId body = block();
  const SyntaxId made = make(Syntax::class_type, begin, {bases, body, decorators.first});
  if (decorators.first != kNoSyntax) node(body).next = decorators.first;
  set_text(made, name);
  return made;
}

SyntaxId Parser::decorated() {
  Children list;
  while (!failed_ && is("@")) {
    const std::uint32_t begin = token().begin;
    advance();
    const SyntaxId value = expression();
    append(list, make(Syntax::decorator, begin, {value}));
    if (token().kind != TokenKind::newline) return fail();
    advance();
  }
  // `make` below links only the first of them: the others hang on it already.
  const SyntaxId rest = list.first == kNoSyntax ? kNoSyntax : node(list.first).next;
  const bool is_async = accept_word("async");
  SyntaxId made = kNoSyntax;
  if (is_word("def")) {
    made = function(list, is_async);
  } else if (is_word("class")) {
    made = class_type(list);
  } else {
    return fail();
  }
  if (!failed_ && list.first != kNoSyntax) node(list.first).next = rest;
  return made;
}

/// Patterns are skipped: which case is taken is not followed, only that each may be.
void Parser::skip_pattern() {
  int depth = 0;
  while (token().kind != TokenKind::newline && token().kind != TokenKind::end) {
    if (is("(") || is("[") || is("{")) ++depth;
    if (is(")") || is("]") || is("}")) --depth;
    if (depth == 0 && is(":")) return;
    advance();
  }
}

/// `match` is a word like others unless a block of cases follows.
SyntaxId Parser::match() {
  const std::size_t start = at_;
  const std::size_t nodes = tree_.nodes_.size();
  const std::uint32_t begin = token().begin;
  advance();
  SyntaxId subject = kNoSyntax;
  const bool may_be = !is("=") && !is(".") && !is(",") && !is(")") && !is(":") &&
                      token().kind != TokenKind::newline;
  if (may_be) subject = expressions();
  if (!may_be || failed_ || !is(":")) {
    at_ = start;
    tree_.nodes_.resize(nodes);
    failed_ = false;
    return kNoSyntax;
  }
  advance();
  if (token().kind != TokenKind::newline) return fail();
  advance();
  if (token().kind != TokenKind::indent) return fail();
  advance();
  Children list;
  append(list, subject);
  while (!failed_ && is_word("case")) {
    const std::uint32_t at = token().begin;
    skip_pattern();
    const SyntaxId body = block();
    append(list, make(Syntax::match_case, at, {body}));
  }
  if (token().kind == TokenKind::dedent) advance();
  const SyntaxId made = make(Syntax::match, begin);
  node(made).first = list.first;
  return made;
}

}  // namespace gpulint::python
