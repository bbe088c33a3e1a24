#include "source/scalar.h"

#include "base/text.h"
#include "source/merge.h"
#include "source/scalar_patterns.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace gpulint {
namespace {

constexpr std::string_view kStandardTag = "tag:yaml.org,2002:";

std::string without_underscores(std::string_view text) {
  std::string result(text);
  result.erase(std::remove(result.begin(), result.end(), '_'), result.end());
  return result;
}

/// The nearest double of unsigned decimal text such as "1.", ".5", "2e-5"; nullopt for anything
/// else. Out of range gives infinity or zero, as in Python.
std::optional<double> unsigned_decimal(std::string_view text) {
  if (text.empty() || (text.front() != '.' && (text.front() < '0' || text.front() > '9')))
    return std::nullopt;
  double value = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (end != last || error == std::errc::invalid_argument) return std::nullopt;
  if (error != std::errc::result_out_of_range) return value;
  const std::size_t e = text.find_first_of("eE");
  const bool tiny = e != std::string_view::npos && text.substr(e + 1, 1) == "-";
  return tiny ? 0.0 : std::numeric_limits<double>::infinity();
}

struct Signed {
  bool negative = false;
  std::string_view rest;
};
Signed split_sign(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  return {negative, text};
}

/// int64, or the nearest double where it does not fit: Python's integers have no end.
ScalarValue integer(std::string_view digits, int base, bool negative) {
  if (digits.empty()) return std::string{};
  double magnitude = 0;
  std::uint64_t exact = 0;
  bool fits = true;
  for (const char c : digits) {
    const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    magnitude = magnitude * base + digit;
    fits = fits && !__builtin_mul_overflow(exact, static_cast<std::uint64_t>(base), &exact) &&
           !__builtin_add_overflow(exact, static_cast<std::uint64_t>(digit), &exact);
  }
  constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
  if (fits && exact <= kLargest) {
    const std::int64_t value = static_cast<std::int64_t>(exact);
    return negative ? -value : value;
  }
  if (fits && negative && exact == kLargest + 1) return std::numeric_limits<std::int64_t>::min();
  if (base == 10) magnitude = unsigned_decimal(digits).value_or(magnitude);
  return negative ? -magnitude : magnitude;
}

/// "1:30" = 90, "1:30:45.5" = 5445.5.
double sexagesimal(std::string_view text) {
  double value = 0;
  for (const std::string_view part : split(text, ':'))
    value = value * 60 + unsigned_decimal(part).value_or(0);
  return value;
}

ScalarValue yaml11_integer(std::string_view text) {
  const std::string plain = without_underscores(text);
  const auto [negative, rest] = split_sign(plain);
  ScalarValue value;
  if (rest == "0") {
    value = std::int64_t{0};
  } else if (rest.starts_with("0b")) {
    value = integer(rest.substr(2), 2, negative);
  } else if (rest.starts_with("0x")) {
    value = integer(rest.substr(2), 16, negative);
  } else if (rest.starts_with('0')) {
    value = integer(rest.substr(1), 8, negative);
  } else if (rest.find(':') != std::string_view::npos) {
    const double seconds = sexagesimal(rest);
    constexpr double kExact = 9007199254740992.0;  // 2^53: every integer up to it is a double
    if (seconds > kExact) return negative ? -seconds : seconds;
    value = static_cast<std::int64_t>(negative ? -seconds : seconds);
  } else {
    value = integer(rest, 10, negative);
  }
  // "0b_" matches PyYAML's pattern and then fails in its constructor.
  return std::holds_alternative<std::string>(value) ? ScalarValue(std::string(text)) : value;
}

std::optional<double> float_of(std::string_view text) {
  const std::string plain = to_lower(without_underscores(text));
  const auto [negative, rest] = split_sign(plain);
  std::optional<double> value;
  if (rest == ".inf" || rest == "inf" || rest == "infinity") {
    value = std::numeric_limits<double>::infinity();
  } else if (rest == ".nan" || rest == "nan") {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (rest.find(':') != std::string_view::npos) {
    value = sexagesimal(rest);
  } else {
    value = unsigned_decimal(rest);
  }
  if (value && negative) value = -*value;
  return value;
}

ScalarValue float_or_text(std::string_view text) {
  const std::optional<double> value = float_of(text);
  return value ? ScalarValue(*value) : ScalarValue(std::string(text));
}

/// Of a word that some schema calls a boolean.
bool truth_of(std::string_view word) {
  const char first = static_cast<char>(word[0] | 0x20);
  return first == 't' || first == 'y' || (first == 'o' && (word[1] | 0x20) == 'n');
}

ScalarValue yaml11(std::string_view text) {
  if (is_yaml_null(text)) return Null{};
  if (is_yaml11_boolean(text)) return truth_of(text);
  if (is_yaml11_float(text)) return float_or_text(text);
  if (is_yaml11_integer(text)) return yaml11_integer(text);
  return std::string(text);
}

ScalarValue yaml12(std::string_view text) {
  if (is_yaml_null(text)) return Null{};
  if (is_yaml12_boolean(text)) return truth_of(text);
  if (is_yaml12_integer(text)) {
    if (text.starts_with("0o")) return integer(text.substr(2), 8, false);
    if (text.starts_with("0x")) return integer(text.substr(2), 16, false);
    const auto [negative, rest] = split_sign(text);
    return integer(rest, 10, negative);
  }
  if (is_yaml12_float(text)) return float_or_text(text);
  return std::string(text);
}

ScalarValue omegaconf(std::string_view text) {
  const ScalarValue value = yaml11(text);
  if (!std::holds_alternative<std::string>(value)) return value;
  return is_omegaconf_float(text) ? float_or_text(text) : value;
}

/// Python's json also reads NaN and the infinities.
ScalarValue json(std::string_view text) {
  if (text == "null") return Null{};
  if (text == "true" || text == "false") return text == "true";
  if (text == "NaN" || text == "Infinity" || text == "-Infinity") return float_or_text(text);
  if (!is_json_number(text)) return std::string(text);
  if (text.find_first_of(".eE") != std::string_view::npos) return float_or_text(text);
  const auto [negative, rest] = split_sign(text);
  return integer(rest, 10, negative);
}

/// What a standard tag makes of the text; the text itself where they do not go together.
ScalarValue tagged(std::string_view tag, std::string_view text) {
  if (!tag.starts_with(kStandardTag)) return std::string(text);
  tag.remove_prefix(kStandardTag.size());
  if (tag == "null") return Null{};
  if (tag == "float") return float_or_text(text);
  if (tag == "int" && is_yaml11_integer(text)) return yaml11_integer(text);
  if (tag == "bool" && is_yaml11_boolean(text)) return truth_of(text);
  return std::string(text);
}

}  // namespace

ScalarValue interpret_plain(std::string_view text, ScalarSchema schema) {
  switch (schema) {
    case ScalarSchema::yaml11:
      return yaml11(text);
    case ScalarSchema::yaml12:
      return yaml12(text);
    case ScalarSchema::omegaconf:
      return omegaconf(text);
    case ScalarSchema::json:
      return json(text);
    case ScalarSchema::env:
      break;
  }
  return std::string(text);
}

ScalarValue interpret(const Document& document, NodeId id, ScalarSchema schema) {
  id = document.resolve(id);
  if (id == kNoNode) return Null{};
  if (document.kind(id) != NodeKind::scalar) return std::string{};
  const std::string_view text = document.scalar(id);
  if (const std::string_view tag = document.tag(id); !tag.empty()) return tagged(tag, text);
  if (document.node(id).quoting != Quoting::plain) return std::string(text);
  // Whoever loads a .json or .env file types it by its format, whatever it does with YAML.
  const bool is_typed = document.format() == Format::json || document.format() == Format::toml;
  if (is_typed) schema = ScalarSchema::json;
  if (document.format() == Format::env) schema = ScalarSchema::env;
  return interpret_plain(text, schema);
}

std::optional<double> lenient_number(std::string_view text) {
  text = trim(text);
  if (text.find("__") != std::string_view::npos || text.ends_with('_') || text.starts_with('_'))
    return std::nullopt;
  const std::string plain = without_underscores(text);
  const auto [negative, rest] = split_sign(plain);
  const std::optional<double> value = unsigned_decimal(rest);
  if (!value || !std::isfinite(*value)) return std::nullopt;
  return negative ? -*value : *value;
}

bool is_same_plain_value(std::string_view a, std::string_view b) {
  if (equals_ignoring_case(a, b)) return true;
  const auto x = lenient_number(a);
  const auto y = lenient_number(b);
  return x && y && *x == *y;
}

std::optional<bool> lenient_boolean(std::string_view text) {
  const std::string word = to_lower(trim(text));
  if (word == "1") return true;
  if (word == "0") return false;
  if (!is_yaml11_boolean(word)) return std::nullopt;
  return truth_of(word);
}

std::optional<ParsedBytes> parse_bytes(std::string_view text) {
  struct Unit {
    std::string_view name;
    double bytes;
  };
  // SI prefixes are powers of 10^3, binary ones of 2^10 (IEC 80000-13). A bare G is 10^9 to
  // Kubernetes and 2^30 to Docker, so it is not a unit here.
  constexpr double kKibi = 1024.0;
  constexpr std::array kUnits{Unit{"b", 1.0},
                              Unit{"byte", 1.0},
                              Unit{"bytes", 1.0},
                              Unit{"kb", 1e3},
                              Unit{"mb", 1e6},
                              Unit{"gb", 1e9},
                              Unit{"tb", 1e12},
                              Unit{"kib", kKibi},
                              Unit{"ki", kKibi},
                              Unit{"mib", kKibi * kKibi},
                              Unit{"mi", kKibi * kKibi},
                              Unit{"gib", kKibi * kKibi * kKibi},
                              Unit{"gi", kKibi * kKibi * kKibi},
                              Unit{"tib", kKibi * kKibi * kKibi * kKibi},
                              Unit{"ti", kKibi * kKibi * kKibi * kKibi}};
  text = trim(text);
  std::size_t split_at = text.size();
  while (split_at > 0 && (std::isalpha(static_cast<unsigned char>(text[split_at - 1])) != 0))
    --split_at;
  const std::string unit = to_lower(text.substr(split_at));
  const std::optional<double> number = lenient_number(text.substr(0, split_at));
  if (!number) return std::nullopt;
  if (unit.empty()) return ParsedBytes{*number, false};
  for (const Unit& known : kUnits) {
    if (known.name == unit) return ParsedBytes{*number * known.bytes, true};
  }
  return std::nullopt;
}

bool is_number_only_in_yaml12(const Document& document, NodeId id) {
  id = document.resolve(id);
  if (id == kNoNode || document.kind(id) != NodeKind::scalar) return false;
  if (document.format() != Format::yaml || document.node(id).quoting != Quoting::plain ||
      !document.tag(id).empty()) {
    return false;
  }
  const std::string_view text = document.scalar(id);
  const bool number = is_yaml12_integer(text) || is_yaml12_float(text);
  return number && !is_yaml11_integer(text) && !is_yaml11_float(text);
}

}  // namespace gpulint
