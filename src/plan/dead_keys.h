#pragma once

#include "catalog/catalog.h"
#include "plan/run.h"

#include <vector>

namespace gpulint {

/// Keys that no code of the project can read by name, where a script of it loads the config and
/// reads the keys beside them. Empty where not every reader was understood.
struct DeadKeys {
  /// List `dead_keys`, span: the key, name, value, detail: "has no effect", and the word of the
  /// code that is a slip away.
  std::vector<Observation> observations;
  /// Values of such keys, which say nothing of the run: what stands below them included, sorted.
  std::vector<NodeId> values;
};
DeadKeys read_dead_keys(const Run& run, const Catalog& catalog);

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
