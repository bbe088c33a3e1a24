#include "report/style.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace gpulint {
namespace {

/// Of the 256-colour palette, whose colours no theme changes: each has a contrast of 4 or more on
/// black and on white, which blue, yellow and cyan of the basic sixteen have not.
std::string_view escape_of(Role role) {
  switch (role) {
    case Role::plain:
      return "";
    case Role::strong:
      return "\x1b[1m";
    case Role::faint:
      return "\x1b[2m";
    case Role::error:
      return "\x1b[1;38;5;161m";
    case Role::warning:
      return "\x1b[1;38;5;130m";
    case Role::note:
      return "\x1b[1;38;5;31m";
    case Role::fix:
      return "\x1b[38;5;28m";
    case Role::gutter:
      return "\x1b[38;5;243m";
  }
  return "";
}

using CodeRange = std::pair<char32_t, char32_t>;

/// Main blocks of Unicode 15 with East_Asian_Width W or F, and emoji shown wide.
constexpr std::array<CodeRange, 13> kWide{{{0x1100, 0x115f},
                                           {0x2e80, 0x303e},
                                           {0x3041, 0x33ff},
                                           {0x3400, 0x4dbf},
                                           {0x4e00, 0x9fff},
                                           {0xa000, 0xa4cf},
                                           {0xac00, 0xd7a3},
                                           {0xf900, 0xfaff},
                                           {0xfe30, 0xfe6f},
                                           {0xff00, 0xff60},
                                           {0xffe0, 0xffe6},
                                           {0x1f300, 0x1faff},
                                           {0x20000, 0x3fffd}}};
/// Combining marks and variation selectors.
constexpr std::array<CodeRange, 6> kNoWidth{{{0x0300, 0x036f},
                                             {0x0591, 0x05bd},
                                             {0x064b, 0x065f},
                                             {0x1ab0, 0x1aff},
                                             {0x20d0, 0x20ff},
                                             {0xfe00, 0xfe0f}}};

template <std::size_t N>
bool lies_in(const std::array<CodeRange, N>& ranges, char32_t code_point) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const CodeRange& range) {
    return code_point >= range.first && code_point <= range.second;
  });
}

}  // namespace

Role role_of(Severity severity) {
  switch (severity) {
    case Severity::note:
      return Role::note;
    case Severity::warning:
      return Role::warning;
    case Severity::error:
      return Role::error;
  }
  return Role::plain;
}

Role role_of(Fit fit) {
  switch (fit) {
    case Fit::unknown:
      return Role::plain;
    case Fit::fits:
      return Role::fix;
    case Fit::thin:
      return Role::warning;
    case Fit::does_not_fit:
      return Role::error;
  }
  return Role::plain;
}

std::string paint(std::string_view text, Role role, bool color) {
  if (!color || role == Role::plain || text.empty()) return std::string(text);
  return fmt::format("{}{}\x1b[0m", escape_of(role), text);
}

int display_width(char32_t code_point) {
  if (lies_in(kNoWidth, code_point)) return 0;
  return lies_in(kWide, code_point) ? 2 : 1;
}

int display_width(std::string_view text) {
  int width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto first = static_cast<unsigned char>(text[at]);
    const std::size_t size = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    char32_t value = size == 1 ? first : first & (0xffU >> (size + 1));
    for (std::size_t i = 1; i < size && at + i < text.size(); ++i) {
      value = (value << 6U) | (static_cast<unsigned char>(text[at + i]) & 0x3fU);
    }
    width += display_width(value);
    at += size;
  }
  return width;
}

std::string pad_right(std::string_view text, int width) {
  const int missing = std::max(0, width - display_width(text));
  return std::string(text) + std::string(static_cast<std::size_t>(missing), ' ');
}

std::string pad_left(std::string_view text, int width) {
  const int missing = std::max(0, width - display_width(text));
  return std::string(static_cast<std::size_t>(missing), ' ') + std::string(text);
}

std::string with_thousands(std::int64_t number) {
  std::string digits = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string significant(double number, int digits) {
  const double size = std::abs(number);
  const double step = std::pow(10.0, std::floor(std::log10(size)) + 1 - digits);
  const double rounded = std::round(size / step) * step;
  if (!(rounded >= 1000 && rounded < 1e15)) return fmt::format("{:.{}g}", number, digits);
  return with_thousands(std::llround(std::copysign(rounded, number)));
}

}  // namespace gpulint
