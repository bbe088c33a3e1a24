#include "python/parser.h"

#include <utility>

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
