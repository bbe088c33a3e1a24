#pragma once

#include "catalog/catalog.h"
#include "catalog/dialect.h"
#include "plan/key_index.h"
#include "plan/map_keys.h"
#include "plan/run.h"
#include "plan/training_plan.h"

#include <vector>

namespace gpulint {

/// The one of `known` that `key` is one slip of the keyboard away from, where it is not `present`;
/// "" where there is none or the key is short. All are written as keys are compared.
std::string_view slip_of(const std::vector<std::string>& known, std::string_view key,
                         const std::vector<std::string>& present);

/// Adds a `misspelt_keys` observation for each key that is one slip of the keyboard away from a key
/// its framework reads, where that one is absent and no code of the run's project names the key.
/// Silent on in-house configs; in doubt nothing is said.
void observe_misspelt_keys(const KeyIndex& keys, const Dialect& dialect, const Scope& top,
                           const Run* run, std::vector<Observation>& observations);

/// The same in mappings that hold the config of a model, whatever dialect they stand in: one letter
/// away from a key of such configs, and named by no code of the project.
void observe_misspelt_model_keys(const Run& run, const Catalog& catalog,
                                 std::vector<Observation>& observations);

}  // namespace gpulint
