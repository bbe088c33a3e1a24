#pragma once

#include "expr/value.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace gpulint::expr {

/// A unit as it is written behind a number.
struct UnitName {
  std::string_view name;
  double factor;              // to base units
  std::int64_t whole_factor;  // the same where it is an integer, else 0
  Unit unit;
};

/// bytes, time, operations (FLOP) and dollars; never plain numbers.
std::span<const UnitName> unit_names();
const UnitName* find_unit(std::string_view name);

}  // namespace gpulint::expr
