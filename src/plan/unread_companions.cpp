#include "plan/unread_companions.h"

#include "plan/fact_table.h"

#include <algorithm>
#include <string_view>

namespace gpulint {
namespace {

constexpr std::string_view kGroup = "devices";

void leave_open(const Dialect& dialect, Mapping& mapping) {
  for (const KeyMapping& key : dialect.mapping->keys.all()) {
    const FactRow* row = find_fact(key.fact);
    if (row == nullptr || row->group != kGroup) continue;
    FactState& state = mapping.states[static_cast<std::size_t>(row - fact_table().data())];
    if (state == FactState::untouched) state = FactState::blocked;
  }
}

}  // namespace

void leave_unread_companions_open(std::span<const Observation> observations,
                                  std::span<const Dialect> dialects, Mapping& mapping) {
  for (const Observation& item : observations) {
    if (item.list != "unread_references") continue;
    for (const Dialect& dialect : dialects) {
      for (const Reference& reference : dialect.references) {
        if (reference.kind != ReferenceKind::joined || reference.key != item.name) continue;
        const auto named = std::find_if(
            dialects.begin(), dialects.end(),
            [&](const Dialect& each) { return each.id == reference.dialect; });
        if (named != dialects.end()) leave_open(*named, mapping);
      }
    }
  }
}

}  // namespace gpulint
