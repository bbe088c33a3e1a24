// Layout: text, pool, number of nodes, then each node in the order of the array: a byte of flags,
// the distance of its begin from that of the node before, and what its kind needs. Links are not
// stored: nodes stand in pre-order, a mapping's keys before their values, so the number of children
// says them all.

#include "catalog/packed_document.h"

#include "base/byte_stream.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace gpulint {
namespace {

constexpr unsigned kKindBits = 0x3U;
constexpr unsigned kQuotingShift = 2;
constexpr unsigned kQuotingBits = 0x7U;
constexpr unsigned kFlow = 1U << 5U;
constexpr unsigned kInPool = 1U << 6U;
constexpr unsigned kApart = 1U << 7U;  // the value is not the whole span: it was quoted or folded

bool is_apart(const Node& node) {
  return node.kind == NodeKind::scalar &&
         (node.has_value_in_pool != 0 || node.value_begin != node.begin ||
          node.value_size != node.end - node.begin);
}

unsigned flags_of(const Node& node) {
  return static_cast<unsigned>(node.kind) | (static_cast<unsigned>(node.quoting) << kQuotingShift) |
         (node.flow != 0 ? kFlow : 0U) | (node.has_value_in_pool != 0 ? kInPool : 0U) |
         (is_apart(node) ? kApart : 0U);
}

std::int64_t distance(std::uint32_t from, std::uint32_t to) {
  return std::int64_t{to} - std::int64_t{from};
}

void write_node(ByteWriter& out, const Node& node, std::uint32_t previous_begin) {
  out.number(flags_of(node));
  out.signed_number(distance(previous_begin, node.begin));
  out.number(node.end - node.begin);
  if (node.kind != NodeKind::scalar) {
    out.number(node.child_count);
  } else if (is_apart(node)) {
    out.signed_number(node.has_value_in_pool != 0 ? node.value_begin
                                                  : distance(node.begin, node.value_begin));
    out.number(node.value_size);
  }
}

Node read_node(ByteReader& in, std::uint32_t previous_begin) {
  Node node;
  const unsigned flags = in.small();
  node.kind = static_cast<NodeKind>(flags & kKindBits);
  node.quoting = static_cast<Quoting>(
      std::min((flags >> kQuotingShift) & kQuotingBits, static_cast<unsigned>(Quoting::folded)));
  node.flow = (flags & kFlow) != 0 ? 1 : 0;
  node.has_value_in_pool = (flags & kInPool) != 0 ? 1 : 0;
  node.begin = static_cast<std::uint32_t>(previous_begin + in.signed_number());
  node.end = node.begin + in.small();
  if (node.kind != NodeKind::scalar) {
    node.child_count = in.small();
  } else if ((flags & kApart) != 0) {
    const auto begin = static_cast<std::uint32_t>(in.signed_number());
    node.value_begin = node.has_value_in_pool != 0 ? begin : node.begin + begin;
    node.value_size = in.small();
  } else {
    node.value_begin = node.begin;
    node.value_size = node.end - node.begin;
  }
  return node;
}

/// Ties nodes that arrive in pre-order to their collections, as the reader of the text did.
class Links {
 public:
  explicit Links(Document::Storage& storage) : storage_(storage) {}

  void add(const Node& node) {
    const auto id = static_cast<NodeId>(storage_.nodes.size());
    storage_.nodes.push_back(node);
    if (open_.empty()) {
      storage_.roots.push_back(id);
    } else {
      attach(id);
    }
    if (node.kind == NodeKind::sequence || node.kind == NodeKind::mapping) {
      open_.push_back({id, node.child_count, node.kind == NodeKind::mapping});
    }
    while (!open_.empty() && open_.back().missing == 0 && open_.back().key == kNoNode) {
      open_.pop_back();
    }
  }

 private:
  struct Frame {
    NodeId node = kNoNode;
    std::uint32_t missing = 0;  // values still to come
    bool mapping = false;
    NodeId key = kNoNode;  // waits for its value
    NodeId last_child = kNoNode;
  };

  void attach(NodeId id) {
    Frame& frame = open_.back();
    Node& node = storage_.nodes[id];
    node.parent = frame.node;
    if (frame.mapping && frame.key == kNoNode) {
      frame.key = id;
      return;
    }
    node.key = std::exchange(frame.key, kNoNode);
    NodeId& link = frame.last_child == kNoNode ? storage_.nodes[frame.node].first_child
                                               : storage_.nodes[frame.last_child].next_sibling;
    link = id;
    frame.last_child = id;
    --frame.missing;
  }

  Document::Storage& storage_;
  std::vector<Frame> open_;
};

bool lies_inside(const Node& node, const Document::Storage& storage) {
  const std::size_t size = node.has_value_in_pool != 0 ? storage.pool.size() : storage.text.size();
  return node.begin <= node.end && node.end <= storage.text.size() && node.value_begin <= size &&
         node.value_size <= size - node.value_begin;
}

}  // namespace

Result<std::string> pack(const Document& document) {
  const Document::View view = document.view();
  const auto unusual = [](const Node& node) {
    return node.kind == NodeKind::alias || node.tag_size != 0 || node.anchor_size != 0;
  };
  if (view.format != Format::yaml || view.roots.size() > 1 ||
      std::any_of(view.nodes.begin(), view.nodes.end(), unusual)) {
    return fail(Error{"a data file is one YAML document without anchors, aliases and tags",
                      std::string(view.path)});
  }
  ByteWriter out;
  out.text(view.text);
  out.text(view.pool);
  out.number(view.nodes.size());
  std::uint32_t previous_begin = 0;
  for (const Node& node : view.nodes) {
    write_node(out, node, previous_begin);
    previous_begin = node.begin;
  }
  return std::move(out).take();
}

Document unpack(std::string_view path, std::string_view bytes) {
  ByteReader in(bytes);
  Document::Storage storage;
  storage.path = path;
  storage.text = in.text();
  storage.pool = in.text();
  const std::uint64_t count = in.number();
  storage.nodes.reserve(std::min<std::uint64_t>(count, bytes.size()));
  Links links(storage);
  std::uint32_t previous_begin = 0;
  for (std::uint64_t i = 0; i < count && !in.at_end(); ++i) {
    const Node node = read_node(in, previous_begin);
    if (!lies_inside(node, storage)) break;
    links.add(node);
    previous_begin = node.begin;
  }
  return Document::own(std::move(storage), {}, kNoFile);
}

}  // namespace gpulint
