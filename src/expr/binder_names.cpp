// Leaves and calls of the binder: literals, symbols, builtins and named functions.

#include "base/text.h"
#include "expr/arithmetic.h"
#include "expr/binder.h"
#include "expr/builtins.h"
#include "expr/quoted.h"

#include <algorithm>
#include <utility>

namespace gpulint::expr {
namespace {

Kind kind_of(const Value& value) {
  if (std::holds_alternative<bool>(value.data)) return Kind::boolean;
  if (std::holds_alternative<std::string>(value.data)) return Kind::string;
  return is_number(value) ? Kind::number : Kind::list;
}

std::string call_name(Builtin id) { return std::string{builtin_name(id).name} + "()"; }

}  // namespace

bool Binder::constant(const Operation& operation) {
  const Value& value = constants_[operation.index];
  Operand operand;
  operand.kind = kind_of(value);
  operand.unit = operation.unit;
  operand.begin = operation.begin;
  operand.end = operation.end;
  const std::int64_t* whole = std::get_if<std::int64_t>(&value.data);
  operand.zero = whole != nullptr && *whole == 0 && operation.unit == kNoUnit;
  if (const std::string* text = std::get_if<std::string>(&value.data)) {
    operand.literals.push_back(*text);
  }
  const List* list = std::get_if<List>(&value.data);
  if (list != nullptr && !constant_list(*list, operand)) return false;
  push(std::move(operand));
  return true;
}

/// The parser folds only lists of one kind and unit.
bool Binder::constant_list(const List& list, Operand& operand) {
  operand.element = kind_of(list.front());
  if (operand.element == Kind::list) return failed("lists do not nest", operand);
  for (const Value& value : list) {
    if (const std::string* text = std::get_if<std::string>(&value.data)) {
      operand.literals.push_back(*text);
    }
  }
  return true;
}

bool Binder::list(const Operation& operation) {
  Operand made;
  made.kind = Kind::list;
  made.empty_list = operation.count == 0;
  made.begin = operation.begin;
  made.end = operation.end;
  const std::size_t first = stack_.size() - operation.count;
  if (operation.count > 0) {
    Operand merged = stack_[first];
    for (std::size_t i = first; i < stack_.size(); ++i) {
      if (stack_[i].kind == Kind::list) return failed("lists do not nest", stack_[i]);
      if (i > first && !merge(merged, stack_[i], "elements of a list")) return false;
    }
    made.element = merged.kind;
    made.unit = merged.unit;
    made.choices = merged.choices;
    made.literals = std::move(merged.literals);
  }
  stack_.resize(first);
  push(std::move(made));
  return true;
}

/// A bare name is a symbol or a function without parameters.
bool Binder::name(Operation& operation) {
  const std::string_view name = spelled(operation.begin, operation.end);
  const std::optional<std::uint32_t> symbol = symbols_.find_symbol(name);
  if (!symbol) {
    const std::optional<std::uint32_t> function = symbols_.find_function(name);
    if (!function) return unknown_name(operation);
    operation.count = 0;
    return finish_call(operation, *function);
  }
  operation.code = Opcode::symbol;
  operation.index = *symbol;
  Operand operand = operand_of(symbols_.symbols()[*symbol].type);
  operand.begin = operation.begin;
  operand.end = operation.end;
  push(std::move(operand));
  return true;
}

bool Binder::call(Operation& operation) {
  const std::string_view name = spelled(operation.begin, operation.end);
  if (const std::optional<std::uint32_t> function = symbols_.find_function(name)) {
    return finish_call(operation, *function);
  }
  // Bound before to another table, in which the bare name was a function.
  if (operation.count == 0 && text_.substr(operation.end, 1) != "(") return this->name(operation);
  if (!symbols_.find_symbol(name)) return unknown_name(operation);
  return failed(quoted(name) + " is a value, not a function; write it without ()", operation.begin,
                operation.end);
}

bool Binder::finish_call(Operation& operation, std::uint32_t index) {
  const Function& function = symbols_.functions()[index];
  const std::size_t wanted = function.parameters.size();
  if (operation.count != wanted) {
    return failed(function.name + "() takes " +
                      counted(static_cast<std::int64_t>(wanted), "argument") + ", found " +
                      std::to_string(operation.count),
                  operation.begin, operation.end);
  }
  operation.code = Opcode::function;
  operation.index = index;
  const std::size_t first = stack_.size() - wanted;
  std::uint32_t end = operation.end;
  for (std::size_t i = 0; i < wanted; ++i) {
    if (!fits_parameter(stack_[first + i], function.parameters[i], function)) return false;
    end = stack_[first + i].end;
  }
  stack_.resize(first);
  Operand result = operand_of(function.result);
  result.begin = operation.begin;
  result.end = end;
  push(std::move(result));
  return true;
}

bool Binder::fits_parameter(const Operand& argument, const Type& parameter,
                            const Function& function) {
  const Operand expected = operand_of(parameter);
  const bool lists = argument.kind == Kind::list && parameter.kind == Kind::list;
  const bool same_element = !lists || argument.empty_list || argument.element == expected.element;
  const bool numbers = argument.kind == Kind::number || (lists && argument.element == Kind::number);
  const bool same_unit = !numbers || argument.zero || argument.unit == expected.unit;
  if (argument.kind == expected.kind && same_element && same_unit) {
    return expected.choices == nullptr || fits_choices(expected, argument, function.name + "()");
  }
  return failed(
      function.name + "() needs " + to_string(parameter) + " here, found " + described(argument),
      argument);
}

bool Binder::about(Operation& operation) {
  const std::optional<std::uint32_t> symbol =
      symbols_.find_symbol(spelled(operation.begin, operation.end));
  if (!symbol) return unknown_name(operation);
  operation.index = *symbol;
  Operand answer;
  answer.begin = operation.begin;
  answer.end = operation.end;
  push(answer);
  return true;
}

bool Binder::builtin(const Operation& operation) {
  const Builtin id = static_cast<Builtin>(operation.index);
  const std::size_t first = stack_.size() - operation.count;
  const std::span<const Operand> arguments = std::span{stack_}.subspan(first);
  Operand result;
  bool good = true;
  switch (id) {
    case Builtin::known:
      break;
    case Builtin::abs:
    case Builtin::ceil:
    case Builtin::floor:
    case Builtin::round:
    case Builtin::round_up:
      good = number_builtin(id, arguments, result);
      break;
    case Builtin::max:
    case Builtin::min:
      good = extreme(id, arguments, result);
      break;
    case Builtin::contains:
    case Builtin::starts_with:
      good = text_search(id, arguments, result);
      break;
    case Builtin::len:
      good = length(arguments, result);
      break;
    case Builtin::sum:
      good = total(arguments, result);
      break;
  }
  if (!good) return false;
  result.begin = operation.begin;
  result.end = std::max<std::uint32_t>(operation.end, arguments.back().end);
  stack_.resize(first);
  push(std::move(result));
  return true;
}

bool Binder::number_builtin(Builtin id, std::span<const Operand> arguments, Operand& result) {
  for (const Operand& argument : arguments) {
    if (!needs_number(argument, call_name(id))) return false;
  }
  result = arguments.front();
  return id != Builtin::round_up || same_unit(result, arguments.back(), "round up");
}

/// min and max of several numbers or of one list of numbers.
bool Binder::extreme(Builtin id, std::span<const Operand> arguments, Operand& result) {
  if (arguments.size() == 1 && arguments.front().kind == Kind::list) {
    return total(arguments, result);
  }
  result = arguments.front();
  for (const Operand& argument : arguments) {
    if (!needs_number(argument, call_name(id))) return false;
    if (!same_unit(result, argument, "compare")) return false;
  }
  return true;
}

bool Binder::text_search(Builtin id, std::span<const Operand> arguments, Operand& result) {
  for (const Operand& argument : arguments) {
    if (argument.kind == Kind::string) continue;
    const std::string_view hint = argument.kind == Kind::list ? "; \"in\" searches a list" : "";
    return failed(call_name(id) + " needs text, found " + described(argument) + std::string{hint},
                  argument);
  }
  result.kind = Kind::boolean;
  return true;
}

bool Binder::length(std::span<const Operand> arguments, Operand& result) {
  const Operand& argument = arguments.front();
  result.kind = Kind::number;
  return argument.kind == Kind::list || argument.kind == Kind::string ||
         failed("len() needs a list or text, found " + described(argument), argument);
}

bool Binder::total(std::span<const Operand> arguments, Operand& result) {
  const Operand& argument = arguments.front();
  result.kind = Kind::number;
  result.unit = argument.unit;
  const bool numbers =
      argument.kind == Kind::list && (argument.empty_list || argument.element == Kind::number);
  return numbers ||
         failed("a list of numbers is needed here, found " + described(argument), argument);
}

bool Binder::unknown_name(const Operation& operation) {
  const std::string_view name = spelled(operation.begin, operation.end);
  std::vector<std::string_view> names;
  for (const Symbol& symbol : symbols_.symbols()) names.push_back(symbol.name);
  for (const Function& function : symbols_.functions()) names.push_back(function.name);
  append_builtin_names(names);
  std::string hint = quote_hint(name);
  if (hint.empty()) hint = did_you_mean(name, names);
  return failed("unknown name " + quoted(name) + hint, operation.begin, operation.end);
}

/// For a text written without quotes, where some symbol has it among its values.
std::string Binder::quote_hint(std::string_view name) const {
  for (const Symbol& symbol : symbols_.symbols()) {
    for (const std::string& choice : symbol.type.choices) {
      if (choice == name) return "; text is written in quotes: '" + choice + "'";
    }
  }
  return {};
}

}  // namespace gpulint::expr
