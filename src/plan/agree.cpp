#include "plan/agree.h"

#include "plan/complete.h"
#include "plan/fact_table.h"

#include <algorithm>
#include <utility>

namespace gpulint {
namespace {

bool same_fact(const TrainingPlan& a, const TrainingPlan& b, const FactRow& row) {
  const bool known = provenance_of(a, row) != nullptr;
  if (known != (provenance_of(b, row) != nullptr)) return false;
  return !known || canonical_text(a, row) == canonical_text(b, row);
}

/// One states what the other's framework does anyway.
bool known_alike(const TrainingPlan& a, const TrainingPlan& b, const FactRow& row) {
  return provenance_of(a, row) != nullptr && same_fact(a, b, row);
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
      if (same_fact(sources->given, plans[i].sources->given, table[row])) continue;
      if (known_alike(plan.facts, plans[i].facts, table[row])) continue;
      clear_fact(sources->given, table[row]);
      sources->states[row] = FactState::blocked;
    }
  }
  plan.facts = complete(*sources);
  plan.sources = std::move(sources);
  return plan;
}

namespace {

bool counts_ranks(std::string_view fact) { return fact == "world_size" || fact == "nodes"; }

/// Whoever starts it says how many ranks there are: that all are on one node is then no fact of the
/// config, but of a script that many are started by.
bool leaves_ranks_open(const FactSources& shown) {
  for (const char* name : {"world_size", "gpus_per_node"}) {
    if (provenance_of(shown.given, *find_fact(name)) != nullptr) return false;
  }
  return true;
}

/// Both state what one rank does in a step, and not the same.
bool states_other_steps(const TrainingPlan& one, const TrainingPlan& other) {
  for (const char* name : {"per_device_batch_size", "gradient_accumulation_steps"}) {
    const FactRow& fact = *find_fact(name);
    if (provenance_of(one, fact) == nullptr || provenance_of(other, fact) == nullptr) continue;
    if (canonical_text(one, fact) != canonical_text(other, fact)) return true;
  }
  return false;
}

}  // namespace

Plan filled_plan(Plan plan, const Plan& shown, bool is_config) {
  if (plan.sources == nullptr || shown.sources == nullptr) return plan;
  auto sources = std::make_shared<FactSources>(*plan.sources);
  const TrainingPlan& more = shown.sources->given;
  // A command with other steps makes up for another number of ranks.
  const bool has_other_ranks =
      is_config && (states_other_steps(sources->given, more) || leaves_ranks_open(*shown.sources));
  for (const FactRow& fact : fact_table()) {
    const Provenance* from = provenance_of(more, fact);
    if (is_blocked(*sources, fact) || from == nullptr) continue;
    if (has_other_ranks && counts_ranks(fact.name)) continue;
    if (provenance_of(sources->given, fact) != nullptr) continue;
    set_fact(sources->given, fact, canonical_text(more, fact), *from);
  }
  // What the files that it names leave out counts as much as what they say.
  std::vector<const DefaultValue*>& defaults = sources->defaults;
  for (const DefaultValue* value : shown.sources->defaults) {
    const FactRow* row = find_fact(value->fact);
    if (row == nullptr || is_blocked(*sources, *row) || is_blocked(*shown.sources, *row)) continue;
    if (has_other_ranks && counts_ranks(row->name)) continue;
    if (std::find(defaults.begin(), defaults.end(), value) == defaults.end())
      defaults.push_back(value);
  }
  plan.facts = complete(*sources);
  plan.sources = std::move(sources);
  return plan;
}

}  // namespace gpulint
