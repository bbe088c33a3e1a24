#pragma once

// Lines of a text by offset; they end at \n, \r\n or \r. Internal to this room.

#include <cstdint>
#include <string_view>

namespace gpulint {

constexpr bool is_line_break(char c) { return c == '\n' || c == '\r'; }
std::uint32_t begin_of_line(std::string_view text, std::uint32_t at);
/// At its line break, or at the end of the text.
std::uint32_t end_of_line(std::string_view text, std::uint32_t at);
/// Where the next line begins.
std::uint32_t behind_line_end(std::string_view text, std::uint32_t at);

/// A backslash at its end continues the line at `at` on the next one, as shells and Python read it.
bool is_continued(std::string_view text, std::uint32_t at);
/// Where the command or statement that the line at `at` belongs to begins, and where it ends.
std::uint32_t begin_of_continued(std::string_view text, std::uint32_t at);
std::uint32_t end_of_continued(std::string_view text, std::uint32_t at);

}  // namespace gpulint
