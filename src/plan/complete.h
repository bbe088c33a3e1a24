#pragma once

// From what is written about a run to all that follows from it, in one declared order.

#include "catalog/dialect.h"
#include "plan/fact_table.h"
#include "plan/map_keys.h"
#include "plan/training_plan.h"

#include <vector>

namespace gpulint {

/// What a run's facts are made from.
struct FactSources {
  TrainingPlan given;             // written in a config, in .gpulint.yaml or on the command line
  std::vector<FactState> states;  // by fact; empty: none is blocked
  /// Defaults of the frameworks that read the run's files, the config's own first; those whose key
  /// is absent or whose fact is blocked are left out. Borrowed from the catalog.
  std::vector<const DefaultValue*> defaults;
};

struct WantedValue {
  std::string_view value;
  bool others = false;  // all values but this one
};
/// What `when_value` of a default asks of its fact: "0", or "not 0".
WantedValue wanted_value(std::string_view condition);

/// The fact stays unknown, whatever else says it.
bool is_blocked(const FactSources& sources, const FactRow& row);

/// `given`, then what follows from it (derive.h), then twice the defaults that apply and what
/// follows from them: a default may ask for a fact that another one decides (loss scaling for the
/// precision). A fact is set once, by the first that knows it; a blocked one stays unknown.
TrainingPlan complete(const FactSources& sources);

}  // namespace gpulint
