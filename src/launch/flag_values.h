#pragma once

// What the words behind a flag say: a value, several, a list, or nothing but that it stands there.
// Internal to this room.

#include "launch/flag_tree.h"
#include "shell/text.h"

#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// The bytes from `begin` up to `end` with where each came from.
ShellText part(const ShellText& text, std::size_t begin, std::size_t end = std::string::npos);
/// Of a flag without a value.
FlagNode switched(const ShellText& written, std::string_view value);
/// `written`: the flag as it stands. Unknown where one of the items is.
FlagNode with_items(const ShellText& written, std::vector<ShellText> items);
/// `[a, b]` is a list to what reads `key=value`; one with lists or quoted commas inside stays as
/// it is written.
FlagNode with_value(const ShellText& written, ShellText value);

}  // namespace gpulint
