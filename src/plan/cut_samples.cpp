// Windows of a sequence of letters (DNA, proteins) that make more tokens than are kept. A token of
// k letters begins every `stride` letters, so a window of L letters makes (L - k) / stride + 1;
// what lies behind the limit is loaded, tokenized and dropped. All four numbers have to stand in
// one mapping.

#include "base/text.h"
#include "plan/contradictions.h"
#include "source/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gpulint {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 40;

struct Number {
  NodeId node = kNoNode;
  std::int64_t value = 0;
};

/// Of the one key of a mapping that is in the list.
std::optional<Number> number_of(const Document& document, NodeId mapping,
                                const std::vector<std::string>& keys) {
  std::optional<Number> found;
  for (const Member& member : document.members(mapping)) {
    const NodeId value = document.resolve(member.value);
    if (value == kNoNode || document.kind(value) != NodeKind::scalar) continue;
    if (!contains(keys, to_lower(document.scalar(document.resolve(member.key))))) continue;
    const std::optional<double> number = lenient_number(document.scalar(value));
    if (found || !number || *number < 1 || *number > static_cast<double>(kMost) ||
        *number != std::floor(*number)) {
      return std::nullopt;
    }
    found = Number{value, static_cast<std::int64_t>(*number)};
  }
  return found;
}

}  // namespace

void observe_cut_samples(const Document& document, const Catalog& catalog,
                         std::vector<Observation>& observations) {
  if (document.text().find("mer") == std::string_view::npos) return;
  const std::vector<std::string>& sizes = catalog.words("kmer-keys");
  const std::string text = to_lower(document.text());
  const bool has_size = std::any_of(sizes.begin(), sizes.end(), [&](const std::string& key) {
    return text.find(key) != std::string::npos;
  });
  if (!has_size) return;  // nearly every config, "transformer" or not
  for (NodeId id = 0; id < document.size(); ++id) {
    if (document.kind(id) != NodeKind::mapping) continue;
    const std::optional<Number> letters = number_of(document, id, sizes);
    if (!letters) continue;
    const auto window = number_of(document, id, catalog.words("window-keys"));
    const auto limit = number_of(document, id, catalog.words("token-limit-keys"));
    const auto stride = number_of(document, id, catalog.words("stride-keys"));
    if (!window || !limit || !stride || window->value <= letters->value) continue;
    const std::int64_t tokens = (window->value - letters->value) / stride->value + 1;
    const double kept = static_cast<double>(limit->value) / static_cast<double>(tokens);
    constexpr double kMostKept = 0.95;  // marks at both ends of a sample take the place of a few
    if (kept > kMostKept) continue;
    Observation& item = observations.emplace_back();
    item.list = "cut_samples";
    item.span = document.span(window->node);
    item.pointer = document.pointer(window->node);
    item.name = std::to_string(window->value);
    item.value = std::to_string(limit->value);
    item.detail =
        fmt::format("{} tokens of {} letters at stride {}", tokens, letters->value, stride->value);
    item.fact = fmt::format("{:.0f} %", 100 * (1 - kept));
  }
}

}  // namespace gpulint
