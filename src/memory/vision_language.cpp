// Programs of vision-language models have the dimension `images` (of one sample) and, where images
// keep their shape, `image_pixels`. Those whose images are read among the tokens have
// `image_tokens`, and leave out what is more than the sequence holds.

#include "memory/vision_language.h"

#include "memory/adapters.h"
#include "run/fact_access.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace gpulint {
namespace {

// More than any sequence holds.
constexpr std::int64_t kFilled = 1'000'000;
// Of the largest image; the programs take what the sequence holds.
constexpr std::int64_t kMostPixels = 1'000'000'000'000;
// Less than one token: the least image a processor returns.
constexpr std::int64_t kLeastPixels = 1;

/// What a way takes for the images of a sample.
struct Images {
  std::int64_t number = 0;
  std::optional<std::int64_t> pixels = std::nullopt;  // the program's own number when not set
};

/// Engines that lay gradients and states out beforehand do so for all that is trained, used or not.
bool lays_out_beforehand(const ResolvedRun& run) {
  const EngineTraits* engine = run.engine();
  return engine != nullptr && engine->lays_out_beforehand;
}

// Without an image neither the tower runs nor what attends to its features ("fusion"): their
// weights get no gradient, and optimizers make no state for them.
void set_images(const ResolvedRun& run, const model::ModelLibrary::Found& found,
                const Images& images, StepWay& way) {
  way.dimensions["images"] = images.number;
  if (images.pixels && has_dimension(found, "image_pixels")) {
    way.dimensions["image_pixels"] = *images.pixels;
  }
  if (images.number > 0 || lays_out_beforehand(run)) return;
  way.tape.frozen.insert(way.tape.frozen.end(), {"vision", "projector", "fusion"});
}

/// A family may have members without a tower.
bool reads_images(const model::ModelLibrary::Found& found) {
  if (!has_dimension(found, "images")) return false;
  return whole_dimension(found, found.entry.dimensions, "vision_layers") != std::int64_t{0};
}

/// All adapters are named as layers of the language model ("model.language_model.layers.…") and of
/// no tower ("visual", "vision_tower").
bool adapts_language_alone(const ResolvedRun& run) {
  const TrainingPlan& plan = run.facts();
  if (!run.adapter().present || !plan.adapter_targets || plan.adapter_targets->value.empty()) {
    return false;
  }
  const std::vector<std::string>& targets = plan.adapter_targets->value;
  return std::all_of(targets.begin(), targets.end(), [](const std::string& target) {
    return target.find("language_model") != std::string::npos &&
           target.find("vis") == std::string::npos;
  });
}

}  // namespace

std::vector<std::string> frozen_parts(const ResolvedRun& run) {
  const TrainingPlan& plan = run.facts();
  std::vector<std::string> parts;
  const bool language_alone = adapts_language_alone(run);
  if (language_alone || is_true(plan.freeze_vision)) parts.emplace_back("vision");
  if (language_alone || is_true(plan.freeze_projector)) parts.emplace_back("projector");
  if (is_true(plan.freeze_language)) parts.emplace_back("language");
  return parts;
}

void add_image_sizes(const ResolvedRun& run, const model::ModelLibrary::Found& found,
                     std::vector<StepWay>& ways, UnknownFacts& unknown) {
  const TrainingPlan& plan = run.facts();
  if (!reads_images(found)) return;
  const bool sized = has_dimension(found, "image_pixels");
  const auto pixels = at_least(plan.image_max_pixels, 1);
  const auto stated = at_least(plan.images_per_sample, 0);
  if (sized && !pixels) unknown.push_back("image_max_pixels");
  if (!stated) unknown.push_back("images_per_sample");
  // Packed sequences are filled with samples most of whose tokens are their image, unless images
  // lie beside the sequence.
  const bool among_tokens = has_dimension(found, "image_tokens");
  const std::int64_t most = among_tokens ? kFilled : 1;
  const bool for_text = whole_dimension(found, found.entry.dimensions, "images") == std::int64_t{0};
  const std::int64_t usual = for_text ? 0 : (is_true(plan.packing) ? most : 1);
  const StepWay plain = ways.front();
  const auto add = [&](const Images& images) {
    ways.push_back(plain);
    set_images(run, found, images, ways.back());
  };
  for (StepWay& way : ways) set_images(run, found, {stated.value_or(usual), pixels}, way);
  if (!stated) add({0, pixels});
  if (stated && *stated > 0 && sized) add({1, kLeastPixels});
  if (stated && (*stated == 0 || pixels || !sized)) return;
  add({stated.value_or(for_text ? 1 : most), pixels.value_or(kMostPixels)});
}

}  // namespace gpulint
