#pragma once

// Words of the commands in a file of YAML: where its values stand, and what stands for others.
// Internal to this room.

#include "catalog/launcher.h"
#include "shell/script.h"
#include "source/document.h"

#include <string_view>

namespace gpulint {

/// `resources.limits.nvidia.com/gpu`: keys may hold dots themselves. Items of a list go by number.
NodeId find_dotted(const Document& document, NodeId node, std::string_view path);

/// A scalar's value, each byte where the file writes it: behind indentation, escapes and folds the
/// next byte of the text that it can be.
ShellText scalar_text(const Document& document, NodeId id);

/// Adds what a word of a unit stands for.
void add_carried_word(const Document& document, NodeId unit, const CarriedWord& word,
                      ShellText& command);

}  // namespace gpulint
