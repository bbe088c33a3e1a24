#pragma once

// Every key of a document under the hash of its dotted path, built in one walk. Dialects ask for
// hundreds of paths per file and files hold tens of keys, so a question must cost nanoseconds and
// build no strings. Paths are compared ignoring case and with '-' as '_' ("BATCH-SIZE" is
// "batch_size"), which no framework distinguishes. Two different paths of equal 64-bit hash would
// be taken for one another; with at most kMostEntries keys that does not happen by accident.

#include "catalog/dialect.h"
#include "source/document.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace gpulint {

/// Hash of a dotted path. `kRootPath` is the empty path.
using PathHash = std::uint64_t;
inline constexpr PathHash kRootPath = 1;

/// A dotted path hashed once, to be looked up under several roots: hashes are polynomials of their
/// components' hashes, so a path below a root costs one multiplication.
struct RelativePath {
  PathHash hash = 0;
  std::uint64_t scale = 1;
  constexpr PathHash below(PathHash root) const { return root * scale + hash; }
};
RelativePath relative_path(std::string_view dotted);
/// Hash of `dotted` below `parent`; an empty path is the parent itself.
PathHash path_below(PathHash parent, std::string_view dotted);

/// A key with its value (aliases followed).
struct Place {
  NodeId key = kNoNode;
  NodeId value = kNoNode;
  bool found() const { return value != kNoNode; }
};

class KeyIndex {
 public:
  /// Bounds of one walk, level by level: keys nested deeper, or beyond the count, are left out, so
  /// that a huge or endlessly aliased section cannot hide the keys beside it.
  static constexpr std::uint32_t kMostEntries = 20'000;
  static constexpr int kMostLevels = 12;

  /// With `decorations`, a value is found by the plain key within its own as well, unless its
  /// mapping has that key, and one whose key has dots by the path they write.
  explicit KeyIndex(const Document& document, const KeyDecorations* decorations = nullptr);

  const Document& document() const { return *document_; }
  /// Value of the last key at a path; not found when it is absent.
  Place find(PathHash path) const;
  bool has(PathHash path) const { return find(path).found(); }
  /// First place below `root` that a path with `*` components leads to and whose value matches, in
  /// the order of the file. `*` alone stands for any key or list item, `x*` and `*x` for keys with
  /// that beginning or end. `value`: "" = any, "!tag*" the value's tag, else its scalar text.
  Place find_pattern(NodeId root, std::string_view dotted, std::string_view value = {}) const;
  /// All such places, whatever their values.
  std::vector<Place> find_all(NodeId root, std::string_view dotted) const;
  /// Names of the keys seen, the plain ones included.
  const KeyNames& names() const { return names_; }
  /// True when a value was found by a plain key within its own.
  bool has_plain_keys() const { return has_plain_keys_; }
  /// Number of keys seen.
  std::size_t size() const { return count_; }
  /// True when a bound was reached and keys are missing.
  bool truncated() const { return truncated_; }

 private:
  struct Slot {
    PathHash hash = 0;
    Place place;
  };
  // A mapping whose keys are still to be added.
  struct Pending {
    NodeId mapping = kNoNode;
    PathHash path = kRootPath;
    int level = 0;
  };
  void walk(const Pending& from);
  void add(const Pending& parent, Place place);
  void add_plain(const Pending& parent, Place place);
  void insert(PathHash path, Place place);
  void grow();

  const Document* document_;
  const KeyDecorations* decorations_;  // during construction
  std::vector<NodeId> losing_keys_;    // duplicates that a later key of the same mapping overrides
  std::vector<Pending> pending_;       // in the order of their levels
  std::vector<Slot> slots_;            // open addressing, size a power of two
  KeyNames names_;
  std::size_t count_ = 0;
  bool truncated_ = false;
  bool has_plain_keys_ = false;
};

/// True when a key's text matches one component of a pattern.
bool component_matches(std::string_view pattern, std::string_view key);
/// True when a value's tag or scalar text matches (see `find_pattern`).
bool value_matches(const Document& document, NodeId value, std::string_view pattern);

}  // namespace gpulint
