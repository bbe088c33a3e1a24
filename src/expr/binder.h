#pragma once

#include "base/result.h"
#include "expr/expression.h"
#include "expr/operation.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint::expr {

/// What is known about one value of the stack before anything runs.
struct Operand {
  Kind kind = Kind::boolean;
  Kind element = Kind::string;
  Unit unit = kNoUnit;
  bool zero = false;                                  // the literal 0, which fits every unit
  bool empty_list = false;                            // fits every list
  const std::vector<std::string>* choices = nullptr;  // declared legal texts; nullptr = any
  std::vector<std::string_view> literals = {};  // all it can be, where only literals produce it
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// One pass over the post-order array with a stack of operands: names to indices, types, units.
class Binder {
 public:
  Binder(std::string_view text, std::span<const Value> constants, const SymbolTable& symbols)
      : text_(text), constants_(constants), symbols_(symbols) {}

  bool bind(std::span<Operation> operations);
  Type result() const;
  std::size_t stack_depth() const { return depth_; }

  Error error;

 private:
  bool step(Operation& operation);
  bool constant(const Operation& operation);
  bool constant_list(const List& list, Operand& operand);
  bool name(Operation& operation);
  bool call(Operation& operation);
  bool finish_call(Operation& operation, std::uint32_t index);
  bool builtin(const Operation& operation);
  bool number_builtin(Builtin id, std::span<const Operand> arguments, Operand& result);
  bool extreme(Builtin id, std::span<const Operand> arguments, Operand& result);
  bool text_search(Builtin id, std::span<const Operand> arguments, Operand& result);
  bool length(std::span<const Operand> arguments, Operand& result);
  bool total(std::span<const Operand> arguments, Operand& result);
  bool about(Operation& operation);
  bool list(const Operation& operation);
  bool unary(const Operation& operation);
  bool sum(const Operation& operation);
  bool product(const Operation& operation);
  bool comparison(const Operation& operation);
  bool membership();
  bool element(const Operation& operation);
  bool condition(const Operation& operation);
  bool logic(const Operation& operation);
  bool fallback();
  bool alternatives(std::string_view what);

  bool same_unit(Operand& into, const Operand& other, std::string_view verb);
  bool fits_choices(const Operand& enumerated, const Operand& literals, std::string_view name);
  bool comparable_texts(const Operand& left, const Operand& right);
  bool merge(Operand& into, const Operand& other, std::string_view what);
  bool fits_parameter(const Operand& argument, const Type& parameter, const Function& function);

  bool unknown_name(const Operation& operation);
  std::string quote_hint(std::string_view name) const;
  bool needs_number(const Operand& operand, std::string_view who);
  bool failed(std::string message, std::uint32_t begin, std::uint32_t end);
  bool failed(std::string message, const Operand& at) {
    return failed(std::move(message), at.begin, at.end);
  }

  void push(Operand operand);
  Operand pop();
  Operand& top() { return stack_.back(); }
  std::string_view spelled(std::uint32_t begin, std::uint32_t end) const {
    return text_.substr(begin, end - begin);
  }
  std::string_view name_of(const Operand& operand) const {
    return spelled(operand.begin, operand.end);
  }

  std::string_view text_;
  std::span<const Value> constants_;
  const SymbolTable& symbols_;
  std::vector<Operand> stack_;
  std::size_t depth_ = 0;
};

/// Operand of a declared type, and the type of an operand.
Operand operand_of(const Type& type);
Type type_of(const Operand& operand);
/// Its type in the words of a message.
std::string described(const Operand& operand);

}  // namespace gpulint::expr
