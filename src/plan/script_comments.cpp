// The lines above a command of a script that say its numbers again ("# total batch size: 128"):
// scripts are copied, and the lines stay as they were.

#include "base/key_hash.h"
#include "base/text.h"
#include "plan/contradictions.h"
#include "plan/fact_table.h"
#include "source/scalar.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace gpulint {
namespace {

/// The line that ends in front of `end`.
std::string_view line_before(std::string_view text, std::size_t end) {
  if (end == 0) return {};
  const std::size_t begin = text.rfind('\n', end - 1);
  return text.substr(begin == text.npos ? 0 : begin + 1,
                     end - (begin == text.npos ? 0 : begin + 1));
}

/// Where the first line of the command begins whose flags the document has.
std::size_t begin_of_command(const Document& document, std::string_view text) {
  std::uint32_t first = std::numeric_limits<std::uint32_t>::max();
  for (NodeId id = 0; id < document.size(); ++id) {
    const NodeId key = document.node(id).key;
    if (key == kNoNode) continue;
    const SourceSpan span = document.span(key);
    if (span.file == document.file() && span.begin != span.end) first = std::min(first, span.begin);
  }
  if (first >= text.size()) return 0;
  std::size_t begin = first - line_before(text, first).size();
  while (begin > 0) {
    const std::string_view above = line_before(text, begin - 1);
    if (!trim(above).ends_with('\\')) break;
    begin -= above.size() + 1;
  }
  return begin;
}

/// "number of gpus" as the keys of a config are spelled: num_gpus.
std::string as_key(std::string_view words) {
  constexpr std::string_view kNumberOf = "number of ";
  std::string key = to_lower(words);
  if (key.starts_with(kNumberOf)) key = "num_" + key.substr(kNumberOf.size());
  std::replace(key.begin(), key.end(), ' ', '_');
  return key;
}

/// What a key of that name states in configs of any project.
const FactRow* fact_of(const std::string& key, std::span<const Dialect> dialects) {
  KeyNames names;
  names.add(component_hash(key));
  const FactRow* found = nullptr;
  for (const Dialect& dialect : dialects) {
    if (dialect.leaf_sections.empty()) continue;
    dialect.mapping->keys.for_each_in(names, [&](const KeyMapping& each) {
      if (found == nullptr && each.path == key) found = find_fact(each.fact);
    });
  }
  return found;
}

std::optional<double> number_of(const TrainingPlan& facts, const FactRow& row) {
  if (provenance_of(facts, row) == nullptr) return std::nullopt;
  return lenient_number(canonical_text(facts, row));
}

/// The fact that the words name, with its value, where that is another than the comment's.
struct Contradicted {
  std::string_view fact;
  std::string value;
};
std::optional<Contradicted> contradicted(const Plan& plan, const FactRow& named, double number) {
  // "GPUs" are those of a machine or of all.
  const bool counts_gpus = named.name == "gpus_per_node";
  const FactRow& row = counts_gpus && plan.facts.world_size ? *find_fact("world_size") : named;
  const std::optional<double> value = number_of(plan.facts, row);
  if (!value || *value == number || (counts_gpus && number_of(plan.facts, named) == number))
    return std::nullopt;
  return Contradicted{row.name, canonical_text(plan.facts, row)};
}

}  // namespace

void observe_script_comments(const Document& document, std::span<const Dialect> dialects,
                             const Plan& plan, std::vector<Observation>& observations) {
  constexpr int kMostLines = 16;
  if (document.format() != Format::shell) return;
  const std::string_view text = document.text();
  std::size_t end = begin_of_command(document, text);
  for (int lines = 0; end > 0 && lines < kMostLines; ++lines) {
    const std::string_view line = line_before(text, end - 1);
    const std::string_view comment = trim(line);
    if (!comment.starts_with('#')) return;
    const std::size_t colon = comment.find(':');
    end -= line.size() + 1;
    if (colon == comment.npos) continue;
    const auto number = short_count(trim(comment.substr(colon + 1)));
    const FactRow* row =
        number ? fact_of(as_key(trim(comment.substr(1, colon - 1))), dialects) : nullptr;
    if (row == nullptr) continue;
    const auto wrong = contradicted(plan, *row, static_cast<double>(*number));
    if (!wrong) continue;
    const auto begin = static_cast<std::uint32_t>(end + (comment.data() - line.data()));
    Observation& item = observations.emplace_back();
    item.list = "restated_values";
    item.span = {document.file(), begin, begin + static_cast<std::uint32_t>(comment.size())};
    item.name = std::string(wrong->fact);
    item.value = wrong->value;
    item.detail = std::string(trim(comment.substr(1)));
  }
}

}  // namespace gpulint
