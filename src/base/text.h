#pragma once

#include "base/source_span.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

std::string_view trim(std::string_view text);
std::string to_lower(std::string_view text);
/// Of names in configs, scripts and rules: ASCII letters and `_`, then digits too.
constexpr bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool is_name_part(char c) { return is_name_start(c) || (c >= '0' && c <= '9'); }
bool starts_with_ignoring_case(std::string_view text, std::string_view prefix);
bool equals_ignoring_case(std::string_view a, std::string_view b);
/// Parts between separators; an empty text gives one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);
/// What follows a count: "rank" after 1, else its plural, which is the noun and an s unless it is
/// stated behind a bar ("batch|batches").
std::string_view singular_of(std::string_view nouns);
std::string plural_of(std::string_view nouns);
/// "1 rank", "24 ranks".
std::string counted(std::int64_t count, std::string_view nouns);
std::string join(std::span<const std::string> parts, std::string_view separator);
bool contains(std::span<const std::string> words, std::string_view word);
/// Whether one of the words stands anywhere in the text.
bool has_any(std::string_view text, std::span<const std::string> words);

/// Damerau-Levenshtein distance, cut off above `limit` (then limit + 1 is returned).
std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit);
/// The candidate closest to `word` (at most a third of its length away), or empty.
std::string_view closest(std::string_view word, std::span<const std::string_view> candidates);
/// " (did you mean \"x\"?)" or empty; ready to append to a message.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> candidates);

/// Control characters, C1, bidirectional and zero-width characters and invalid UTF-8 written as
/// \xNN / \u{NNNN}, so that no printed value can drive a terminal or reorder a line. Tab becomes a
/// space.
std::string escape_for_display(std::string_view text);
/// Byte offset of the first byte that is not UTF-8, or npos.
std::size_t first_invalid_utf8(std::string_view text);

/// Offsets of line starts, built once per text; lines end at \n, \r\n or \r.
class LineIndex {
 public:
  LineIndex() = default;
  explicit LineIndex(std::string_view text);
  /// 1-based line and code-point column of a byte offset (offsets past the end give the end).
  LineColumn at(std::string_view text, std::uint32_t offset) const;
  /// Text of a 1-based line without its line end.
  std::string_view line(std::string_view text, std::uint32_t number) const;
  std::uint32_t line_count() const { return static_cast<std::uint32_t>(starts_.size()); }

 private:
  std::vector<std::uint32_t> starts_;
};

/// Posix path helpers ('/' only): "a/./b/../c" -> "a/c"; parent of "a/b" is "a", of "a" is "".
std::string normalize_path(std::string_view path);
std::string_view parent_path(std::string_view path);
std::string_view file_name(std::string_view path);
/// The name of a file without its last ending: "a/b.yaml" -> "b".
std::string_view stem_of(std::string_view path);
/// "x.YAML" -> "yaml"; empty without a dot.
std::string extension(std::string_view path);
std::string join_path(std::string_view folder, std::string_view relative);
/// gitignore-style glob match of a whole path: *, ?, [..], ** across folders.
bool glob_match(std::string_view pattern, std::string_view path);

}  // namespace gpulint
