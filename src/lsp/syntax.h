#pragma once

// Where a cursor stands in a config: in a text that parses, and in one that is being typed.

#include "source/document.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint::lsp {

/// The smallest key or scalar around an offset.
struct NodeAt {
  NodeId node = kNoNode;
  NodeId value = kNoNode;  // of the key, where it is one; else the node itself
  std::string pointer;     // of the value
};
std::optional<NodeAt> node_at(const Document& document, std::uint32_t offset);

/// The key or value that is being typed, in block YAML, JSON or flow style.
struct TypedPlace {
  std::vector<std::string> parents;   // keys of the mappings around it, outermost first
  std::vector<std::string> siblings;  // keys that stand in the same mapping already
  std::string key;                    // whose value it is; "" = a key is being typed
  std::uint32_t begin = 0;            // of what is typed so far
  std::string typed;                  // quotes left out
  bool quoted = false;                // within quotes, or in a text that wants them
  bool has_colon = false;             // of a key: a colon follows already
};
/// nullopt in a comment, and where it cannot be said.
std::optional<TypedPlace> typed_place(std::string_view text, std::uint32_t offset, Format format);

}  // namespace gpulint::lsp
