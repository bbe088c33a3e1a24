#pragma once

// Writing the nodes of a Document: what the readers of texts share with those who make a document
// of something else (the flags of a command, the values of a Python config, several documents as
// one).

#include "source/document.h"

#include <cstdint>
#include <string_view>

namespace gpulint {

/// Adds a node below `parent` (kNoNode: a root, which the caller lists in `roots`) at a place of
/// the text; what it holds is set afterwards. Nodes stand in pre-order: a collection comes before
/// what is in it, a key before its value. Both have their mapping as parent.
NodeId add_node(Document::Storage& storage, NodeKind kind, NodeId parent, std::uint32_t begin,
                std::uint32_t end);

/// Makes `child` the last child of `parent`. `last` is the child before it, kNoNode for the first,
/// and becomes `child`. `key`: node of the key, when `parent` is a mapping.
void append_child(Document::Storage& storage, NodeId parent, NodeId& last, NodeId child,
                  NodeId key = kNoNode);

/// Gives a scalar a value that does not stand in the text as it is.
void set_pooled_value(Document::Storage& storage, NodeId scalar, std::string_view value);

}  // namespace gpulint
