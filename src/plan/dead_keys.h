#pragma once

#include "catalog/catalog.h"
#include "plan/run.h"

#include <vector>

namespace gpulint {

/// Observes keys that no code of the project can read by name, where a script of it loads the
/// config and reads the keys beside them: list `dead_keys`, span: the key, name, value, detail:
/// "has no effect", and the word of the code that is a slip away.
void observe_dead_keys(const Run& run, const Catalog& catalog,
                       std::vector<Observation>& observations);

/// Values of keys that say nothing of the run, since no code of the project reads them: what stands
/// below such a key included, sorted. Empty where not every reader was understood.
std::vector<NodeId> values_without_reader(const Run& run, const Catalog& catalog);

/// Observes keys that the project's scripts never come to with these values, though code around
/// them has such a word: list `unreached_keys`, span: the key, name, value, detail: the script,
/// fact: the values that are meant.
void observe_unreached_keys(const Run& run, const Catalog& catalog,
                            std::vector<Observation>& observations);

/// The same of what an option of a Hydra group states, which `run` has in place of the default;
/// also sections that `without`, the run as it is, does not have. Empty where not every reader was
/// understood.
std::vector<Observation> unreached_keys_of_option(const Run& run, const Catalog& catalog,
                                                  FileId option, const Document& without);

}  // namespace gpulint
