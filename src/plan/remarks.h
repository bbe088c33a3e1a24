#pragma once

#include "plan/map_keys.h"
#include "plan/run.h"

#include <vector>

namespace gpulint {

/// Observes what the dialect's file remarks on keys that stand beside others (`remarks`): span: the
/// value, name: the key, value, detail: the remark. `run`: nullptr where no code is read.
void observe_remarks(const KeyIndex& keys, const Dialect& dialect, PathHash root, const Run* run,
                     std::vector<Observation>& observations);

}  // namespace gpulint
