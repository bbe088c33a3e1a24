// How values are printed in messages. Three significant digits are enough to compare budgets and
// promise no more than an estimate knows.

#include "expr/format.h"

#include "base/text.h"
#include "base/units.h"
#include "expr/quoted.h"
#include "expr/unit_names.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <vector>

namespace gpulint::expr {
namespace {

enum class Style : std::uint8_t {
  by_unit,
  scaled,  // in the named unit
  binary,  // largest fitting binary unit
  decimal,
  factor,  // 2.5x
  percent,
  thousands,
  shortest,
  fixed,  // .Nf
  duration,
  dollars,
  list,
};

struct FormatName {
  std::string_view name;
  Style style;
  Unit unit = kNoUnit;  // what it prints, where that is fixed
  bool any_unit = false;
};

constexpr std::array<FormatName, 22> kFormats{{
    {"KiB", Style::scaled, kBytes},
    {"MiB", Style::scaled, kBytes},
    {"GiB", Style::scaled, kBytes},
    {"TiB", Style::scaled, kBytes},
    {"KB", Style::scaled, kBytes},
    {"MB", Style::scaled, kBytes},
    {"GB", Style::scaled, kBytes},
    {"TB", Style::scaled, kBytes},
    {"MB/s", Style::scaled, kBytesPerSecond},
    {"GB/s", Style::scaled, kBytesPerSecond},
    {"TFLOP/s", Style::scaled, kOperationsPerSecond},
    {"bytes", Style::binary, kBytes},
    {"auto", Style::binary, kBytes},
    {"auto_gb", Style::decimal, kBytes},
    {"x", Style::factor},
    {"%", Style::percent},
    {"d", Style::thousands, kNoUnit, true},
    {"g", Style::shortest, kNoUnit, true},
    {"s", Style::duration, kSeconds},
    {"h", Style::duration, kSeconds},
    {"$", Style::dollars, kDollars},
    {"list", Style::list},
}};

const FormatName* find_format(std::string_view name) {
  for (const FormatName& format : kFormats) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

/// Digits of ".2f", 0 to 9.
std::optional<int> fixed_digits(std::string_view format) {
  if (format.size() != 3 || format[0] != '.' || format[2] != 'f') return std::nullopt;
  if (format[1] < '0' || format[1] > '9') return std::nullopt;
  return format[1] - '0';
}

constexpr std::string_view kCount = "count ";

/// "rank" of "count rank", the nouns of "count batch|batches"; nothing for another format.
std::string_view counted_nouns(std::string_view format) {
  return format.starts_with(kCount) ? trim(format.substr(kCount.size())) : std::string_view{};
}

constexpr double kLongestFixed = 1e15;  // beyond it a double no longer holds every integer

std::string scientific(double value) {
  std::array<char, 64> buffer{};
  const std::to_chars_result end = std::to_chars(buffer.data(), buffer.data() + buffer.size(),
                                                 value, std::chars_format::general, 6);
  std::string text{buffer.data(), end.ptr};
  // "2e-05" is written 2e-5 in configs.
  const std::size_t exponent = text.find('e');
  if (exponent == std::string::npos) return text;
  std::size_t digits = exponent + 1;
  if (text[digits] == '+') text.erase(digits, 1);
  if (text[digits] == '-') ++digits;
  while (digits + 1 < text.size() && text[digits] == '0') text.erase(digits, 1);
  return text;
}

std::string fixed(double value, int digits) {
  if (std::abs(value) >= kLongestFixed) return scientific(value);
  std::array<char, 64> buffer{};
  const std::to_chars_result end = std::to_chars(buffer.data(), buffer.data() + buffer.size(),
                                                 value, std::chars_format::fixed, digits);
  std::string text{buffer.data(), end.ptr};
  if (text.starts_with('-') && text.find_first_not_of("-0.") == std::string::npos) text.erase(0, 1);
  return text;
}

std::string without_trailing_zeros(std::string text) {
  if (text.find('.') == std::string::npos || text.find('e') != std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string with_separators(std::string text) {
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  std::size_t at = std::min(text.find('.'), text.size());
  if (text.find('e') != std::string::npos) return text;
  while (at > first + 3) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

/// Three significant digits, as format_binary and format_decimal print them.
std::string significant(double value) {
  const double size = std::abs(value);
  const int digits = size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3;
  return with_separators(fixed(value, digits));
}

std::string shortest(const Value& value) {
  if (const std::int64_t* whole = std::get_if<std::int64_t>(&value.data)) {
    return std::to_string(*whole);
  }
  const double number = value.number();
  if (number == std::floor(number) && std::abs(number) < kLongestFixed) return fixed(number, 0);
  return scientific(number);
}

/// A number and what it counts: "1 rank", "24 ranks"; "batch|batches" states an irregular plural.
std::string with_noun(const Value& value, std::string_view nouns) {
  const std::string text = shortest(value) + " ";
  return text + (value.number() == 1 ? std::string(singular_of(nouns)) : plural_of(nouns));
}

std::string in_thousands(const Value& value) {
  if (const std::int64_t* whole = std::get_if<std::int64_t>(&value.data)) {
    return with_separators(std::to_string(*whole));
  }
  return with_separators(fixed(std::round(value.number()), 0));
}

std::string scaled(double value, std::string_view name) {
  const std::string_view plain = name.substr(0, name.find('/'));
  return significant(value / find_unit(plain)->factor) + " " + std::string{name};
}

std::string factor(double value) {
  return without_trailing_zeros(fixed(value, std::abs(value) < 9.95 ? 1 : 0)) + "x";
}

std::string percent(double fraction) {
  const double value = fraction * 100;
  return without_trailing_zeros(fixed(value, std::abs(value) < 9.95 ? 1 : 0)) + "%";
}

std::string duration(double seconds) {
  struct Step {
    double from;  // seconds
    double unit;
    std::string_view name;
  };
  constexpr std::array<Step, 6> kSteps{{{172'800, 86'400, "days"},
                                        {3'600, 3'600, "h"},
                                        {60, 60, "min"},
                                        {1, 1, "s"},
                                        {1e-3, 1e-3, "ms"},
                                        {1e-6, 1e-6, "us"}}};
  if (seconds == 0) return "0 s";
  for (const Step& step : kSteps) {
    if (std::abs(seconds) < step.from) continue;
    const double value = seconds / step.unit;
    const std::string text = fixed(value, std::abs(value) < 9.95 ? 1 : 0);
    return with_separators(without_trailing_zeros(text)) + " " + std::string{step.name};
  }
  return significant(seconds / 1e-9) + " ns";
}

std::string dollars(double value) {
  const double size = std::abs(value);
  const int digits = size >= 1'000 ? 0 : size >= 0.1 || size == 0 ? 2 : 4;
  const std::string text = with_separators(fixed(size, digits));
  return (value < 0 ? "-$" : "$") + text;
}

std::string rate(double value, std::string_view unit) {
  constexpr std::array<std::pair<double, std::string_view>, 4> kPrefixes{
      {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}};
  for (const auto& [size, prefix] : kPrefixes) {
    if (std::abs(value) < size) continue;
    return significant(value / size) + " " + std::string{prefix} + std::string{unit};
  }
  return significant(value) + " " + std::string{unit};
}

std::string by_unit(const Value& value, Unit unit) {
  const double number = value.number();
  if (unit == kNoUnit) return shortest(value);
  if (unit == kBytes) return format_binary(Bytes::rounded(number));
  if (unit == kSeconds) return duration(number);
  if (unit == kDollars) return dollars(number);
  if (unit == kDollarsPerSecond) return dollars(number * 3'600) + "/h";
  if (unit == kBytesPerSecond) return rate(number, "B/s");
  if (unit == kOperationsPerSecond) return rate(number, "FLOP/s");
  if (unit == kPerSecond) return significant(number) + "/s";
  return shortest(value) + " " + to_string(unit);
}

std::string number_text(const Value& value, Unit unit, std::string_view format) {
  const double number = value.number();
  if (const std::optional<int> digits = fixed_digits(format)) return fixed(number, *digits);
  if (const std::string_view nouns = counted_nouns(format); !nouns.empty()) {
    return with_noun(value, nouns);
  }
  const FormatName* name = find_format(format);
  switch (name == nullptr ? Style::by_unit : name->style) {
    case Style::scaled:
      return scaled(number, format);
    case Style::binary:
      return format_binary(Bytes::rounded(number));
    case Style::decimal:
      return format_decimal(Bytes::rounded(number));
    case Style::factor:
      return factor(number);
    case Style::percent:
      return percent(number);
    case Style::thousands:
      return in_thousands(value);
    case Style::shortest:
      return shortest(value);
    case Style::duration:
      return duration(number);
    case Style::dollars:
      return dollars(number);
    case Style::fixed:
    case Style::list:
    case Style::by_unit:
      break;
  }
  return by_unit(value, unit);
}

}  // namespace

std::string format(const Value& value, Unit unit, std::string_view format_name) {
  if (!value.known()) return "unknown";
  if (const bool* truth = std::get_if<bool>(&value.data)) return *truth ? "true" : "false";
  if (const std::string* text = std::get_if<std::string>(&value.data)) {
    return escape_for_display(*text);
  }
  const List* list = std::get_if<List>(&value.data);
  if (list == nullptr) {
    return std::isfinite(value.number()) ? number_text(value, unit, format_name) : "unknown";
  }
  std::vector<std::string> parts;
  for (const Value& element : *list) parts.push_back(format(element, unit, ""));
  return join(parts, ", ");
}

namespace {

std::string count_problem(const Type& type, std::string_view format_name) {
  const std::string_view nouns = counted_nouns(format_name);
  if (nouns.empty() || nouns.front() == '|' || nouns.back() == '|') {
    return "format \"count\" names what is counted, as in \"count rank\" or \"count "
           "batch|batches\"";
  }
  if (type.kind == Kind::number && type.unit == kNoUnit) return {};
  return "format \"count\" prints a plain number, found " + to_string(type);
}

}  // namespace

std::string format_problem(const Type& type, std::string_view format_name) {
  if (format_name.empty()) return {};
  if (format_name == "count" || format_name.starts_with(kCount)) {
    return count_problem(type, format_name);
  }
  const FormatName* name = find_format(format_name);
  const std::string name_text = quoted(format_name);
  if (name == nullptr && !fixed_digits(format_name)) {
    std::vector<std::string_view> names;
    for (const FormatName& known : kFormats) names.push_back(known.name);
    return "unknown format " + name_text + did_you_mean(format_name, names);
  }
  if (name != nullptr && name->style == Style::list) {
    if (type.kind == Kind::list) return {};
    return "format \"list\" prints a list, found " + to_string(type);
  }
  const bool any_unit =
      name == nullptr || name->any_unit || (name->style == Style::dollars && type.unit == kNoUnit);
  const Unit unit = name == nullptr ? kNoUnit : name->unit;
  if (type.kind == Kind::number && (any_unit || type.unit == unit)) return {};
  const std::string wanted = any_unit ? "a number" : to_string(Type{Kind::number, unit, {}, {}});
  return "format " + name_text + " prints " + wanted + ", found " + to_string(type);
}

}  // namespace gpulint::expr
