#pragma once

#include "source/document.h"

#include <optional>
#include <string>

namespace gpulint {

/// What HyperPyYAML's `!ref` stands for.
struct HyperTarget {
  NodeId node = kNoNode;                   // the plain scalar a chain of names ends at …
  std::optional<std::string> number = {};  // … or what arithmetic over such scalars gives
};

/// `!ref <batch_size>`, `!ref <opts[lr]>`, `!ref <batch_size> // 2`: names are keys of the file the
/// reference is written in. Neither is set for text, objects, circles and what is not in the file.
HyperTarget resolve_hyper_reference(const Document& document, NodeId reference);

/// True for a scalar that HyperPyYAML replaces by what it names.
bool is_hyper_reference(const Document& document, NodeId scalar);

}  // namespace gpulint
