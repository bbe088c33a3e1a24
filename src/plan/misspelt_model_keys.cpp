// A model's config takes any key: one that no class reads becomes an attribute, and the model keeps
// its default. So a slip is looked for in every mapping that is seen to be such a config by the
// keys beside it.

#include "base/text.h"
#include "plan/misspelt_keys.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {
namespace {

constexpr std::size_t kShortestModelKey = 12;  // letters
constexpr int kFewestModelKeys = 2;            // that the mapping has as they are written

/// The word that one letter made `key` of; "" where none, or where it is there too.
std::string_view meant_word(const std::vector<std::string>& words, std::string_view key,
                            const std::vector<std::string_view>& present) {
  for (const std::string& word : words) {
    if (word.size() < kShortestModelKey || edit_distance(word, key, 1) != 1) continue;
    if (std::find(present.begin(), present.end(), word) == present.end()) return word;
  }
  return {};
}

bool is_model_config(const Document& document, NodeId mapping,
                     const std::vector<std::string>& words) {
  int known = 0;
  for (NodeId child = document.node(mapping).first_child; child != kNoNode;
       child = document.node(child).next_sibling) {
    const NodeId key = document.node(child).key;
    if (key != kNoNode && contains(words, document.scalar(key))) ++known;
  }
  return known >= kFewestModelKeys;
}

}  // namespace

void observe_misspelt_model_keys(const Run& run, const Catalog& catalog,
                                 std::vector<Observation>& observations) {
  const Document& document = run.document();
  const std::vector<std::string>& words = catalog.words("model-config-keys");
  for (NodeId mapping = 0; mapping < document.size(); ++mapping) {
    const bool is_mapping = document.kind(mapping) == NodeKind::mapping;
    if (!is_mapping || !is_model_config(document, mapping, words)) continue;
    std::vector<std::string_view> present;
    for (const Member& member : document.members(mapping))
      present.push_back(document.scalar(document.resolve(member.key)));
    for (const Member& member : document.members(mapping)) {
      const std::string_view key = document.scalar(document.resolve(member.key));
      if (key.size() + 1 < kShortestModelKey || contains(words, key)) continue;
      const std::string_view meant = meant_word(words, key, present);
      const SourceSpan span = document.span(member.key);
      if (meant.empty() || span.file != document.file()) continue;
      if (run.project() != nullptr && run.project()->names(run.root(), std::string(key))) continue;
      const bool is_said =
          std::any_of(observations.begin(), observations.end(), [&](const Observation& item) {
            return item.list == "misspelt_keys" && item.span == span;
          });
      if (is_said) continue;
      Observation& item = observations.emplace_back();
      item.list = "misspelt_keys";
      item.span = span;
      item.pointer = document.pointer(member.value);
      item.name = std::string(key);
      item.detail = std::string(meant);
    }
  }
}

}  // namespace gpulint
