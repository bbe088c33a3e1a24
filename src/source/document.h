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
#include "source/node.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

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

  /// One of the texts a joined document is made of (plan/run.h).
  struct Part {
    std::uint32_t begin = 0;  // where it starts in the joined text
    FileId file = kNoFile;
    std::uint32_t depth = 0;  // keys it was put under, which the pointers of its own file lack
  };

  /// What the readers fill; `Document::own` takes it over.
  struct Storage {
    std::string path, text, pool;
    std::vector<Node> nodes;
    std::vector<NodeId> roots;  // one per YAML document of the stream
    std::vector<Comment> comments;
    Format format = Format::yaml;
    bool expand_merges = true;  // false: following the merge keys would pass a limit
    std::vector<Part> parts;    // joined documents only, in the order of their texts
  };
  static Document own(Storage storage, std::vector<Problem> problems, FileId file);

  /// The same document as `file` of another request; both share the arrays, which never change. Not
  /// for joined documents, whose parts have numbers of their own.
  Document as_file(FileId file) const;
  /// Memory that an owned document takes, about.
  std::size_t bytes() const;
  /// Equal for documents of equal path, text and nodes from the same files, and hardly for others.
  struct Fingerprint {
    std::size_t nodes = 0;
    std::size_t texts = 0;
  };
  Fingerprint fingerprint() const;

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
  /// Bytes of a node in the file that states it.
  SourceSpan span(NodeId id) const {
    const Node& at = node(id);
    return parts().empty() ? SourceSpan{file_, at.begin, at.end} : span_in_part(at);
  }
  /// Text at a span of this document's files; "" for any other.
  std::string_view text_at(const SourceSpan& span) const;
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
  /// own document and file; a key has the pointer of its value.
  std::string pointer(NodeId id) const;

 private:
  static constexpr Node kMissing{};

  std::span<const Part> parts() const {
    return storage_ ? std::span<const Part>(storage_->parts) : std::span<const Part>();
  }
  SourceSpan span_in_part(const Node& node) const;

  View view_;
  /// Stable address: view_ points into it. Shared, because requests of one session that run at once
  /// read the same files, and none of them knows which will be the last (parsed_files.h).
  std::shared_ptr<const Storage> storage_;
  std::vector<Problem> problems_;
  FileId file_ = kNoFile;
  bool expand_merges_ = true;
  mutable LineIndex lines_;  // built at the first line_column(); a Document belongs to one thread
};

/// A JSON pointer as people write keys: "/solver/speed" -> "solver.speed".
std::string dotted_key(std::string_view pointer);

}  // namespace gpulint
