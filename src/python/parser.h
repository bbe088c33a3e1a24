#pragma once

// Recursive descent over tokens. Internal to this room; `parse` of syntax.h is what others use.

#include "python/lexer.h"
#include "python/syntax.h"

#include <initializer_list>
#include <string_view>
#include <vector>

namespace gpulint::python {

class Parser {
 public:
  Parser(std::string_view source, const SyntaxLimits& limits);
  SyntaxTree run();

 private:
  /// Builds a list of children without storage of its own.
  struct Children {
    SyntaxId first = kNoSyntax;
    SyntaxId last = kNoSyntax;
  };

  // nodes
  SyntaxId make(Syntax kind, std::uint32_t begin, std::initializer_list<SyntaxId> children = {});
  SyntaxId close(SyntaxId id) {
    node(id).end = last_end_;
    return id;
  }
  SyntaxNode& node(SyntaxId id) { return tree_.nodes_[id]; }
  void append(Children& list, SyntaxId id);
  void set_text(SyntaxId id, const Token& token);
  void set_pool(SyntaxId id, std::string_view text);
  SyntaxId absent() { return make(Syntax::error, last_end_); }

  // tokens
  const Token& token() const { return tokens_[at_]; }
  std::string_view text(const Token& of) const {
    return tree_.source_.substr(of.begin, of.end - of.begin);
  }
  bool is(std::string_view symbol) const {
    return token().kind == TokenKind::symbol && text(token()) == symbol;
  }
  bool is_word(std::string_view word) const {
    return token().kind == TokenKind::name && text(token()) == word;
  }
  bool next_is(std::string_view symbol) const {
    const Token& next = tokens_[at_ + (token().kind == TokenKind::end ? 0 : 1)];
    return next.kind == TokenKind::symbol && text(next) == symbol;
  }
  void advance();
  bool accept(std::string_view symbol);
  bool accept_word(std::string_view word);
  void expect(std::string_view symbol);
  SyntaxId fail();

  // statements (parser.cpp; compound ones: parse_compound.cpp, of one line: parse_simple.cpp)
  SyntaxId block();
  SyntaxId statements_until_dedent();
  void statement(Children& list);
  void simple_line(Children& list);
  void recover(std::uint32_t begin, std::size_t nodes, Children& list);
  SyntaxId compound();
  SyntaxId simple();
  SyntaxId expression_statement();
  SyntaxId branch();
  SyntaxId for_loop(bool is_async);
  SyntaxId while_loop();
  SyntaxId with(bool is_async);
  SyntaxId with_item();
  SyntaxId attempt();
  SyntaxId function(Children decorators, bool is_async);
  SyntaxId class_type(Children decorators);
  SyntaxId decorated();
  SyntaxId match();
  SyntaxId import();
  SyntaxId import_from();
  SyntaxId alias(bool dotted);
  SyntaxId words(Syntax kind);
  SyntaxId with_value(Syntax kind);
  void skip_pattern();

  // expressions (parse_expression.cpp)
  static constexpr int kTopLevel = 0;  // of binary operators: all of them
  SyntaxId expressions();              // a tuple where commas stand
  SyntaxId star_or_expression();
  SyntaxId expression();
  SyntaxId lambda();
  SyntaxId parameters(std::string_view closing, bool annotated);
  SyntaxId target_list();
  // operators (parse_operators.cpp)
  SyntaxId disjunction();
  SyntaxId conjunction();
  SyntaxId inversion();
  SyntaxId comparison();
  SyntaxId binary(int level);
  SyntaxId unary();
  SyntaxId power();
  Operator comparison_operator();
  // what operators stand between (parse_primary.cpp, parse_string.cpp)
  SyntaxId trailers(SyntaxId value, std::uint32_t begin);
  SyntaxId atom();
  SyntaxId word();
  SyntaxId parenthesised();
  SyntaxId bracketed();
  SyntaxId braced();
  SyntaxId strings();
  void formatted_parts(const Token& literal, Children& parts);
  void literal_text(const Token& literal, std::string& pool) const;
  void arguments(Children& list);
  SyntaxId subscripts();
  SyntaxId comprehension(SyntaxId element, SyntaxId value, Operator makes, std::uint32_t begin);

  const SyntaxLimits limits_;
  bool yields_ = false;  // the function whose body is being read, so far
  SyntaxTree tree_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::uint32_t last_end_ = 0;
  std::uint32_t depth_ = 0;
  bool failed_ = false;
};

}  // namespace gpulint::python
