// A vocabulary far beyond the tokenizer's: what no token asks for is never looked up and never
// trained. A smaller one is left alone: data may have been prepared with another tokenizer than the
// one named.

#include "base/text.h"
#include "plan/contradictions.h"
#include "source/scalar.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpulint {
namespace {

std::optional<std::int64_t> size_of(const Catalog& catalog, std::string_view tokenizer) {
  for (const std::string& each : catalog.words("tokenizer-sizes")) {
    const std::size_t equals = each.find('=');
    if (equals == std::string::npos) continue;
    if (!equals_ignoring_case(std::string_view(each).substr(0, equals), tokenizer)) continue;
    const std::optional<double> size = lenient_number(std::string_view(each).substr(equals + 1));
    return size ? std::optional(static_cast<std::int64_t>(*size)) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

void observe_tokenizer(const Document& document, const Plan& plan, const Catalog& catalog,
                       std::vector<Observation>& observations) {
  const Maybe<std::int64_t>& vocabulary = plan.facts.vocab_size;
  if (!vocabulary || vocabulary->from.origin != Origin::stated) return;
  const std::vector<std::string>& keys = catalog.words("tokenizer-keys");
  std::string_view name;
  for (NodeId id = 0; id < document.size(); ++id) {
    const NodeId key = document.node(id).key;
    if (key == kNoNode || document.kind(id) != NodeKind::scalar) continue;
    if (!contains(keys, to_lower(document.scalar(key)))) continue;
    if (!name.empty() && name != document.scalar(id)) return;  // which one is meant?
    name = document.scalar(id);
  }
  const std::optional<std::int64_t> size = name.empty() ? std::nullopt : size_of(catalog, name);
  // Programs round a vocabulary up to a multiple of 64 to 1,024 times the ranks of tensor
  // parallelism, or keep entries for words to come: a quarter more is common, and meant.
  constexpr double kPadding = 1.25;
  if (!size) return;
  const auto stated = static_cast<double>(vocabulary->value);
  if (stated <= kPadding * static_cast<double>(*size)) return;
  Observation& item = observations.emplace_back();
  item.list = "tokenizer_sizes";
  item.span = vocabulary->from.span;
  item.pointer = vocabulary->from.pointer;
  item.name = std::string(name);
  item.value = std::to_string(*size);
  item.fact = "vocab_size";
  item.detail = fmt::format("{:.0f} % of the embedding and the head are never used",
                            100 * (1 - static_cast<double>(*size) / stated));
}

}  // namespace gpulint
