#pragma once

// Vision-language models: which parts of the network a run trains, and how many of the tokens the
// language model reads are images.

#include "memory/step_ways.h"
#include "model/footprint.h"
#include "run/quantity.h"
#include "run/resolved_run.h"

#include <string>
#include <vector>

namespace gpulint {

/// Sections of a program (`section:`) whose weights the run leaves as they are.
std::vector<std::string> frozen_parts(const ResolvedRun& run);

/// Sets number and size of the images of a sample in every way, and adds a way for text alone and
/// one for as many images as the sequence holds where the config leaves their number open. Names
/// the facts that are open. Nothing happens to models without a tower.
void add_image_sizes(const ResolvedRun& run, const model::ModelLibrary::Found& found,
                     std::vector<StepWay>& ways, UnknownFacts& unknown);

}  // namespace gpulint
