#include "plan/agree.h"

#include "plan/complete.h"
#include "plan/fact_table.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
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

/// Of a run: how many parameters its network has, and how many of them are trained.
struct Sizes {
  std::int64_t parameters = 0;
  std::int64_t trained = 0;
};

std::optional<Sizes> sizes_of(const FactSources& sources) {
  const TrainingPlan& given = sources.given;
  if (!given.parameters || is_blocked(sources, *find_fact("trainable_parameters")))
    return std::nullopt;
  const std::int64_t all = given.parameters->value;
  return Sizes{all, given.trainable_parameters ? given.trainable_parameters->value : all};
}

/// The runs train networks of other sizes: the smallest counts at least.
void keep_least(std::span<const std::shared_ptr<const FactSources>> runs, FactSources& into) {
  std::optional<Sizes> least;
  SourceSpan place;
  for (const auto& each : runs) {
    const std::optional<Sizes> own = each == nullptr ? std::nullopt : sizes_of(*each);
    if (!own) return;
    if (!least || own->parameters < least->parameters) place = each->given.parameters->from.span;
    if (!least) least = own;
    least->parameters = std::min(least->parameters, own->parameters);
    least->trained = std::min(least->trained, own->trained);
  }
  if (!least) return;
  const auto state = [&](const char* name, std::int64_t value) {
    const FactRow& row = *find_fact(name);
    Provenance from{.origin = Origin::assumed, .span = place};
    from.detail = "at least; the least of what several commands train";
    clear_fact(into.given, row);
    set_fact(into.given, row, std::to_string(value), std::move(from));
    into.states[static_cast<std::size_t>(&row - fact_table().data())] = FactState::set;
  };
  state("parameters", least->parameters);
  if (least->trained < least->parameters) state("trainable_parameters", least->trained);
}

/// Whether runs train networks of other sizes: a count that may be larger contradicts none that is
/// exact.
bool trains_others(std::span<const std::shared_ptr<const FactSources>> runs) {
  std::optional<std::int64_t> exact;
  bool all = true;
  for (const auto& each : runs) {
    const bool is_known = each != nullptr && each->given.parameters;
    all = all && is_known;
    if (!is_known || each->given.parameters->from.origin == Origin::assumed) continue;
    const std::int64_t own = each->given.parameters->value;
    if (exact && *exact != own) return true;
    exact = own;
  }
  return all && !exact;
}

}  // namespace

Plan agreed_plan(std::vector<Plan> plans) {
  std::vector<std::shared_ptr<const FactSources>> runs;
  for (const Plan& each : plans) runs.push_back(each.sources);
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
      if (table[row].name == "parameters") plan.has_other_networks = trains_others(runs);
    }
  }
  if (plan.has_other_networks) keep_least(runs, *sources);
  plan.facts = complete(*sources);
  plan.sources = std::move(sources);
  return plan;
}

Plan agreed_program(std::vector<Plan> plans, const Plan& own) {
  const std::span<const FactRow> table = fact_table();
  std::vector<bool> differs(table.size());
  for (std::size_t row = 0; row < table.size(); ++row) {
    const auto knows = [&](const Plan& each) {
      return provenance_of(each.facts, table[row]) != nullptr;
    };
    const auto is_other = [&](const Plan& each) {
      return !same_fact(each.facts, plans.front().facts, table[row]);
    };
    differs[row] = std::all_of(plans.begin(), plans.end(), knows) &&
                   std::any_of(plans.begin(), plans.end(), is_other);
  }
  Plan plan = agreed_plan(std::move(plans));
  if (plan.sources == nullptr || own.sources == nullptr) return plan;
  auto sources = std::make_shared<FactSources>(*plan.sources);
  for (std::size_t row = 0; row < table.size(); ++row) {
    const Provenance* from =
        differs[row] ? provenance_of(own.sources->given, table[row]) : nullptr;
    if (from == nullptr || provenance_of(sources->given, table[row]) != nullptr) continue;
    set_fact(sources->given, table[row], canonical_text(own.sources->given, table[row]), *from);
    if (row < sources->states.size()) sources->states[row] = FactState::set;
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

Plan filled_plan(Plan plan, const Plan& shown, bool is_config, bool is_module) {
  if (plan.sources == nullptr || shown.sources == nullptr) return plan;
  auto sources = std::make_shared<FactSources>(*plan.sources);
  const TrainingPlan& more = shown.sources->given;
  // A command with other steps makes up for another number of ranks.
  const bool has_other_ranks =
      is_config && (states_other_steps(sources->given, more) || leaves_ranks_open(*shown.sources));
  for (const FactRow& fact : fact_table()) {
    const Provenance* from = provenance_of(more, fact);
    if (from == nullptr) continue;
    // `ROWS = int(os.getenv("ROWS", 4))`: what imports the module works it out.
    const bool is_open = is_blocked(*sources, fact);
    if (is_open && !(is_module && from->origin == Origin::code)) continue;
    if (has_other_ranks && counts_ranks(fact.name)) continue;
    if (provenance_of(sources->given, fact) != nullptr) continue;
    set_fact(sources->given, fact, canonical_text(more, fact), *from);
    const auto index = static_cast<std::size_t>(&fact - fact_table().data());
    if (is_open) sources->states[index] = FactState::set;
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
