#pragma once

#include "expr/operation.h"
#include "expr/value.h"

#include <compare>
#include <cstdint>
#include <optional>

namespace gpulint::expr {

/// `value`, or unknown where it holds NaN or an infinity: neither ever leaves an operation.
Value finite(Value value);

inline bool is_number(const Value& value) {
  return std::holds_alternative<std::int64_t>(value.data) ||
         std::holds_alternative<double>(value.data);
}

/// add … modulo over two known numbers. Integers saturate; division by zero and results no double
/// holds are unknown. "/" is always a float, "//" and "%" round toward minus infinity.
Value arithmetic(Opcode code, const Value& left, const Value& right);
/// Of these, those over two integers that give one.
std::optional<std::int64_t> whole_arithmetic(Opcode code, std::int64_t a, std::int64_t b);
Value negated(const Value& value);

/// Exact also between int64 and double.
std::partial_ordering compare_numbers(const Value& left, const Value& right);

/// equal … greater_equal over two values; unknown where a list holds an unknown element that
/// decides.
Value compared(Opcode code, const Value& left, const Value& right);

/// Is `value` an element of `list`: unknown when only an unknown element could be it.
Value contained(const Value& value, const List& list);

/// list[index]; unknown outside the list.
Value element_of(const Value& list, const Value& index);

}  // namespace gpulint::expr
