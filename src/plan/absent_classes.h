#pragma once

#include "plan/run.h"

#include <vector>

namespace gpulint {

/// Observes dotted paths of the project's own packages that its code does not have: list
/// `absent_classes`, span: the path, name: its key, value: the path, detail: what is there instead.
void observe_absent_classes(const Run& run, const Catalog& catalog,
                            std::vector<Observation>& observations);

}  // namespace gpulint
