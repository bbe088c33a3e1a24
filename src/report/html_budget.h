#pragma once

// The pictures of one run: drawn with markup alone, so that the page needs no script.

#include "lint/lint.h"
#include "memory/step_curve.h"
#include "search/batch_curve.h"

#include <span>
#include <string>

namespace gpulint {

/// `pictures`: without them only the figures and verdicts, for pages with very many configs.
/// VRAM as one stacked bar with the GPU's line, a list of its terms and the verdict, then host RAM
/// and /dev/shm likewise; empty when nothing is known of either.
std::string html_budget(const PlanReport& plan, bool pictures);

/// Step time, throughput, run and cost in one line; empty when nothing is known of them.
std::string html_time(const PlanReport& plan);

/// Memory over one step with the peaks of what follows it and the GPU's line; empty when the step
/// is not known.
std::string html_timeline(const PlanReport& plan, std::span<const CurvePoint> curve);

/// Memory and samples per second against the batch, with the GPU's line; empty when not known.
std::string html_batches(const PlanReport& plan, std::span<const BatchPoint> batches);

}  // namespace gpulint
