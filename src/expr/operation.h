#pragma once

// What an expression is after parsing: a flat post-order array for a stack machine. Lazy operators
// (and, or, ??, if) are a test that may jump forward and a join behind the part it may skip; jumps
// are relative, so a finished part can be moved as a block. Neither binding nor evaluation
// recurses.

#include "expr/value.h"

#include <cstdint>

namespace gpulint::expr {

enum class Opcode : std::uint8_t {
  constant,  // push constants[index]
  symbol,    // push the symbol `index`
  function,  // call the named function `index` with the top `count` values
  builtin,   // call Builtin(index) with the top `count` values
  about,     // push the answer to About(count) of the symbol `index`
  list,      // gather the top `count` values
  negate,
  logical_not,
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  modulo,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  in,
  in_constant,  // like `in` with constants[index] as its right side
  element,      // a[i]
  and_test,     // false on top: skip to behind the join
  and_join,
  or_test,  // true on top: skip to behind the join
  or_join,
  fallback_test,  // known on top: skip to behind the join; otherwise drop it
  fallback_join,
  branch,  // pops the condition; false: skip to the else part; unknown: skip both parts
  jump,    // end of the first part: skip to behind the join
  branch_join,
};

struct Operation {
  Opcode code = Opcode::constant;
  std::uint16_t count = 0;
  std::uint32_t index = 0;  // constant, symbol, function, builtin, or distance of a jump
  std::uint16_t begin = 0;  // bytes of the text: a literal, a name or an operator
  std::uint16_t end = 0;
  Unit unit = {};  // of a numeric constant
};

/// What may be asked of a fact rather than of its value.
enum class About : std::uint8_t { stated, taken, explained };

enum class Builtin : std::uint8_t {
  abs,
  ceil,
  contains,
  floor,
  known,
  len,
  max,
  min,
  round,
  round_up,
  starts_with,
  sum,
};

}  // namespace gpulint::expr
