#pragma once

// Values, types and units of the expression language of rules and dialects. Quantities are held in
// base units (bytes, seconds, operations, US dollars); units are checked once, when an expression
// is bound to a symbol table, so a value at run time carries none.

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gpulint::expr {

/// Exponents of the base units; all zero for plain numbers and counts (samples, steps, workers,
/// tokens).
struct Unit {
  std::int8_t bytes = 0;
  std::int8_t seconds = 0;
  std::int8_t operations = 0;
  std::int8_t dollars = 0;
  friend constexpr bool operator==(Unit, Unit) = default;
};
inline constexpr Unit kNoUnit{};
inline constexpr Unit kBytes{1, 0, 0, 0};
inline constexpr Unit kSeconds{0, 1, 0, 0};
inline constexpr Unit kBytesPerSecond{1, -1, 0, 0};
inline constexpr Unit kOperationsPerSecond{0, -1, 1, 0};
inline constexpr Unit kPerSecond{0, -1, 0, 0};
inline constexpr Unit kDollars{0, 0, 0, 1};
inline constexpr Unit kDollarsPerSecond{0, -1, 0, 1};

enum class Kind : std::uint8_t { boolean, number, string, list };

struct Type {
  Kind kind = Kind::boolean;
  Unit unit = kNoUnit;                    // numbers
  Kind element = Kind::string;            // lists
  std::vector<std::string> choices = {};  // strings: the only legal values; empty = any
  friend bool operator==(const Type&, const Type&) = default;
};

struct Unknown {
  bool is_written = false;  // somebody states it, in a way that nobody can read
  friend constexpr bool operator==(Unknown, Unknown) = default;
};
struct Value;
using List = std::vector<Value>;
struct Value {
  std::variant<Unknown, bool, std::int64_t, double, std::string, List> data;

  Value() = default;
  Value(bool v) : data(v) {}                      // NOLINT
  Value(std::int64_t v) : data(v) {}              // NOLINT
  Value(double v) : data(v) {}                    // NOLINT
  Value(std::string v) : data(std::move(v)) {}    // NOLINT
  Value(const char* v) : data(std::string(v)) {}  // NOLINT
  Value(List v) : data(std::move(v)) {}           // NOLINT
  /// Of what somebody states and nobody can read: no fallback stands in for it.
  static Value unreadable() {
    Value value;
    value.data = Unknown{true};
    return value;
  }
  bool known() const { return data.index() != 0; }
  bool is_unreadable() const {
    const Unknown* unknown = std::get_if<Unknown>(&data);
    return unknown != nullptr && unknown->is_written;
  }
  bool is_true() const { return std::holds_alternative<bool>(data) && std::get<bool>(data); }
  /// Number as double (int or float); 0 when it is none.
  double number() const;
  friend bool operator==(const Value&, const Value&) = default;
};

std::string to_string(Unit unit);
std::string to_string(const Type& type);

/// Prints a value as `format`, what stands after ':' in a message template, asks: GiB, MiB, GB, MB,
/// bytes (auto binary), auto_gb (auto decimal), x ("2.5x"), % (of a fraction), d (integer with
/// thousands separators), g (shortest), .1f …, h ("3.2 h"), $ (dollars), list (comma separated),
/// "count rank" ("1 rank", "24 ranks"); empty chooses by unit. Unknown prints "unknown".
std::string format(const Value& value, Unit unit, std::string_view format);

}  // namespace gpulint::expr
