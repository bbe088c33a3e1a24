#include "lsp/positions.h"

#include <algorithm>
#include <limits>

namespace gpulint::lsp {
namespace {

/// Units that the code point takes whose first byte this is; bytes behind the first take none.
std::uint32_t units_of(char byte, Units units) {
  const auto value = static_cast<unsigned char>(byte);
  if (units == Units::utf8) return 1;
  if ((value & 0xc0U) == 0x80U) return 0;
  return units == Units::utf16 && value >= 0xf0U ? 2 : 1;
}

bool continues_code_point(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0U) == 0x80U;
}

std::uint32_t clamped(std::int64_t value) {
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(value, 0, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

std::string_view name_of(Units units) {
  switch (units) {
    case Units::utf8:
      return "utf-8";
    case Units::utf16:
      return "utf-16";
    case Units::utf32:
      return "utf-32";
  }
  return "";
}

Units agreed_units(const Json& client_capabilities) {
  for (const Json& wanted : items_at(client_capabilities, {"general", "positionEncodings"})) {
    for (const Units units : {Units::utf8, Units::utf16, Units::utf32}) {
      if (wanted == name_of(units)) return units;
    }
  }
  return Units::utf16;
}

std::uint32_t TextPlaces::line_start(std::uint32_t line) const {
  const std::string_view found = lines_.line(text_, line);
  return static_cast<std::uint32_t>(found.data() - text_.data());
}

Position TextPlaces::at(std::uint32_t offset) const {
  if (lines_.line_count() == 0) return {};
  offset = std::min(offset, static_cast<std::uint32_t>(text_.size()));
  const std::uint32_t line = lines_.at(text_, offset).line;
  Position position{line - 1, 0};
  for (std::uint32_t at = line_start(line); at < offset; ++at) {
    position.character += units_of(text_[at], units_);
  }
  return position;
}

std::uint32_t TextPlaces::offset(Position position) const {
  if (position.line >= lines_.line_count()) return static_cast<std::uint32_t>(text_.size());
  const std::uint32_t line = position.line + 1;
  std::uint32_t at = line_start(line);
  const auto end = at + static_cast<std::uint32_t>(lines_.line(text_, line).size());
  std::uint32_t character = 0;
  while (at < end) {
    const std::uint32_t units = units_of(text_[at], units_);
    if (character + units > position.character) break;
    character += units;
    ++at;
  }
  while (at > 0 && at < end && continues_code_point(text_, at) && units_ == Units::utf8) --at;
  return at;
}

Json TextPlaces::range(std::uint32_t begin, std::uint32_t end) const {
  return {{"start", json_of(at(begin))}, {"end", json_of(at(std::max(begin, end)))}};
}

Json json_of(Position position) {
  return {{"line", position.line}, {"character", position.character}};
}

Position position_from(const Json& value) {
  return {clamped(integer_at(value, {"line"}).value_or(0)),
          clamped(integer_at(value, {"character"}).value_or(0))};
}

}  // namespace gpulint::lsp
