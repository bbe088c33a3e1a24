#include "plan/frozen_weights.h"

#include "base/text.h"
#include "catalog/catalog.h"
#include "plan/fact_table.h"
#include "source/document.h"
#include "source/scalar.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace gpulint {
namespace {

constexpr std::string_view kParts[] = {"freeze_vision", "freeze_projector", "freeze_language"};

/// Into one string for all keys: this runs over every config.
void fold_into(std::string& folded, std::string_view text) {
  folded.assign(text);
  for (char& each : folded) {
    if (each >= 'A' && each <= 'Z') each = static_cast<char>(each - 'A' + 'a');
  }
}

/// Off; what another program puts in later counts as on.
bool is_off(std::string_view text) {
  constexpr std::array<std::string_view, 7> kOff{"", "~", "null", "none", "false", "no", "off"};
  const std::string folded = to_lower(text);
  if (std::find(kOff.begin(), kOff.end(), folded) != kOff.end()) return true;
  const std::optional<double> number = lenient_number(text);
  return number && *number <= 0;
}

/// The facts about the parts of a model already count what this key says.
bool is_read(const Document& document, NodeId child, const TrainingPlan& facts) {
  const std::string pointer = document.pointer(child);
  return std::any_of(std::begin(kParts), std::end(kParts), [&](std::string_view part) {
    const Provenance* from = provenance_of(facts, *find_fact(part));
    return from != nullptr && from->pointer == pointer;
  });
}

}  // namespace

void leave_frozen_open(const Document& document, const Catalog& catalog, const TrainingPlan& facts,
                       FactSources& sources) {
  const auto adapter = static_cast<std::size_t>(find_fact("adapter") - fact_table().data());
  if (facts.adapter || adapter >= sources.states.size()) return;
  const std::vector<std::string>& freezing = catalog.words("freezing-keys");
  std::string folded;
  for (NodeId id = 0; id < document.size(); ++id) {
    const NodeId key = document.node(id).key;
    if (key == kNoNode || document.kind(key) != NodeKind::scalar) continue;
    fold_into(folded, document.scalar(key));
    if (!has_any(folded, freezing)) continue;
    const NodeId value = document.resolve(id);
    if (value == kNoNode || document.kind(value) != NodeKind::scalar) continue;
    if (is_off(document.scalar(value)) || is_read(document, id, facts)) continue;
    if (has_any(folded, catalog.words("freezing-details"))) continue;
    sources.states[adapter] = FactState::blocked;
    return;
  }
}

}  // namespace gpulint
