#pragma once

// The plain values a Document is made of (document.h).

#include <cstdint>
#include <string>

namespace gpulint {

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = 0xffffffffU;

enum class NodeKind : std::uint8_t { scalar, sequence, mapping, alias };
enum class Quoting : std::uint8_t { plain, single_quoted, double_quoted, literal, folded };
enum class Format : std::uint8_t { yaml, json, env, python, shell, toml };

/// Trivially copyable: embedded documents are these bytes, written at build time.
/// Children of a mapping alternate in the list as values; each value's `key` names its key node.
struct Node {
  NodeKind kind = NodeKind::scalar;
  Quoting quoting = Quoting::plain;
  std::uint8_t flow = 0;               // 1 when written in flow style ({…} or […])
  std::uint8_t has_value_in_pool = 0;  // 1: value_begin/value_size index the pool, 0: the text
  NodeId parent = kNoNode;
  NodeId first_child = kNoNode;
  NodeId next_sibling = kNoNode;
  std::uint32_t child_count = 0;
  NodeId key = kNoNode;     // key node of a mapping's value; keys are nodes of their own
  NodeId target = kNoNode;  // alias: node it stands for; kNoNode when undefined or cyclic
  // Span in the text: quotes included; anchor, tag, trailing blanks and comments excluded. A value
  // that is not written has an empty span behind the colon or dash that asks for it.
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  // Decoded scalar: in the text, or in the pool when escapes or folding changed it.
  std::uint32_t value_begin = 0;
  std::uint32_t value_size = 0;
  std::uint32_t tag_begin = 0;  // tag ("!ref", "!!float" as "tag:yaml.org,2002:float"), in the pool
  std::uint32_t tag_size = 0;
  std::uint32_t anchor_begin = 0;  // anchor name, in the pool; size 0 = none
  std::uint32_t anchor_size = 0;
};

struct Comment {
  std::uint32_t begin = 0;  // at '#' (or '//', '/*' in JSON with comments)
  std::uint32_t end = 0;    // before the line end
};

enum class ProblemKind : std::uint8_t {
  duplicate_key,      // `node` = the key that loses, `other` = the key that wins
  undefined_alias,    // `*x` without `&x`
  cyclic_alias,       // `&a [*a]`
  not_strict_json,    // comments, trailing commas, unquoted text, …; `text` says which
  merge_not_mapping,  // `<<:` of something that is not a mapping
  limit,              // a limit was reached; `text` says which and what was left out
};

/// Something the reader noticed but could live with.
struct Problem {
  ProblemKind kind = ProblemKind::duplicate_key;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  NodeId node = kNoNode;
  NodeId other = kNoNode;
  std::string text = {};
};

/// One member of a mapping as its loader sees it: own keys first-to-last, then what merge keys add.
struct Member {
  NodeId key = kNoNode;
  NodeId value = kNoNode;  // alias nodes are already followed; kNoNode when the alias leads nowhere
  bool merged = false;     // came through `<<`
};

}  // namespace gpulint
