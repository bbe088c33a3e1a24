#include "source/scalar_patterns.h"

#include "source/scalar.h"

#include <algorithm>
#include <array>

namespace gpulint {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_digit_or_underscore(char c) { return is_digit(c) || c == '_'; }
constexpr bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

template <std::size_t N>
bool one_of(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

/// Consumes a pattern piece by piece; each function says whether its piece stood there.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }
  char peek() const { return rest_.empty() ? '\0' : rest_.front(); }
  bool literal(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  bool sign() { return literal("+") || literal("-"); }
  template <class Predicate>
  bool some(Predicate matches) {
    const std::size_t size = rest_.size();
    while (!rest_.empty() && matches(rest_.front())) rest_.remove_prefix(1);
    return rest_.size() < size;
  }
  bool digits() { return some(is_digit); }
  /// [0-9][0-9_]*
  bool grouped_digits() { return is_digit(peek()) && some(is_digit_or_underscore); }
  /// [0-9]+(?:_[0-9]+)*
  bool separated_digits() {
    if (!digits()) return false;
    while (rest_.size() > 1 && rest_[0] == '_' && is_digit(rest_[1])) {
      rest_.remove_prefix(1);
      digits();
    }
    return true;
  }
  enum class ExponentSign { required, optional };
  /// [eE][-+][0-9]+, the sign optional where the schema says so.
  bool exponent(ExponentSign rule) {
    if (!literal("e") && !literal("E")) return false;
    if (!sign() && rule == ExponentSign::required) return false;
    return digits();
  }
  /// (?::[0-5]?[0-9])+
  bool sexagesimal_parts() {
    bool any = false;
    while (literal(":")) {
      if (!is_digit(peek())) return false;
      const bool two = rest_.size() > 1 && is_digit(rest_[1]);
      if (two && rest_[0] > '5') return false;
      rest_.remove_prefix(two ? 2 : 1);
      any = true;
    }
    return any;
  }

 private:
  std::string_view rest_;
};

using ExponentSign = Cursor::ExponentSign;

/// Nothing more, or an exponent and nothing more.
bool ends_with_optional_exponent(Cursor cursor, ExponentSign rule) {
  return cursor.done() || (cursor.exponent(rule) && cursor.done());
}

bool is_infinity_or_nan(std::string_view text, std::string_view signs) {
  constexpr std::array<std::string_view, 3> kInfinity{".inf", ".Inf", ".INF"};
  constexpr std::array<std::string_view, 3> kNan{".nan", ".NaN", ".NAN"};
  if (one_of(text, kNan)) return true;
  if (!text.empty() && signs.find(text.front()) != std::string_view::npos) text.remove_prefix(1);
  return one_of(text, kInfinity);
}

bool is_sexagesimal_float(std::string_view text) {
  Cursor cursor(text);
  cursor.sign();
  if (!cursor.grouped_digits() || !cursor.sexagesimal_parts() || !cursor.literal(".")) return false;
  cursor.some(is_digit_or_underscore);
  return cursor.done();
}

}  // namespace

bool is_yaml11_boolean(std::string_view text) {
  constexpr std::array<std::string_view, 18> kWords{
      "yes",   "Yes",   "YES",   "no", "No", "NO", "true", "True", "TRUE",
      "false", "False", "FALSE", "on", "On", "ON", "off",  "Off",  "OFF"};
  return one_of(text, kWords);
}

bool is_yaml_null(std::string_view text) {
  constexpr std::array<std::string_view, 5> kWords{"", "~", "null", "Null", "NULL"};
  return one_of(text, kWords);
}

bool is_yaml11_integer(std::string_view text) {
  Cursor cursor(text);
  cursor.sign();
  if (cursor.literal("0b")) {
    return cursor.some([](char c) { return c == '0' || c == '1' || c == '_'; }) && cursor.done();
  }
  if (cursor.literal("0x"))
    return cursor.some([](char c) { return is_hex(c) || c == '_'; }) && cursor.done();
  if (cursor.literal("0")) {
    cursor.some([](char c) { return (c >= '0' && c <= '7') || c == '_'; });
    return cursor.done();
  }
  if (!cursor.grouped_digits()) return false;
  return cursor.done() || (cursor.sexagesimal_parts() && cursor.done());
}

bool is_yaml11_float(std::string_view text) {
  Cursor cursor(text);
  if (cursor.literal(".")) {
    if (cursor.grouped_digits() && ends_with_optional_exponent(cursor, ExponentSign::required))
      return true;
    return is_infinity_or_nan(text, "+-");
  }
  cursor.sign();
  if (!cursor.grouped_digits()) return is_infinity_or_nan(text, "+-");
  if (!cursor.literal(".")) return is_sexagesimal_float(text);
  cursor.some(is_digit_or_underscore);
  return ends_with_optional_exponent(cursor, ExponentSign::required);
}

bool is_omegaconf_float(std::string_view text) {
  if (is_infinity_or_nan(text, "+-")) return true;
  Cursor cursor(text);
  if (cursor.literal(".")) {
    return cursor.separated_digits() && ends_with_optional_exponent(cursor, ExponentSign::required);
  }
  cursor.sign();
  if (!cursor.separated_digits()) return false;
  if (cursor.literal(".")) {
    cursor.some(is_digit_or_underscore);
    return ends_with_optional_exponent(cursor, ExponentSign::optional);
  }
  if (cursor.peek() == ':') {
    if (!cursor.sexagesimal_parts() || !cursor.literal(".")) return false;
    cursor.some(is_digit_or_underscore);
    return cursor.done();
  }
  return cursor.exponent(ExponentSign::optional) && cursor.done();
}

bool is_yaml12_boolean(std::string_view text) {
  constexpr std::array<std::string_view, 6> kWords{"true",  "True",  "TRUE",
                                                   "false", "False", "FALSE"};
  return one_of(text, kWords);
}

bool is_yaml12_integer(std::string_view text) {
  Cursor cursor(text);
  if (cursor.literal("0o"))
    return cursor.some([](char c) { return c >= '0' && c <= '7'; }) && cursor.done();
  if (cursor.literal("0x")) return cursor.some(is_hex) && cursor.done();
  cursor.sign();
  return cursor.digits() && cursor.done();
}

bool is_yaml12_float(std::string_view text) {
  if (is_infinity_or_nan(text, "+-")) return true;
  Cursor cursor(text);
  cursor.sign();
  const bool whole = cursor.digits();
  const bool point = cursor.literal(".");
  const bool fraction = point && cursor.digits();
  if (!whole && !fraction) return false;
  return ends_with_optional_exponent(cursor, ExponentSign::optional);
}

bool is_json_number(std::string_view text) {
  Cursor cursor(text);
  cursor.literal("-");
  if (!cursor.literal("0") && !cursor.digits()) return false;
  if (cursor.literal(".") && !cursor.digits()) return false;
  return ends_with_optional_exponent(cursor, ExponentSign::optional);
}

}  // namespace gpulint
