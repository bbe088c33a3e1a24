#pragma once

#include "base/severity.h"
#include "memory/memory_verdict.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace gpulint {

/// What a piece of text is, so that one place decides how it looks.
enum class Role : std::uint8_t { plain, strong, faint, error, warning, note, fix, gutter };

Role role_of(Severity severity);
/// Of a verdict on memory.
Role role_of(Fit fit);

/// `text` in the terminal colours of its role, or unchanged without `color`.
std::string paint(std::string_view text, Role role, bool color);

/// Columns a code point takes on a terminal: 0 for combining marks, 2 for wide East Asian
/// characters and emoji, else 1.
int display_width(char32_t code_point);
/// Columns of a whole UTF-8 text without control characters.
int display_width(std::string_view text);

/// `text` with blanks up to `width` columns.
std::string pad_right(std::string_view text, int width);
std::string pad_left(std::string_view text, int width);
/// 1234567 -> "1,234,567".
std::string with_thousands(std::int64_t number);
/// To so many significant digits, never with an exponent above one: 0.0123, 1.28, "1,280".
std::string significant(double number, int digits);

}  // namespace gpulint
