#include "python/parser.h"

namespace gpulint::python {

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
    yields_ = true;
    advance();
    const bool hands_on = accept_word("from");
    const bool is_bare = token().kind == TokenKind::newline || is(")") || is("]") || is("=");
    const SyntaxId value = is_bare ? kNoSyntax : expressions();
    made = make(Syntax::yield, begin, {value});
    node(made).op = hands_on ? 1 : 0;
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

}  // namespace gpulint::python
