#pragma once

// Texts that yaml-cpp 0.7 reads otherwise than the loaders of training programs do, written so that
// it reads them alike; offsets stay. Internal to this room.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace gpulint {

/// A copy in which a lone carriage return, a line end to YAML, is one to yaml-cpp, and the last
/// line has its end; nullopt: the text needs neither.
std::optional<std::string> with_line_feeds(std::string_view text);

/// What a key is called that begins at a byte of the text.
using AliasKeys = std::map<std::uint32_t, std::string>;

/// `*NAME: value` is a key called as the anchor's scalar to PyYAML, and `NAME:` the alias to YAML
/// 1.2 and yaml-cpp, which knows none of that name. The text with other names of the same length in
/// the place of such keys, where the anchor's scalar stands on the anchor's line; nullopt: there are
/// none.
std::optional<std::string> without_alias_keys(std::string_view text, AliasKeys& keys);

}  // namespace gpulint
