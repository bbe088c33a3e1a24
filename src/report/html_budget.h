#pragma once

// The pictures of one run's memory: drawn with markup alone, so that the page needs no script.

#include "lint/lint.h"

#include <string>

namespace gpulint {

/// The budget as one stacked bar with the GPU's line and a list of its terms; empty when nothing is
/// known of the run's VRAM.
std::string html_budget(const PlanReport& plan);

/// Memory over one step with the GPU's line; empty when the step is not known.
std::string html_timeline(const PlanReport& plan);

}  // namespace gpulint
