#include "expr/arithmetic.h"

#include "base/units.h"

#include <cmath>
#include <limits>
#include <utility>

namespace gpulint::expr {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();

Value from_double(double value) { return std::isfinite(value) ? Value{value} : Value{}; }

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  if (b == -1) return a == kSmallest ? kLargest : -a;
  const std::int64_t quotient = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

std::int64_t floor_remainder(std::int64_t a, std::int64_t b) {
  if (b == -1) return 0;
  const std::int64_t remainder = a % b;
  return (remainder != 0 && (remainder < 0) != (b < 0)) ? remainder + b : remainder;
}

std::int64_t saturating_subtract(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(a, b, &difference)) return difference;
  return a < 0 ? kSmallest : kLargest;
}

Value float_arithmetic(Opcode code, double a, double b) {
  switch (code) {
    case Opcode::add:
      return from_double(a + b);
    case Opcode::subtract:
      return from_double(a - b);
    case Opcode::multiply:
      return from_double(a * b);
    case Opcode::divide:
      return b == 0 ? Value{} : from_double(a / b);
    case Opcode::floor_divide:
      return b == 0 ? Value{} : from_double(std::floor(a / b));
    case Opcode::modulo: {
      if (b == 0) return {};
      const double remainder = std::fmod(a, b);
      return from_double(remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder);
    }
    default:
      return {};
  }
}

Value equal_values(const Value& left, const Value& right);

Value equal_lists(const List& left, const List& right) {
  if (left.size() != right.size()) return false;
  bool undecided = false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const Value same = equal_values(left[i], right[i]);
    if (!same.known())
      undecided = true;
    else if (!same.is_true())
      return false;
  }
  return undecided ? Value{} : Value{true};
}

Value equal_values(const Value& left, const Value& right) {
  if (!left.known() || !right.known()) return {};
  if (is_number(left) && is_number(right)) {
    const std::partial_ordering order = compare_numbers(left, right);
    return order == std::partial_ordering::unordered ? Value{} : Value{order == 0};
  }
  const List* left_list = std::get_if<List>(&left.data);
  const List* right_list = std::get_if<List>(&right.data);
  if (left_list != nullptr && right_list != nullptr) return equal_lists(*left_list, *right_list);
  return left == right;
}

}  // namespace

Value finite(Value value) {
  const double* number = std::get_if<double>(&value.data);
  if (number != nullptr && !std::isfinite(*number)) return {};
  return value;
}

std::optional<std::int64_t> whole_arithmetic(Opcode code, std::int64_t a, std::int64_t b) {
  switch (code) {
    case Opcode::add:
      return saturating_add(a, b);
    case Opcode::subtract:
      return saturating_subtract(a, b);
    case Opcode::multiply:
      return saturating_multiply(a, b);
    case Opcode::floor_divide:
      return b == 0 ? std::nullopt : std::optional(floor_quotient(a, b));
    case Opcode::modulo:
      return b == 0 ? std::nullopt : std::optional(floor_remainder(a, b));
    default:
      return std::nullopt;
  }
}

Value arithmetic(Opcode code, const Value& left, const Value& right) {
  const std::int64_t* a = std::get_if<std::int64_t>(&left.data);
  const std::int64_t* b = std::get_if<std::int64_t>(&right.data);
  if (a != nullptr && b != nullptr && code != Opcode::divide) {
    const std::optional<std::int64_t> whole = whole_arithmetic(code, *a, *b);
    return whole ? Value{*whole} : Value{};
  }
  return float_arithmetic(code, left.number(), right.number());
}

Value negated(const Value& value) {
  if (const std::int64_t* whole = std::get_if<std::int64_t>(&value.data)) {
    return saturating_subtract(0, *whole);
  }
  return -value.number();
}

std::partial_ordering compare_numbers(const Value& left, const Value& right) {
  const std::int64_t* a = std::get_if<std::int64_t>(&left.data);
  const std::int64_t* b = std::get_if<std::int64_t>(&right.data);
  if (a != nullptr && b != nullptr) return *a <=> *b;
  // long double holds every int64 exactly (64-bit significand or more on the supported machines).
  const long double x = a != nullptr ? static_cast<long double>(*a) : left.number();
  const long double y = b != nullptr ? static_cast<long double>(*b) : right.number();
  return x <=> y;
}

Value compared(Opcode code, const Value& left, const Value& right) {
  if (code == Opcode::equal) return equal_values(left, right);
  if (code == Opcode::not_equal) {
    const Value same = equal_values(left, right);
    return same.known() ? Value{!same.is_true()} : Value{};
  }
  const std::partial_ordering order = compare_numbers(left, right);
  if (order == std::partial_ordering::unordered) return {};
  switch (code) {
    case Opcode::less:
      return order < 0;
    case Opcode::less_equal:
      return order <= 0;
    case Opcode::greater:
      return order > 0;
    case Opcode::greater_equal:
      return order >= 0;
    default:
      return {};
  }
}

Value contained(const Value& value, const List& list) {
  bool undecided = false;
  for (const Value& element : list) {
    const Value same = equal_values(value, element);
    if (same.is_true()) return true;
    undecided = undecided || !same.known();
  }
  return undecided ? Value{} : Value{false};
}

Value element_of(const Value& list, const Value& index) {
  const List* elements = std::get_if<List>(&list.data);
  const double position = index.number();
  if (elements == nullptr || position < 0 || position != std::floor(position) ||
      position >= static_cast<double>(elements->size())) {
    return {};
  }
  return finite((*elements)[static_cast<std::size_t>(position)]);
}

}  // namespace gpulint::expr
