#pragma once

#include "source/document.h"
#include "source/interpolation.h"
#include "source/scalar.h"

#include <cstdlib>

namespace gpulint {

inline void demand(bool promise) {
  if (!promise) std::abort();
}

/// Uses every function of a document and checks what the header promises of every tree.
inline void walk(const Document& document) {
  const std::size_t text_size = document.text().size();
  std::size_t looked_up = 0;
  for (NodeId id = 0; id < document.size(); ++id) {
    const Node& node = document.node(id);
    demand(node.begin <= node.end && node.end <= text_size);
    demand(node.parent == kNoNode || node.parent < id);
    demand(node.next_sibling == kNoNode || node.next_sibling > id);
    demand(node.key == kNoNode || node.key < id);
    // A value of Python may be stated anywhere: `a = 1` above, `dict(b=a)` below.
    if (node.parent != kNoNode && document.format() != Format::python) {
      const Node& parent = document.node(node.parent);
      demand(parent.begin <= node.begin && node.end <= parent.end);
    }
    demand(document.resolve(id) == kNoNode ||
           document.kind(document.resolve(id)) != NodeKind::alias);
    for (const ScalarSchema schema : {ScalarSchema::yaml11, ScalarSchema::yaml12,
                                      ScalarSchema::omegaconf, ScalarSchema::json}) {
      (void)interpret(document, id, schema);
    }
    (void)is_number_only_in_yaml12(document, id);
    (void)lenient_number(document.scalar(id));
    (void)parse_bytes(document.scalar(id));
    constexpr std::size_t kCostly = 200;  // nodes for which the slow functions are tried
    if (++looked_up > kCostly) continue;
    (void)resolve_reference(document, id);
    (void)document.line_column(node.begin);
    (void)document.at(document.pointer(id));
    (void)document.members(id);
    (void)document.items(id);
  }
  std::uint32_t last_end = 0;
  for (const Comment& comment : document.comments()) {
    demand(last_end <= comment.begin && comment.begin < comment.end && comment.end <= text_size);
    last_end = comment.end;
  }
}

}  // namespace gpulint
