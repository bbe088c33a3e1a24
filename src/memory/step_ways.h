#pragma once

// The ways one training step may run, as far as the facts of a plan leave them open.

#include "memory/tape_memo.h"
#include "model/footprint.h"
#include "plan/training_plan.h"
#include "run/quantity.h"
#include "run/resolved_run.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gpulint {

/// A dimension that is a whole number: of `dimensions`, else the program's own; nullopt for others.
std::optional<std::int64_t> whole_dimension(const model::ModelLibrary::Found& found,
                                            const ModelDimensions& dimensions,
                                            std::string_view name);
/// Whether it denoises latents: one sample is then thousands of rows of every product.
bool reads_latents(const model::ModelLibrary::Found& found);

struct StepWay {
  ModelDimensions dimensions = {};  // changed against the plan's
  model::TapeOptions tape;
  model::ExecutionOptions execution;
  bool merged_kernels = false;  // by a compiler or a kernel library
  bool is_joint = false;        // answers to several open facts at once
};

/// The most likely way first, then what each missing fact would change; names those facts.
std::vector<StepWay> step_ways(const ResolvedRun& run, const model::ModelLibrary::Found& found,
                               UnknownFacts& unknown);

}  // namespace gpulint
