// What Python's own types make of a value: `str(0.1)`, `int("8")`.

#include "base/text.h"
#include "python/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

namespace gpulint::python {
namespace {

/// A number as int() and float() read one; unknown for other texts.
Value read_number(std::string_view text, bool whole) {
  std::string digits;
  for (const char c : trim(text)) {
    if (c != '_') digits += c;
  }
  Value made;
  const char* end = digits.data() + digits.size();
  const char* begin = digits.data() + (digits.starts_with('+') ? 1 : 0);
  const auto [stop, error] =
      whole ? std::from_chars(begin, end, made.integer) : std::from_chars(begin, end, made.real);
  if (error == std::errc{} && stop == end && begin != end && std::isfinite(made.real)) {
    made.kind = whole ? Kind::integer : Kind::real;
  }
  return made;
}

/// A word: neither digits in any script, nor "inf" or "nan", nor what a shell fills in.
bool is_no_number(std::string_view text) {
  const std::string word = to_lower(trim(text));
  constexpr std::array<std::string_view, 3> kReal = {"inf", "infinity", "nan"};
  return !word.empty() && word.front() >= 'a' && word.front() <= 'z' &&
         std::find(kReal.begin(), kReal.end(), word) == kReal.end();
}

}  // namespace

/// What `str(value)` writes; nullopt: nobody knows. None is what an option has that is to be given.
std::optional<std::string> Interpreter::shown(const Value& value) const {
  if (has_lanes(value)) return std::nullopt;
  switch (value.kind) {
    case Kind::text:
      return value.integer == kOpened ? std::nullopt : std::optional(std::string(text(value.ref)));
    case Kind::boolean:
      return value.integer != 0 ? "True" : "False";
    case Kind::integer:
      return std::to_string(value.integer);
    case Kind::real: {
      if (!std::isfinite(value.real)) return std::nullopt;
      std::string written = fmt::format("{}", value.real);
      const bool is_whole = written.find_first_not_of("-0123456789") == std::string::npos;
      return is_whole ? written + ".0" : written;  // as Python writes it
    }
    default:
      return std::nullopt;
  }
}

/// int, float, bool, str: the value keeps who stated it.
std::optional<Value> Interpreter::conversion(std::string_view name, const Value& value) {
  Value made = value;
  if (has_lanes(value) && (name == "int" || name == "float")) {
    Value plain = value;
    plain.ref = 0;
    const auto convert = [&](const Value& each) {
      return conversion(name, each).value_or(Value{});
    };
    return each_lane(convert(plain), {value},
                     [&](std::span<const Value> each) { return convert(each[0]); });
  }
  if (name == "bool") {
    const auto decided = truth(value);
    if (!decided) return Value{};
    made.kind = Kind::boolean;
    made.integer = *decided ? 1 : 0;
    return made;
  }
  if (name == "str") {
    if (value.kind == Kind::text) return value;
    const std::optional<std::string> written = shown(value);
    if (!written) return Value{};
    made.kind = Kind::text;
    made.integer = 0;
    made.ref = intern(*written);
    return made;
  }
  const bool whole = name == "int";
  if (value.kind == Kind::text) {
    const Value number = read_number(text(value.ref), whole);
    if (!number.known()) {
      const bool is_fraction = whole && read_number(text(value.ref), false).known();
      converted_no_number_ = converted_no_number_ || is_fraction || is_no_number(text(value.ref));
      return Value{};
    }
    made.kind = number.kind;
    made.ref = 0;
    made.integer = number.integer;
    made.real = number.real;
    return made;
  }
  if (value.kind == Kind::devices || value.kind == Kind::share) return value;
  if (value.kind == Kind::scaled)
    return whole && value.real != std::floor(value.real) ? Value{} : value;
  if (!value.known() && value.real != 0) return value;  // a share of another number
  if (!value.is_number()) return Value{};
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (whole && value.kind == Kind::real) {
    if (std::abs(value.real) > kExact) return Value{};
    made.integer = static_cast<std::int64_t>(value.real);
    made.computed = made.computed || static_cast<double>(made.integer) != value.real;
  }
  if (!whole && value.kind != Kind::real) made.real = static_cast<double>(value.integer);
  made.kind = whole ? Kind::integer : Kind::real;
  return made;
}

}  // namespace gpulint::python
