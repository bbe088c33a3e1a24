#include "python/parser.h"

#include <algorithm>

namespace gpulint::python {

Parser::Parser(std::string_view source, const SyntaxLimits& limits) : limits_(limits) {
  tree_.source_ = source;
}

SyntaxId Parser::make(Syntax kind, std::uint32_t begin, std::initializer_list<SyntaxId> children) {
  const auto id = static_cast<SyntaxId>(tree_.nodes_.size());
  SyntaxNode made;
  made.kind = kind;
  made.begin = begin;
  made.end = last_end_;
  tree_.nodes_.push_back(made);
  Children list;
  for (const SyntaxId child : children) append(list, child);
  node(id).first = list.first;
  if (tree_.nodes_.size() > limits_.max_nodes) {
    tree_.limit_ = "nodes";
    failed_ = true;
  }
  return id;
}

void Parser::append(Children& list, SyntaxId id) {
  if (id == kNoSyntax) return;
  node(id).next = kNoSyntax;
  (list.first == kNoSyntax ? list.first : node(list.last).next) = id;
  list.last = id;
}

void Parser::set_text(SyntaxId id, const Token& token) {
  node(id).text_begin = token.begin;
  node(id).text_size = token.end - token.begin;
}

void Parser::set_pool(SyntaxId id, std::string_view text) {
  node(id).in_pool = 1;
  node(id).text_begin = static_cast<std::uint32_t>(tree_.pool_.size());
  node(id).text_size = static_cast<std::uint32_t>(text.size());
  tree_.pool_ += text;
}

void Parser::advance() {
  last_end_ = token().end;
  if (token().kind != TokenKind::end) ++at_;
}

bool Parser::accept(std::string_view symbol) {
  if (!is(symbol)) return false;
  advance();
  return true;
}

bool Parser::accept_word(std::string_view word) {
  if (!is_word(word)) return false;
  advance();
  return true;
}

void Parser::expect(std::string_view symbol) {
  if (!accept(symbol)) failed_ = true;
}

SyntaxId Parser::fail() {
  failed_ = true;
  return make(Syntax::error, token().begin);
}

SyntaxTree Parser::run() {
  if (tree_.source_.size() > limits_.max_bytes) {
    tree_.limit_ = "bytes";
    tree_.source_ = tree_.source_.substr(0, 0);
  }
  const auto size = static_cast<std::uint32_t>(tree_.source_.size());
  tokens_ = tokenize(tree_.source_, 0, size, false, &tree_.comments_);
  tree_.nodes_.reserve(tokens_.size() + 16);
  Children list;
  while (token().kind != TokenKind::end && tree_.limit_ == nullptr) {
    if (token().kind == TokenKind::indent || token().kind == TokenKind::dedent) {
      advance();  // an unexpected one: its lines count as the block's around
      continue;
    }
    statement(list);
  }
  tree_.root_ = make(Syntax::block, 0);
  node(tree_.root_).first = list.first;
  return std::move(tree_);
}

SyntaxId Parser::statements_until_dedent() {
  const SyntaxId made = make(Syntax::block, token().begin);
  Children list;
  int extra = 0;  // indents nobody asked for
  while (token().kind != TokenKind::end && tree_.limit_ == nullptr) {
    if (token().kind == TokenKind::indent) {
      ++extra;
      advance();
    } else if (token().kind == TokenKind::dedent) {
      advance();
      if (extra-- == 0) break;
    } else {
      statement(list);
    }
  }
  node(made).first = list.first;
  return close(made);
}

/// `:` and what it opens: indented lines, or statements on the same line.
SyntaxId Parser::block() {
  expect(":");
  if (failed_) return absent();
  if (token().kind == TokenKind::newline) {
    advance();
    if (token().kind != TokenKind::indent) return fail();
    advance();
    return statements_until_dedent();
  }
  const SyntaxId made = make(Syntax::block, token().begin);
  Children list;
  simple_line(list);
  node(made).first = list.first;
  return close(made);
}

void Parser::statement(Children& list) {
  const std::uint32_t begin = token().begin;
  const std::size_t nodes = tree_.nodes_.size();
  const std::uint32_t depth = depth_;
  if (token().kind == TokenKind::newline) {
    advance();
    return;
  }
  if (++depth_ > limits_.max_depth) {
    failed_ = true;
    tree_.limit_ = "depth";
  }
  const SyntaxId made = failed_ ? kNoSyntax : compound();
  if (made != kNoSyntax && !failed_) {
    append(list, made);
  } else if (!failed_) {
    simple_line(list);
  }
  depth_ = depth;  // a failure leaves it anywhere
  if (failed_) recover(begin, nodes, list);
}

void Parser::simple_line(Children& list) {
  Children line;
  while (!failed_) {
    const SyntaxId made = simple();
    if (failed_) return;
    append(line, made);
    if (accept(";")) {
      if (token().kind == TokenKind::newline) break;
      continue;
    }
    break;
  }
  if (token().kind == TokenKind::newline) {
    advance();
  } else if (token().kind != TokenKind::end) {
    failed_ = true;
    return;
  }
  if (line.first == kNoSyntax) return;
  (list.first == kNoSyntax ? list.first : node(list.last).next) = line.first;
  list.last = line.last;
}

/// Skips to the end of the line, and the block behind it.
void Parser::recover(std::uint32_t begin, std::size_t nodes, Children& list) {
  if (tree_.errors_++ == 0) tree_.first_error_ = token().begin;
  while (token().kind != TokenKind::newline && token().kind != TokenKind::end) {
    if (token().kind == TokenKind::dedent) break;
    advance();
  }
  if (token().kind == TokenKind::newline) advance();
  if (token().kind == TokenKind::indent) {
    int open = 0;
    do {
      open += token().kind == TokenKind::indent ? 1 : token().kind == TokenKind::dedent ? -1 : 0;
      advance();
    } while (open > 0 && token().kind != TokenKind::end);
  }
  if (list.last == kNoSyntax || list.last < nodes) tree_.nodes_.resize(nodes);
  failed_ = tree_.limit_ != nullptr && std::string_view(tree_.limit_) == "nodes";
  if (tree_.limit_ != nullptr && std::string_view(tree_.limit_) == "depth") tree_.limit_ = nullptr;
  if (!failed_) append(list, make(Syntax::error, begin));
}

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
  const SyntaxId body = block();
  const SyntaxId made = make(Syntax::function, begin, {taken, body, decorators.first});
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

SyntaxTree parse(std::string_view source, const SyntaxLimits& limits) {
  return Parser(source, limits).run();
}

std::string_view SyntaxTree::bound_name(SyntaxId alias) const {
  const SyntaxId name = nodes_[alias].first;
  return name == kNoSyntax ? text(alias) : text(name);
}

SyntaxId SyntaxTree::child(SyntaxId id, std::size_t n) const {
  SyntaxId at = nodes_[id].first;
  for (; at != kNoSyntax && n > 0; --n) at = nodes_[at].next;
  return at;
}

}  // namespace gpulint::python
