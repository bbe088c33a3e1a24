#include "expr/expression.h"

#include "expr/binder.h"
#include "expr/operation.h"
#include "expr/parser.h"

#include <algorithm>
#include <utility>

namespace gpulint::expr {

Expression::Expression() = default;
Expression::Expression(const Expression&) = default;
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(const Expression&) = default;
Expression& Expression::operator=(Expression&&) noexcept = default;
Expression::~Expression() = default;

Result<Expression> Expression::parse(std::string_view text) {
  Parser parser{text};
  if (!parser.parse()) return fail(std::move(parser.error));
  Expression expression;
  expression.text_ = text;
  expression.operations_ = std::move(parser.operations);
  expression.constants_ = std::move(parser.constants);
  return expression;
}

Result<Type> Expression::bind(const SymbolTable& symbols) {
  stack_depth_ = 0;  // stays so, and evaluation unknown, when binding fails
  Binder binder{text(), constants_, symbols};
  if (operations_.empty()) return fail("an expression is missing here");
  if (!binder.bind(operations_)) return fail(std::move(binder.error));
  stack_depth_ = binder.stack_depth();
  return binder.result();
}

std::vector<std::string> Expression::names() const {
  std::vector<std::string> names;
  for (const Operation& operation : operations_) {
    const bool named = operation.code == Opcode::symbol || operation.code == Opcode::function ||
                       operation.code == Opcode::about;
    if (named) names.emplace_back(text().substr(operation.begin, operation.end - operation.begin));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace gpulint::expr
