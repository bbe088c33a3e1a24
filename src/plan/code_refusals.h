#pragma once

#include "plan/run.h"

#include <vector>

namespace gpulint {

/// Observes where the project's own scripts end with an error once they have read the config: list
/// `code_refusals`, span: the value that leads there, name: its key, value: the place in the code
/// ("train.py:120"), detail: what happens there.
void observe_code_refusals(const Run& run, std::vector<Observation>& observations);

}  // namespace gpulint
