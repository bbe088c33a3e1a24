#pragma once

// Strict reading of our own data files and of .gpulint.yaml: every key must be known, every value
// of its type, every quantity written with its unit. Loaders read on past an error and collect what
// they find, so that one run names everything that is wrong with a file, each with its place.
//
// Readers take the node of a value and call it by its key in messages. They return nothing for
// kNoNode: whether a key may be absent is said where it is looked up (`find` or `need`).

#include "base/result.h"
#include "base/units.h"
#include "source/document.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpulint {

/// What is wrong with one file.
class Complaints {
 public:
  explicit Complaints(const Document& document) : document_(document) {}

  const Document& document() const { return document_; }
  /// "key: message" at the node's place.
  void about(NodeId value, std::string_view message);
  /// The message alone, at a byte range of the file.
  void at(std::uint32_t begin, std::uint32_t end, std::string message);
  bool none() const { return errors_.empty(); }
  /// All of them as one Error: the first one's place, the others as further lines of its message.
  Error joined() &&;

  template <class T>
  Result<T> finish(T value) && {
    if (none()) return value;
    return fail(std::move(*this).joined());
  }

 private:
  const Document& document_;
  std::vector<Error> errors_;
};

/// Repeats every problem the reader of the text noted (duplicate keys, …) and refuses anchors,
/// aliases and tags: a data file means what it says, literally.
void refuse_reader_problems(Complaints& complaints);
void refuse_anchors_and_tags(Complaints& complaints);

/// One mapping. Keys asked for are the known ones; the rest is refused at the end.
class StrictMapping {
 public:
  /// Complains when `node` is not a mapping; then nothing is found in it.
  StrictMapping(Complaints& complaints, NodeId node);

  /// Value of an optional key; kNoNode when it is absent. Each key is asked for once.
  NodeId find(std::string_view key);
  /// Value of a required key; complains when it is absent.
  NodeId need(std::string_view key);
  bool is_mapping() const { return mapping_ != kNoNode; }
  /// Unknown keys with what was probably meant; call after the last find/need.
  void refuse_unknown_keys();

 private:
  static constexpr std::size_t kMaxKeys = 48;  // the longest of our formats has 38
  Complaints& complaints_;
  NodeId node_;
  NodeId mapping_ = kNoNode;
  std::array<std::string_view, kMaxKeys> known_;
  std::size_t known_count_ = 0;
  std::size_t found_count_ = 0;
  NodeId next_ = kNoNode;  // where the next search starts; kNoNode = at the first key
};

/// Plain `null`, `~` or nothing.
bool is_null(const Document& document, NodeId node);
/// Key and value of every entry in the order written; complains when `node` is not a mapping.
std::vector<std::pair<std::string_view, NodeId>> read_entries(Complaints& complaints, NodeId node);
/// Items of a list; complains when `node` is none.
std::vector<NodeId> read_items(Complaints& complaints, NodeId node);

/// One T for each item of a list of mappings. `read_one(mapping, item, made)` looks up its keys;
/// the rest is refused.
template <class T, class ReadOne>
std::vector<T> read_mappings(Complaints& complaints, NodeId node, const ReadOne& read_one) {
  std::vector<T> all;
  if (node == kNoNode) return all;
  for (const NodeId item : read_items(complaints, node)) {
    StrictMapping mapping(complaints, item);
    read_one(mapping, item, all.emplace_back());
    mapping.refuse_unknown_keys();
  }
  return all;
}

/// A scalar with something in it, blanks around it removed; "" after a complaint.
std::string_view read_word(Complaints& complaints, NodeId node);
/// The same with blanks kept (block texts).
std::string_view read_text(Complaints& complaints, NodeId node);
/// A list of words, or one word standing for a list of one. `may_be_empty`: a word may be "".
std::vector<std::string> read_words(Complaints& complaints, NodeId node, bool may_be_empty = false);
/// One of `choices`, as its index; unknown words are answered with what was probably meant.
std::optional<std::size_t> read_choice(Complaints& complaints, NodeId node,
                                       std::span<const std::string_view> choices);
/// `true` or `false`.
std::optional<bool> read_boolean(Complaints& complaints, NodeId node);
std::optional<std::int64_t> read_integer(Complaints& complaints, NodeId node, std::int64_t least,
                                         std::int64_t greatest);
/// A plain number in (above, most].
std::optional<double> read_fraction(Complaints& complaints, NodeId node, double above, double most);
/// "80 GiB", "62 GB": positive, with a unit.
std::optional<Bytes> read_bytes(Complaints& complaints, NodeId node);
/// A quantity per second: "936 GB/s".
std::optional<PerSecond> read_bandwidth(Complaints& complaints, NodeId node);
/// "35.6 TFLOP/s".
std::optional<PerSecond> read_flops(Complaints& complaints, NodeId node);
/// "350 W" with `unit` "W": the number before one fixed unit.
std::optional<double> read_quantity(Complaints& complaints, NodeId node, std::string_view unit);

/// Citations: a list for the whole file, or a mapping of field to citation(s) which covers each of
/// `fields` that `file` states, by its own entry or by `others`. Returned as "citation" or
/// "field: citation".
std::vector<std::string> read_sources(Complaints& complaints, NodeId file, NodeId sources,
                                      std::span<const std::string_view> fields);

/// Name of the folder of a data file's path; its id is the stem.
std::string_view folder_name_of(std::string_view path);

}  // namespace gpulint
