#include "expr/binder.h"

#include "base/text.h"
#include "expr/quoted.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace gpulint::expr {
namespace {

Operand boolean(std::uint32_t begin, std::uint32_t end) {
  Operand operand;
  operand.begin = begin;
  operand.end = end;
  return operand;
}

std::string_view verb_of(Opcode code) {
  switch (code) {
    case Opcode::add:
      return "add";
    case Opcode::subtract:
      return "subtract";
    case Opcode::modulo:
      return "take the remainder of";
    default:
      return "compare";
  }
}

/// Exponent of a product or quotient; false when no int8 holds it.
bool combine(std::int8_t& into, std::int8_t other, bool divide) {
  const int exponent = divide ? into - other : into + other;
  if (exponent < std::numeric_limits<std::int8_t>::min() ||
      exponent > std::numeric_limits<std::int8_t>::max()) {
    return false;
  }
  into = static_cast<std::int8_t>(exponent);
  return true;
}

bool combine(Unit& into, Unit other, bool divide) {
  return combine(into.bytes, other.bytes, divide) && combine(into.seconds, other.seconds, divide) &&
         combine(into.operations, other.operations, divide) &&
         combine(into.dollars, other.dollars, divide);
}

}  // namespace

bool Binder::bind(std::span<Operation> operations) {
  stack_.reserve(8);
  for (Operation& operation : operations) {
    if (!step(operation)) return false;
  }
  return true;
}

Type Binder::result() const { return type_of(stack_.back()); }

bool Binder::step(Operation& operation) {
  switch (operation.code) {
    case Opcode::constant:
      return constant(operation);
    case Opcode::symbol:
      return name(operation);
    case Opcode::function:
      return call(operation);
    case Opcode::builtin:
      return builtin(operation);
    case Opcode::about:
      return about(operation);
    case Opcode::list:
      return list(operation);
    case Opcode::negate:
    case Opcode::logical_not:
      return unary(operation);
    case Opcode::add:
    case Opcode::subtract:
    case Opcode::modulo:
      return sum(operation);
    case Opcode::multiply:
    case Opcode::divide:
    case Opcode::floor_divide:
      return product(operation);
    case Opcode::equal:
    case Opcode::not_equal:
    case Opcode::less:
    case Opcode::less_equal:
    case Opcode::greater:
    case Opcode::greater_equal:
      return comparison(operation);
    case Opcode::in:
      return membership();
    case Opcode::in_constant:
      return constant(operation) && membership();
    case Opcode::element:
      return element(operation);
    case Opcode::and_test:
    case Opcode::or_test:
    case Opcode::branch:
      return condition(operation);
    case Opcode::and_join:
    case Opcode::or_join:
      return logic(operation);
    case Opcode::fallback_test:
    case Opcode::jump:
      return true;
    case Opcode::fallback_join:
      return fallback();
    case Opcode::branch_join:
      return alternatives("both values of \"if\"");
  }
  return false;
}

bool Binder::unary(const Operation& operation) {
  if (operation.code == Opcode::negate) {
    top().zero = false;
    top().begin = operation.begin;
    return needs_number(top(), "\"-\"");
  }
  if (top().kind != Kind::boolean) {
    return failed("\"not\" needs true or false, found " + described(top()), top());
  }
  top().begin = std::min<std::uint32_t>(operation.begin, top().begin);
  return true;
}

bool Binder::sum(const Operation& operation) {
  const Operand right = pop();
  const std::string_view sign = operation.code == Opcode::add        ? "\"+\""
                                : operation.code == Opcode::subtract ? "\"-\""
                                                                     : "\"%\"";
  if (!needs_number(top(), sign) || !needs_number(right, sign)) return false;
  return same_unit(top(), right, verb_of(operation.code));
}

bool Binder::product(const Operation& operation) {
  const Operand right = pop();
  const bool divide = operation.code != Opcode::multiply;
  const std::string_view sign = operation.code == Opcode::multiply ? "\"*\""
                                : operation.code == Opcode::divide ? "\"/\""
                                                                   : "\"//\"";
  if (!needs_number(top(), sign) || !needs_number(right, sign)) return false;
  top().zero = false;
  top().end = right.end;
  if (!combine(top().unit, right.unit, divide)) {
    return failed("the exponent of this unit is out of range", top());
  }
  return true;
}

bool Binder::comparison(const Operation& operation) {
  const Operand right = pop();
  Operand left = pop();
  const bool equality = operation.code == Opcode::equal || operation.code == Opcode::not_equal;
  push(boolean(left.begin, right.end));
  if (left.kind == Kind::number && right.kind == Kind::number) {
    return same_unit(left, right, "compare");
  }
  if (!equality) {
    const std::string who = quoted(spelled(operation.begin, operation.end));
    return needs_number(left, who) && needs_number(right, who);
  }
  if (left.kind == Kind::string && right.kind == Kind::string) {
    return comparable_texts(left, right);
  }
  const bool lists = left.kind == Kind::list && right.kind == Kind::list;
  if (lists) return merge(left, right, "both compared lists");
  if (left.kind == right.kind) return true;
  return failed("cannot compare " + described(left) + " with " + described(right), top());
}

bool Binder::membership() {
  const Operand right = pop();
  Operand left = pop();
  push(boolean(left.begin, right.end));
  if (right.kind != Kind::list) {
    const std::string_view hint =
        right.kind == Kind::string ? "; contains(text, part) searches text" : "";
    return failed(
        "\"in\" needs a list on its right side, found " + described(right) + std::string{hint},
        right);
  }
  if (right.empty_list) return true;
  if (left.kind != right.element) {
    return failed("cannot search " + described(right) + " for " + described(left), top());
  }
  if (left.kind == Kind::number) return same_unit(left, right, "compare");
  return left.kind != Kind::string || comparable_texts(left, right);
}

bool Binder::element(const Operation& operation) {
  const Operand index = pop();
  if (top().kind != Kind::list) {
    return failed("only a list has elements, found " + described(top()), top());
  }
  if (top().empty_list) return failed("an empty list has no elements", top());
  if (index.kind != Kind::number || index.unit != kNoUnit) {
    return failed("an index is a plain number, found " + described(index), index);
  }
  top().kind = top().element;
  top().end = std::max<std::uint32_t>(index.end, operation.end);
  return true;
}

/// Left side of and/or (stays on the stack for its join) or the condition of if (is dropped).
bool Binder::condition(const Operation& operation) {
  if (top().kind != Kind::boolean) {
    const std::string who = quoted(spelled(operation.begin, operation.end));
    return failed(who + " needs true or false, found " + described(top()), top());
  }
  if (operation.code == Opcode::branch) pop();
  return true;
}

bool Binder::logic(const Operation& operation) {
  const Operand right = pop();
  if (right.kind != Kind::boolean) {
    const std::string who = quoted(spelled(operation.begin, operation.end));
    return failed(who + " needs true or false, found " + described(right), right);
  }
  top().end = right.end;
  return true;
}

/// `a < b ?? true` groups as `a < (b ?? true)`: the message says how the other is written.
bool Binder::fallback() {
  const bool misgrouped =
      stack_.back().kind == Kind::boolean && stack_[stack_.size() - 2].kind != Kind::boolean;
  if (alternatives("both sides of \"??\"")) return true;
  if (misgrouped) error.message += "; a comparison with a fallback is written (a < b) ?? true";
  return false;
}

bool Binder::alternatives(std::string_view what) {
  const Operand second = pop();
  const std::uint32_t begin = std::min(top().begin, second.begin);
  const std::uint32_t end = std::max(top().end, second.end);
  if (!merge(top(), second, what)) return false;
  top().begin = begin;
  top().end = end;
  return true;
}

/// Units of sums and comparisons; the literal 0 takes the other side's.
bool Binder::same_unit(Operand& into, const Operand& other, std::string_view verb) {
  const bool fits = into.unit == other.unit || into.zero || other.zero;
  if (!fits) {
    const bool plain = into.unit == kNoUnit || other.unit == kNoUnit;
    const bool bytes = into.unit == kBytes || other.unit == kBytes;
    const std::string hint = !plain  ? ""
                             : bytes ? "; give the number a unit, as in 4 GiB"
                                     : "; give the number a unit";
    return failed(
        "cannot " + std::string{verb} + " " + described(into) + " and " + described(other) + hint,
        std::min(into.begin, other.begin), std::max(into.end, other.end));
  }
  if (into.zero) into.unit = other.unit;
  into.zero = into.zero && other.zero;
  into.end = std::max(into.end, other.end);
  return true;
}

/// Each text the other side can be must be one that the enumerated side, `name`, can be.
bool Binder::fits_choices(const Operand& enumerated, const Operand& literals,
                          std::string_view name) {
  for (const std::string_view literal : literals.literals) {
    if (std::find(enumerated.choices->begin(), enumerated.choices->end(), literal) !=
        enumerated.choices->end()) {
      continue;
    }
    const std::vector<std::string_view> legal(enumerated.choices->begin(),
                                              enumerated.choices->end());
    return failed(quoted(literal) + " is not a value of " + escape_for_display(name) + ", which is " +
                      to_string(Type{Kind::string, {}, {}, *enumerated.choices}) +
                      did_you_mean(literal, legal),
                  literals);
  }
  return true;
}

bool Binder::comparable_texts(const Operand& left, const Operand& right) {
  if (left.choices != nullptr && right.choices != nullptr) {
    const bool overlap =
        std::any_of(left.choices->begin(), left.choices->end(), [&](const std::string& choice) {
          return std::find(right.choices->begin(), right.choices->end(), choice) !=
                 right.choices->end();
        });
    return overlap || failed("these two have no value in common", left.begin, right.end);
  }
  if (left.choices != nullptr) return fits_choices(left, right, name_of(left));
  return right.choices == nullptr || fits_choices(right, left, name_of(right));
}

/// Makes `into` the one type of two values of which either may come out.
bool Binder::merge(Operand& into, const Operand& other, std::string_view what) {
  const bool lists = into.kind == Kind::list && other.kind == Kind::list;
  if (lists && other.empty_list) return true;
  if (lists && into.empty_list) {
    into = other;
    return true;
  }
  const bool numbers = into.kind == Kind::number || (lists && into.element == Kind::number);
  const bool zero = into.zero || other.zero;
  if (into.kind != other.kind || (lists && into.element != other.element) ||
      (numbers && !zero && into.unit != other.unit)) {
    return failed(std::string{what} + " must have one type, found " + described(into) + " and " +
                      described(other),
                  std::min(into.begin, other.begin), std::max(into.end, other.end));
  }
  if (numbers && into.zero) into.unit = other.unit;
  into.zero = into.zero && other.zero;
  if (into.choices != nullptr && other.choices == nullptr) {
    if (!fits_choices(into, other, name_of(into))) return false;
    if (other.literals.empty()) into.choices = nullptr;
    return true;
  }
  if (into.choices == nullptr && other.choices != nullptr) {
    if (!fits_choices(other, into, name_of(other))) return false;
    into.choices = into.literals.empty() ? nullptr : other.choices;
    into.literals.clear();
    return true;
  }
  if (into.choices != nullptr && *into.choices != *other.choices) into.choices = nullptr;
  const bool both = !into.literals.empty() && !other.literals.empty();
  if (!both) into.literals.clear();
  if (both) into.literals.insert(into.literals.end(), other.literals.begin(), other.literals.end());
  return true;
}

bool Binder::needs_number(const Operand& operand, std::string_view who) {
  return operand.kind == Kind::number ||
         failed(std::string{who} + " needs a number, found " + described(operand), operand);
}

bool Binder::failed(std::string message, std::uint32_t begin, std::uint32_t end) {
  error = Error{std::move(message)};
  error.where = {kNoFile, begin, end};
  return false;
}

void Binder::push(Operand operand) {
  stack_.push_back(std::move(operand));
  depth_ = std::max(depth_, stack_.size());
}

Operand Binder::pop() {
  Operand operand = std::move(stack_.back());
  stack_.pop_back();
  return operand;
}

std::string described(const Operand& operand) {
  Operand plain = operand;
  plain.literals.clear();  // of a literal only its being text matters
  return plain.empty_list ? "an empty list" : to_string(type_of(plain));
}

Operand operand_of(const Type& type) {
  Operand operand;
  operand.kind = type.kind;
  operand.element = type.element;
  operand.unit = type.unit;
  operand.choices = type.choices.empty() ? nullptr : &type.choices;
  return operand;
}

Type type_of(const Operand& operand) {
  Type type{operand.kind, operand.unit, operand.element, {}};
  if (operand.choices != nullptr) {
    type.choices = *operand.choices;
  } else {
    type.choices.assign(operand.literals.begin(), operand.literals.end());
    std::sort(type.choices.begin(), type.choices.end());
    type.choices.erase(std::unique(type.choices.begin(), type.choices.end()), type.choices.end());
  }
  return type;
}

}  // namespace gpulint::expr
