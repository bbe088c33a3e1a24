#pragma once

// What the YAML and the JSON reader share: nodes in pre-order, linked as they arrive. Internal to
// this room.

#include "source/document.h"
#include "source/read.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpulint {

/// Byte range of the text.
struct Range {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

class TreeBuilder {
 public:
  /// An open mapping or sequence.
  struct Frame {
    NodeId node = kNoNode;
    NodeId last_child = kNoNode;
    NodeId key = kNoNode;  // mapping: the key that waits for its value
    std::int64_t column =
        -1;  // block style: byte column of its entries; what is inside stands deeper
    bool mapping = false;
    bool flow = false;
    bool closed_by_bracket = false;
  };

  /// `text` must outlive the builder.
  TreeBuilder(std::string_view text, const ReadLimits& limits);

  /// Adds a node at the place the open collection expects; `close` ends the innermost collection.
  NodeId add(NodeKind kind, Range span);
  NodeId open(NodeKind kind, std::uint32_t begin, const Frame& frame);
  void close(std::uint32_t end);
  /// Sets the decoded value: from the text when it stands there verbatim at `verbatim_begin`, else
  /// from the pool.
  void set_value(NodeId id, std::string_view value, std::uint32_t verbatim_begin);
  void set_tag(NodeId id, std::string_view tag);
  void set_anchor(NodeId id, std::string_view anchor);
  void note(ProblemKind kind, Range span, NodeId node, std::string text);
  void comment(Range span) { storage_.comments.push_back({span.begin, span.end}); }

  Node& node(NodeId id) { return storage_.nodes[id]; }
  std::uint32_t begin_of(NodeId id) const { return storage_.nodes[id].begin; }
  bool inside_collection() const { return !stack_.empty(); }
  Frame& top() { return stack_.back(); }
  const std::vector<Frame>& open_collections() const { return stack_; }
  bool expects_key() const {
    return !stack_.empty() && stack_.back().mapping && stack_.back().key == kNoNode;
  }
  /// True once `max_nodes` or `max_depth` is passed; `limit_message` says which.
  bool over_limit() const {
    return stack_.size() > limits_.max_depth || storage_.nodes.size() > limits_.max_nodes;
  }
  std::string limit_message() const;
  /// Duplicate keys are a note for every format but shell scripts, where assigning again is usual.
  void ignore_duplicate_keys() { report_duplicates_ = false; }

  /// The finished tree; call once, with every collection closed.
  Document finish(std::string path, std::string text, Format format, FileId file);

 private:
  void attach(NodeId id);
  void report_duplicates(NodeId mapping);
  void report_duplicate(NodeId losing_key, NodeId winning_key);
  std::string_view key_text(NodeId key) const;
  bool same_key(NodeId a, NodeId b) const;
  void check_expansion();
  std::pair<std::uint32_t, std::uint32_t> pooled(std::string_view text);

  std::string_view text_;
  ReadLimits limits_;
  Document::Storage storage_;
  std::vector<Frame> stack_;
  std::vector<Problem> problems_;
  std::vector<std::pair<std::string_view, NodeId>> keys_;  // scratch of report_duplicates
  bool has_aliases_ = false;
  bool has_merges_ = false;
  bool report_duplicates_ = true;
};

/// Error with file, span and line:column of `span` in `text`.
Error error_at(const std::string& path, std::string_view text, FileId file, Range span,
               std::string message);
/// Refuses what no reader can use: more than `max_bytes`, another encoding than UTF-8, control
/// characters.
Result<void> check_text(const std::string& path, std::string_view text, FileId file,
                        const ReadLimits& limits);
/// 3 when the text starts with a UTF-8 byte order mark, else 0.
std::uint32_t byte_order_mark_size(std::string_view text);

}  // namespace gpulint
