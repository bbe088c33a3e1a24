#include "plan/agree.h"

#include "plan/complete.h"
#include "plan/fact_table.h"

#include <algorithm>
#include <utility>

namespace gpulint {
namespace {

bool same_fact(const FactSources& a, const FactSources& b, const FactRow& row) {
  const bool known = provenance_of(a.given, row) != nullptr;
  if (known != (provenance_of(b.given, row) != nullptr)) return false;
  return !known || canonical_text(a.given, row) == canonical_text(b.given, row);
}

}  // namespace

Plan agreed_plan(std::vector<Plan> plans) {
  Plan plan = std::move(plans.front());
  if (plans.size() == 1 || plan.sources == nullptr) return plan;
  auto sources = std::make_shared<FactSources>(*plan.sources);
  const std::span<const FactRow> table = fact_table();
  sources->states.resize(table.size());
  for (std::size_t i = 1; i < plans.size(); ++i) {
    if (plans[i].sources == nullptr) continue;
    for (std::size_t row = 0; row < table.size(); ++row) {
      if (same_fact(*sources, *plans[i].sources, table[row])) continue;
      clear_fact(sources->given, table[row]);
      sources->states[row] = FactState::blocked;
    }
  }
  plan.facts = complete(*sources);
  plan.sources = std::move(sources);
  return plan;
}

Plan filled_plan(Plan plan, const Plan& shown) {
  if (plan.sources == nullptr || shown.sources == nullptr) return plan;
  auto sources = std::make_shared<FactSources>(*plan.sources);
  const TrainingPlan& more = shown.sources->given;
  const auto is_blocked_in = [](const FactSources& in, std::size_t row) {
    return row < in.states.size() && in.states[row] == FactState::blocked;
  };
  const auto is_blocked = [&](std::size_t row) { return is_blocked_in(*sources, row); };
  for (std::size_t row = 0; row < fact_table().size(); ++row) {
    const FactRow& fact = fact_table()[row];
    const Provenance* from = provenance_of(more, fact);
    if (is_blocked(row) || from == nullptr || provenance_of(sources->given, fact) != nullptr) continue;
    set_fact(sources->given, fact, canonical_text(more, fact), *from);
  }
  // What the files that it names leave out counts as much as what they say.
  for (const DefaultValue* value : shown.sources->defaults) {
    const FactRow* row = find_fact(value->fact);
    std::vector<const DefaultValue*>& all = sources->defaults;
    if (row == nullptr) continue;
    const auto at = static_cast<std::size_t>(row - fact_table().data());
    if (is_blocked(at) || is_blocked_in(*shown.sources, at)) continue;
    if (std::find(all.begin(), all.end(), value) == all.end()) all.push_back(value);
  }
  plan.facts = complete(*sources);
  plan.sources = std::move(sources);
  return plan;
}

}  // namespace gpulint
