// A list of datasets that is joined and then divided at random has no test split any more: what its
// authors kept aside is trained on.

#include "base/text.h"
#include "plan/contradictions.h"
#include "source/scalar.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {
namespace {

/// "test_prefs", "test[:1%]" and "train+test" have it, "latest" has not.
bool has_part(std::string_view split, std::string_view part) {
  const std::string words = to_lower(split);
  for (std::size_t at = words.find(part); at != std::string::npos; at = words.find(part, at + 1)) {
    const auto is_letter = [&](std::size_t i) {
      return i < words.size() && words[i] >= 'a' && words[i] <= 'z';
    };
    if (!(at > 0 && is_letter(at - 1)) && !is_letter(at + part.size())) return true;
  }
  return false;
}

/// The key of `mapping` by which all data of it is divided at random; "" where none does.
std::string_view dividing_key(const Document& document, NodeId mapping,
                              const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    const NodeId value = document.find(mapping, key);
    if (value == kNoNode || document.kind(value) != NodeKind::scalar) continue;
    const std::optional<double> size = lenient_number(document.scalar(value));
    if (size && *size > 0) return key;
  }
  return {};
}

/// What an item of a list of datasets calls its data: its first plain key but the split.
std::string_view data_of(const Document& document, NodeId item) {
  for (const Member& member : document.members(item)) {
    const NodeId value = document.resolve(member.value);
    if (document.scalar(document.resolve(member.key)) == "split") continue;
    if (document.kind(value) == NodeKind::scalar) return document.scalar(value);
  }
  return {};
}

struct SplitReader {
  const Document& document;
  std::vector<Observation>& observations;

  void read_list(NodeId list, std::string_view key) {
    NodeId first = kNoNode;
    bool trains = false;
    int tests = 0;
    std::string_view alone;  // data of which nothing but a test split is there
    for (const NodeId item : document.items(list)) {
      if (document.kind(item) != NodeKind::mapping) continue;
      const NodeId split = document.find(item, "split");
      if (split == kNoNode || document.kind(split) != NodeKind::scalar) continue;
      trains = trains || has_part(document.scalar(split), "train");
      if (!has_part(document.scalar(split), "test")) continue;
      if (first == kNoNode) first = split;
      if (alone.empty() && is_alone(list, item)) alone = data_of(document, item);
      ++tests;
    }
    if (first == kNoNode || !trains) return;
    add(first, tests, key, alone);
  }

  bool is_alone(NodeId list, NodeId item) const {
    const std::string_view data = data_of(document, item);
    return !data.empty() && std::ranges::none_of(document.items(list), [&](NodeId other) {
      return other != item && document.kind(other) == NodeKind::mapping &&
             data_of(document, other) == data;
    });
  }

  void add(NodeId split, int tests, std::string_view key, std::string_view alone) {
    const SourceSpan span = document.span(split);
    if (span.file != document.file()) return;
    Observation& item = observations.emplace_back();
    item.list = "leaked_splits";
    item.span = span;
    item.pointer = document.pointer(split);
    item.name = "split";
    item.value = std::string(document.scalar(split));
    item.detail = std::string(key);
    item.fact = tests == 1 ? "one test split is" : std::to_string(tests) + " test splits are";
    item.fact += " trained on";
    if (!alone.empty()) item.fact += ", but no train split of " + std::string(alone);
  }
};

}  // namespace

void observe_splits(const Document& document, const Catalog& catalog,
                    std::vector<Observation>& observations) {
  const std::vector<std::string>& sizes = catalog.words("random-split-keys");
  const std::vector<std::string>& lists = catalog.words("dataset-list-keys");
  SplitReader reader{document, observations};
  for (NodeId id = 0; id < document.size(); ++id) {
    if (document.kind(id) != NodeKind::mapping) continue;
    const std::string_view key = dividing_key(document, id, sizes);
    if (key.empty()) continue;
    for (const std::string& list : lists) {
      const NodeId value = document.find(id, list);
      if (value != kNoNode && document.kind(value) == NodeKind::sequence) {
        reader.read_list(value, key);
      }
    }
  }
}

}  // namespace gpulint
