#include "source/node_writer.h"

namespace gpulint {

NodeId add_node(Document::Storage& storage, NodeKind kind, NodeId parent, std::uint32_t begin,
                std::uint32_t end) {
  const auto id = static_cast<NodeId>(storage.nodes.size());
  Node& added = storage.nodes.emplace_back();
  added.kind = kind;
  added.parent = parent;
  added.begin = begin;
  added.end = end;
  return id;
}

void append_child(Document::Storage& storage, NodeId parent, NodeId& last, NodeId child,
                  NodeId key) {
  storage.nodes[child].key = key;
  if (last == kNoNode) {
    storage.nodes[parent].first_child = child;
  } else {
    storage.nodes[last].next_sibling = child;
  }
  last = child;
  ++storage.nodes[parent].child_count;
}

void set_pooled_value(Document::Storage& storage, NodeId scalar, std::string_view value) {
  Node& node = storage.nodes[scalar];
  node.has_value_in_pool = 1;
  node.value_begin = static_cast<std::uint32_t>(storage.pool.size());
  node.value_size = static_cast<std::uint32_t>(value.size());
  storage.pool += value;
}

}  // namespace gpulint
