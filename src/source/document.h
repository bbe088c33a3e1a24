#pragma once

// A Document is one text as flat arrays: nodes in pre-order over the text they came from, with the
// byte span of every key and value. It is either owned (read from a file) or a view over embedded
// data that was parsed at build time (static lifetime), and both are used through the same
// functions.
//
// Scalars stay raw: what `1e-4` or `no` means depends on who loads the file, so a dialect asks
// `interpret(scalar, schema)` (scalar.h). Duplicate keys are kept; `find` returns the last one, as
// PyYAML does.

#include "base/source_span.h"
#include "base/text.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = 0xffffffffU;

enum class NodeKind : std::uint8_t { scalar, sequence, mapping, alias };
enum class Quoting : std::uint8_t { plain, single_quoted, double_quoted, literal, folded };
enum class Format : std::uint8_t { yaml, json, env };

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
  std::uint32_t begin =
      0;  // span in the text, quotes included, trailing blanks and comments excluded
  std::uint32_t end = 0;
  std::uint32_t value_begin =
      0;  // decoded scalar: in the text, or in the pool when escapes or folding changed it
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
  not_strict_json,    // comments, trailing commas, NaN, …; `text` says which
  merge_not_mapping,  // `<<:` of something that is no mapping
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

class Document {
 public:
  Document() = default;

  /// Flat arrays of an embedded document; everything must outlive the Document (static data).
  struct View {
    std::string_view path, text, pool;
    std::span<const Node> nodes;
    std::span<const NodeId> roots;
    std::span<const Comment> comments;
    Format format = Format::yaml;
  };
  static Document from_view(const View& view);
  View view() const { return view_; }

  /// What the readers fill; `Document::own` takes it over.
  struct Storage {
    std::string path, text, pool;
    std::vector<Node> nodes;
    std::vector<NodeId> roots;  // one per YAML document of the stream
    std::vector<Comment> comments;
    Format format = Format::yaml;
    bool expand_merges = true;  // false: following the merge keys would pass a limit
  };
  static Document own(Storage storage, std::vector<Problem> problems, FileId file);

  std::string_view path() const { return view_.path; }
  std::string_view text() const { return view_.text; }
  Format format() const { return view_.format; }
  FileId file() const { return file_; }
  std::span<const NodeId> roots() const { return view_.roots; }
  NodeId root() const { return view_.roots.empty() ? kNoNode : view_.roots.front(); }
  std::span<const Comment> comments() const { return view_.comments; }
  std::span<const Problem> problems() const { return problems_; }
  std::size_t size() const { return view_.nodes.size(); }

  /// A node of kind scalar with empty text for kNoNode.
  const Node& node(NodeId id) const { return id < size() ? view_.nodes[id] : kMissing; }
  /// Follows aliases; kNoNode when they lead nowhere. Never loops.
  NodeId resolve(NodeId id) const;
  NodeKind kind(NodeId id) const { return node(id).kind; }
  /// Decoded text of a scalar ("" for others).
  std::string_view scalar(NodeId id) const;
  std::string_view tag(NodeId id) const;
  std::string_view anchor(NodeId id) const;
  SourceSpan span(NodeId id) const { return {file_, node(id).begin, node(id).end}; }
  LineColumn line_column(std::uint32_t offset) const;

  /// Value of the last `key` in a mapping (merge keys considered after own keys), aliases followed.
  NodeId find(NodeId mapping, std::string_view key) const;
  /// Members as the loader sees them: duplicates removed (the last value at the first place), merge
  /// keys expanded (bounded).
  std::vector<Member> members(NodeId mapping) const;
  /// Items of a sequence, aliases followed; those that lead nowhere are left out.
  std::vector<NodeId> items(NodeId sequence) const;
  /// Node at a JSON pointer ("/a/b/0"; "" = root of the first document), or kNoNode.
  NodeId at(std::string_view pointer) const;
  /// JSON pointer of a node by its place in the text (not through aliases), from the root of its
  /// own document; a key has the pointer of its value.
  std::string pointer(NodeId id) const;

 private:
  static constexpr Node kMissing{};

  View view_;
  std::unique_ptr<Storage> storage_;  // stable address: view_ points into it
  std::vector<Problem> problems_;
  FileId file_ = kNoFile;
  bool expand_merges_ = true;
  mutable LineIndex lines_;  // built at the first line_column(); a Document belongs to one thread
};

}  // namespace gpulint
