#pragma once

// Vision-language models: which parts of the network a run trains, and how many of the tokens the
// language model reads are images.

#include "estimate/quantity.h"
#include "estimate/step_ways.h"
#include "model/footprint.h"
#include "plan/training_plan.h"

#include <string>
#include <vector>

namespace gpulint {

/// Sections of a program (`section:`) whose weights the run leaves as they are.
std::vector<std::string> frozen_parts(const TrainingPlan& plan);

/// Sets number and size of the images of a sample in every way. Where the tower keeps something for
/// the backward pass, what the config leaves open adds ways: next to no image, and as many as the
/// sequence holds. Names the facts that are open. Nothing happens to other models.
void add_image_sizes(const TrainingPlan& plan, const model::ModelLibrary::Found& found,
                     std::vector<StepWay>& ways, UnknownFacts& unknown);

}  // namespace gpulint
