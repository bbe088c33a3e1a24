// Literals of the parser: numbers with their units, text, lists of constants.

#include "base/text.h"
#include "base/units.h"
#include "expr/arithmetic.h"
#include "expr/parser.h"
#include "expr/quoted.h"
#include "expr/unit_names.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace gpulint::expr {
namespace {

/// int64 where the digits are whole and fit, otherwise a finite double; unknown when too large.
Value number_value(std::string_view digits) {
  std::string plain{digits};
  std::erase(plain, '_');
  const char* end = plain.data() + plain.size();
  std::int64_t whole = 0;
  double number = 0;
  const bool is_whole = plain.find_first_of(".eE") == std::string::npos;
  const std::from_chars_result read = is_whole ? std::from_chars(plain.data(), end, whole)
                                               : std::from_chars(plain.data(), end, number);
  if (read.ec != std::errc{} || read.ptr != end) return {};
  return is_whole ? Value{whole} : finite(number);
}

Value scaled(const Value& value, const UnitName& unit) {
  const std::int64_t* whole = std::get_if<std::int64_t>(&value.data);
  if (whole != nullptr && unit.whole_factor != 0) {
    return saturating_multiply(*whole, unit.whole_factor);
  }
  return finite(value.number() * unit.factor);
}

std::string unknown_unit(std::string_view name) {
  std::vector<std::string_view> names;
  for (const UnitName& unit : unit_names()) names.push_back(unit.name);
  return "unknown unit " + quoted(name) + did_you_mean(name, names);
}

}  // namespace

bool Parser::number() {
  const Token at = token_;
  Value value = number_value(spelled(at));
  if (!value.known()) return failed("this number is too large", at);
  advance();
  if (token_.kind == TokenKind::name) return unit_suffix(at, std::move(value));
  push_constant(std::move(value), at);
  return true;
}

/// "GiB", or "GB/s": the "/" of a rate stands directly between two unit names.
bool Parser::unit_suffix(Token number, Value value) {
  const Token name = token_;
  const UnitName* unit = find_unit(spelled(name));
  if (unit == nullptr) return failed(unknown_unit(spelled(name)), name);
  value = scaled(value, *unit);
  Unit result = unit->unit;
  const UnitName* per = find_unit(lexer_.rate_suffix());
  if (per != nullptr && per->unit == kSeconds && result.seconds == 0) {
    lexer_.skip_rate_suffix();
    value = per->whole_factor == 1 ? value : finite(value.number() / per->factor);
    result.seconds = -1;
  }
  advance();
  if (!value.known()) return failed("this number is too large", number);
  push_constant(std::move(value), {number.kind, number.begin, name.end}, result);
  return true;
}

bool Parser::text() {
  const Token at = token_;
  const std::string_view quoted = spelled(at).substr(1, at.end - at.begin - 2);
  std::string value;
  value.reserve(quoted.size());
  for (std::size_t i = 0; i < quoted.size(); ++i) {
    if (quoted[i] == '\\') ++i;  // the lexer has checked what follows
    value += quoted[i];
  }
  push_constant(std::move(value), at);
  advance();
  return true;
}

/// Turns [constants] of one kind and unit into one constant; anything else is left to the binder.
void Parser::fold_list(std::size_t first) {
  const Operation made = operations.back();
  if (made.count == 0 || operations.size() != first + made.count + 1) return;
  const Operation& head = operations[first];
  if (head.code != Opcode::constant) return;
  const Value& model = constants[head.index];
  for (std::size_t i = first; i + 1 < operations.size(); ++i) {
    const Operation& part = operations[i];
    if (part.code != Opcode::constant || part.unit != head.unit) return;
    const Value& value = constants[part.index];
    if (value.data.index() != model.data.index() && !(is_number(value) && is_number(model))) return;
  }
  const auto begin = constants.begin() + static_cast<std::ptrdiff_t>(head.index);
  List list{std::make_move_iterator(begin), std::make_move_iterator(constants.end())};
  constants.erase(begin, constants.end());
  const Unit unit = head.unit;
  operations.resize(first);
  push_constant(std::move(list), {TokenKind::left_bracket, made.begin, made.end}, unit);
}

}  // namespace gpulint::expr
