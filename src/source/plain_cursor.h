#pragma once

// A place in a YAML text, and what may stand there in the part of YAML that plain_yaml.h reads.
// Internal to this room.

#include "source/node.h"
#include "source/tree_builder.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpulint {

/// Where a scalar stands. Its value is the text without the quotes, or `decoded` where that
/// differs.
struct PlainScalar {
  Range span;
  Quoting quoting = Quoting::plain;
  std::optional<std::string> decoded = std::nullopt;
};

/// Characters that end or spoil the run of ordinary ones inside a plain scalar.
using StopTable = std::array<bool, 256>;
constexpr StopTable stops(std::string_view more) {
  StopTable table{};
  for (const char c : std::string_view("\n\t:#")) table[static_cast<unsigned char>(c)] = true;
  for (const char c : more) table[static_cast<unsigned char>(c)] = true;
  return table;
}
inline constexpr StopTable kStopsInBlock = stops("");
// yaml-cpp ends a scalar between brackets at a question mark too.
inline constexpr StopTable kStopsBetweenBrackets = stops(",[]{}?");

/// Every function that reads something moves `at` behind it. Those that return nothing or an empty
/// text met what is left to yaml-cpp.
struct PlainCursor {
  explicit PlainCursor(std::string_view source)
      : text(source), size(static_cast<std::uint32_t>(source.size())) {}

  std::string_view text;
  std::uint32_t size = 0;
  std::uint32_t at = 0;
  std::uint32_t line_start = 0;

  /// A line feed behind the end.
  char character(std::uint32_t i) const { return i < size ? text[i] : '\n'; }
  char here() const { return character(at); }
  bool ends_word(std::uint32_t i) const { return character(i) == ' ' || character(i) == '\n'; }
  std::uint32_t column() const { return at - line_start; }
  std::uint32_t behind_blanks(std::uint32_t i) const {
    while (i < size && text[i] == ' ') ++i;
    return i;
  }
  /// `---` or `...` at the start of a line.
  bool is_marker() const {
    return at == line_start && (text.substr(at, 3) == "---" || text.substr(at, 3) == "...");
  }
  bool is_dash() const { return here() == '-' && ends_word(at + 1); }
  bool is_bracket() const { return here() == '[' || here() == '{'; }
  bool is_property() const { return here() == '&' || here() == '!'; }
  /// Moves over blanks to a colon that ends a key, if one stands there.
  bool is_colon();

  /// The name behind `&` or `*`, and a tag with its `!`; empty where they have unusual characters.
  std::string_view name();
  std::string_view tag();
  /// A plain or quoted scalar that ends on its line.
  std::optional<PlainScalar> scalar(const StopTable& stop);
  /// `|` or `|-` and the lines below it that are deeper than `parent_column`.
  std::optional<PlainScalar> literal(std::int64_t parent_column);

 private:
  std::optional<PlainScalar> plain(const StopTable& stop);
  std::optional<PlainScalar> quoted();
};

}  // namespace gpulint
