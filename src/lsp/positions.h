#pragma once

// Places as the protocol counts them: lines and characters from 0, characters in the units that
// client and server have agreed on.

#include "base/text.h"
#include "lsp/json.h"

#include <cstdint>
#include <string_view>

namespace gpulint::lsp {

/// What one character of a position is: a byte of UTF-8, a half of UTF-16, a code point.
enum class Units : std::uint8_t { utf8, utf16, utf32 };
std::string_view name_of(Units units);
/// The first that the client lists and the server knows; UTF-16 where it lists none.
Units agreed_units(const Json& client_capabilities);

struct Position {
  std::uint32_t line = 0;
  std::uint32_t character = 0;
  friend constexpr auto operator<=>(const Position&, const Position&) = default;
};

/// One text with its lines, as a client counts in it. Borrows both.
class TextPlaces {
 public:
  TextPlaces(std::string_view text, const LineIndex& lines, Units units)
      : text_(text), lines_(lines), units_(units) {}

  Position at(std::uint32_t offset) const;
  /// Behind the end of a line its end, behind the last line the end of the text; never inside of a
  /// code point.
  std::uint32_t offset(Position position) const;
  /// {"start": …, "end": …}
  Json range(std::uint32_t begin, std::uint32_t end) const;

 private:
  std::uint32_t line_start(std::uint32_t line) const;

  std::string_view text_;
  const LineIndex& lines_;
  Units units_;
};

Json json_of(Position position);
/// {line, character} of a request; 0:0 where it is none.
Position position_from(const Json& value);

}  // namespace gpulint::lsp
