#include "engine/fix_spelling.h"
#include "source/scalar.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace gpulint {
namespace {

constexpr int kMostDigits = 17;            // enough for every double
constexpr std::size_t kLongestPlain = 12;  // characters; longer fractions read better with exponent

bool reads_back(std::string_view text, double value) {
  const auto number = lenient_number(text);
  return number && *number == value;
}

/// 1048576 -> "1_048_576".
std::string grouped(std::string digits) {
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, "_");
  return digits;
}

/// "2.0e-5": mantissa with a dot and a signed exponent, which every loader takes for a number.
std::string with_exponent(double value, bool two_digits, char letter) {
  std::string text;
  for (int digits = 0; digits <= kMostDigits; ++digits) {
    text = fmt::format("{:.{}e}", value, digits);
    if (reads_back(text, value)) break;
  }
  const std::size_t exponent = text.find('e');
  std::string mantissa = text.substr(0, exponent);
  std::string power = text.substr(exponent + 1);
  if (mantissa.find('.') == std::string::npos) mantissa += ".0";
  if (!two_digits && power.size() == 3 && power[1] == '0') power.erase(1, 1);
  return mantissa + letter + power;
}

/// "0.00005" where that is short and exact; "" otherwise.
std::string without_exponent(double value) {
  for (int digits = 1; digits <= kMostDigits; ++digits) {
    const std::string text = fmt::format("{:.{}f}", value, digits);
    if (text.size() > kLongestPlain) break;
    if (reads_back(text, value)) return text;
  }
  return {};
}

}  // namespace

std::string number_like(std::string_view like, double value, bool whole) {
  // What stands beside a new key may be a word: the `e` of "true" is no exponent.
  if (!lenient_number(like)) like = {};
  const std::size_t exponent = like.find_first_of("eE");
  const bool plain = exponent == std::string_view::npos;
  if (whole && plain) {
    const std::string digits = fmt::format("{}", static_cast<std::int64_t>(value));
    if (like.find('_') != std::string_view::npos) return grouped(digits);
    return like.find('.') == std::string_view::npos ? digits : digits + ".0";
  }
  if (plain) {
    if (std::string text = without_exponent(value); !text.empty()) return text;
  }
  // "1e-05" has an exponent of two digits, "1e-5" of one; a new exponent gets two.
  const bool one_digit = !plain && like.find_last_of("+-eE") + 2 == like.size();
  return with_exponent(value, !one_digit, plain ? 'e' : like[exponent]);
}

}  // namespace gpulint
