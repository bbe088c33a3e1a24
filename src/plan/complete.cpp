#include "plan/complete.h"

#include "plan/derive.h"
#include "plan/fact_table.h"

#include <string>
#include <utility>

namespace gpulint {

bool is_blocked(const FactSources& sources, const FactRow& row) {
  const auto at = static_cast<std::size_t>(&row - fact_table().data());
  return at < sources.states.size() && sources.states[at] == FactState::blocked;
}

namespace {

bool asks_for(const DefaultValue& value, const TrainingPlan& facts) {
  if (value.when_fact.empty()) return true;
  const FactRow* row = find_fact(value.when_fact);
  if (row == nullptr || provenance_of(facts, *row) == nullptr) return false;
  if (value.when_value.empty()) return true;
  const auto [wanted, others] = wanted_value(value.when_value);
  return (canonical_text(facts, *row) == wanted) != others;
}

void add_defaults(const FactSources& sources, TrainingPlan& facts) {
  for (const DefaultValue* value : sources.defaults) {
    const FactRow* row = find_fact(value->fact);
    if (row == nullptr || provenance_of(facts, *row) != nullptr) continue;
    if (is_blocked(sources, *row)) continue;
    if (!asks_for(*value, facts)) continue;
    Provenance from;
    from.origin = value->assumed ? Origin::assumed : Origin::dialect_default;
    from.detail = value->source;
    set_fact(facts, *row, value->value, std::move(from));
  }
}

}  // namespace

WantedValue wanted_value(std::string_view condition) {
  constexpr std::string_view kNot = "not ";
  if (!condition.starts_with(kNot)) return {condition, false};
  return {condition.substr(kNot.size()), true};
}

TrainingPlan complete(const FactSources& sources) {
  constexpr int kRounds = 2;
  TrainingPlan facts = sources.given;
  derive(facts, sources.states);
  if (sources.defaults.empty()) return facts;
  for (int round = 0; round < kRounds; ++round) {
    add_defaults(sources, facts);
    derive(facts, sources.states);
  }
  return facts;
}

}  // namespace gpulint
