#pragma once

// Where the pieces of a YAML text end. yaml-cpp tells where a node starts and what it means; these
// functions read the text again, only as far as needed, to tell where it ends. Internal to this
// room.

#include "source/tree_builder.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpulint {

/// Offset behind a plain scalar whose decoded value is `value`: line folds are matched against the
/// text, so that neither a comment nor trailing blanks belong to it.
std::uint32_t end_of_plain(std::string_view text, std::uint32_t begin, std::string_view value);
/// Offset behind the closing quote, if there is one; `begin` is at the opening one.
std::optional<std::uint32_t> end_of_quoted(std::string_view text, std::uint32_t begin);
/// Line breaks in the blanks before the closing quote of [begin, end), not counting an escaped one.
std::uint32_t breaks_before_closing_quote(std::string_view text, std::uint32_t begin,
                                          std::uint32_t end);
/// A tag with %XX turned into bytes, as YAML 1.2 asks of a shorthand tag.
std::string without_percent_escapes(std::string_view tag);
/// Offset behind the last content line of a literal or folded scalar (its line break excluded).
/// `parent_column`: column of the block collection it stands in, -1 at the root.
std::uint32_t end_of_block_scalar(std::string_view text, std::uint32_t begin,
                                  std::int64_t parent_column);
/// Offset behind an anchor or alias, `begin` being at its '&' or '*'.
std::uint32_t end_of_name(std::string_view text, std::uint32_t begin);
/// First offset at or behind `at` that is neither blank, nor line end, nor inside a comment.
std::uint32_t skip_blanks_and_comments(std::string_view text, std::uint32_t at);

/// What stands before the content of a node: `&anchor` and `!tag`, each at most once.
struct Properties {
  std::uint32_t end = 0;      // behind the last property; where the node starts without any
  std::uint32_t content = 0;  // where the content starts, should there be one
};
Properties skip_properties(std::string_view text, std::uint32_t at, bool anchor, bool tag);

/// True when one of ~ null Null NULL stands alone at `at`.
bool null_word_at(std::string_view text, std::uint32_t at);
std::uint32_t end_of_null_word(std::string_view text, std::uint32_t at);

/// Hands the comments between `from` and `to` to the builder; between them stand only blanks,
/// indicators and properties.
void collect_comments(std::string_view text, std::uint32_t from, std::uint32_t to,
                      TreeBuilder& builder);

}  // namespace gpulint
