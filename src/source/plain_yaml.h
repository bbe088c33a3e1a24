#pragma once

// The part of YAML that most configs are written in, read in one pass without yaml-cpp: one
// document of block mappings and lists, scalars on one line, bracketed collections, comments.
// Internal to this room.

#include "base/result.h"
#include "source/read.h"
#include "source/tree_builder.h"

#include <string>
#include <string_view>

namespace gpulint {

/// Reads `text`, which check_text accepted, into `builder`. False where anything stands outside
/// that part or looks wrong (anchors, tags, block scalars, folded lines, tabs, several documents,
/// an indentation that fits nothing): `builder` is then left half-filled, and yaml-cpp decides what
/// the text means. Where it is true, the tree is the one that yaml-cpp's events give.
bool read_plain_yaml(std::string_view text, TreeBuilder& builder);

/// All of YAML, through yaml-cpp. `text` was accepted by check_text. Errors as read_yaml (read.h).
Result<Document> read_whole_yaml(std::string path, std::string text, FileId file,
                                 const ReadLimits& limits);

}  // namespace gpulint
