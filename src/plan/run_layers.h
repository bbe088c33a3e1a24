#pragma once

// Several texts read as one: mappings of the same place are joined key by key, for anything else
// the stronger layer counts (what yacs, OmegaConf, PaddleDetection and MMEngine do). The result is
// an ordinary Document whose nodes know the file they came from.

#include "source/document.h"

#include <span>
#include <string>
#include <vector>

namespace gpulint {

struct Layer {
  const Document* document = nullptr;
  NodeId node = kNoNode;           // its mapping that takes part, usually the root
  std::vector<std::string> under;  // keys it is put below; empty = the top level
};

struct JoinedLayers {
  Document document;
  bool truncated = false;  // a limit was reached; what is deeper or behind it was left out
};

/// `layers`: weakest first. `removed`: dotted paths that no layer states (`~a.b`). The result has
/// the path, the format and the file of `main`.
JoinedLayers join_layers(std::span<const Layer> layers, const Document& main,
                         std::span<const std::string> removed = {});

}  // namespace gpulint
