#pragma once

// Several texts read as one: mappings of the same place are joined key by key, for anything else
// the stronger layer counts (what yacs, OmegaConf, PaddleDetection and MMEngine do). The result is
// an ordinary Document whose nodes know the file they came from.

#include "source/document.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

/// Before a file's name: HyperPyYAML's tag for a file that stands in a key's place.
inline constexpr std::string_view kIncludeTag = "!include:";
/// The tag of a scalar that is such a file's name, as the loaders of many projects read it.
inline constexpr std::string_view kIncludesTag = "!include";

/// The file that a tag puts in the place of a value; "" = none.
std::string_view included_name(const Document& document, NodeId node);

struct Layer {
  const Document* document = nullptr;
  NodeId node = kNoNode;  // its mapping that takes part, usually the root
  /// Keys it is put below; empty = the top level. A number below a list is the item of that index.
  std::vector<std::string> under;
};

/// The mapping a document begins with; kNoNode where it is empty.
NodeId top_of(const Document& document);

/// "a.b" as the keys `under` of a layer.
std::vector<std::string> dotted_parts(std::string_view dotted);

struct JoinedLayers {
  Document document;
  bool truncated = false;  // a limit was reached; what is deeper or behind it was left out
  /// Layers whose `under` names an item that a list does not have: `under`, dotted.
  std::vector<std::string> misplaced = {};
};

/// `layers`: weakest first. `removed`: dotted paths that no layer states (`~a.b`). The result has
/// the path, the format and the file of `main`.
JoinedLayers join_layers(std::span<const Layer> layers, const Document& main,
                         std::span<const std::string> removed = {});

}  // namespace gpulint
