// Programs of vision-language models have the dimension `images` (of one sample) and, where images
// keep their shape, `image_pixels`; what is more than the sequence holds, the programs leave out.

#include "estimate/vision_language.h"

#include "estimate/adapters.h"
#include "estimate/fact_access.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace gpulint {
namespace {

// More than any sequence holds.
constexpr std::int64_t kFilled = 1'000'000;
// Less than one token: the least image a processor hands out. Frameworks run the tower on such a
// one for samples without any, so that all ranks do the same (ms-swift, LLaMA-Factory).
constexpr std::int64_t kLeastPixels = 1;

void set_images(const model::ModelLibrary::Found& found, std::int64_t images,
                std::optional<std::int64_t> pixels, StepWay& way) {
  way.dimensions["images"] = std::max<std::int64_t>(images, 1);
  if (pixels && has_dimension(found, "image_pixels")) way.dimensions["image_pixels"] = *pixels;
}

/// A family may have members without a tower.
bool reads_images(const model::ModelLibrary::Found& found) {
  if (!has_dimension(found, "images")) return false;
  return whole_dimension(found, found.entry.dimensions, "vision_layers") != std::int64_t{0};
}

/// All adapters are named as layers of the language model ("model.language_model.layers.…").
bool adapts_language_alone(const TrainingPlan& plan) {
  if (!has_adapter(plan) || !plan.adapter_targets || plan.adapter_targets->value.empty()) {
    return false;
  }
  const std::vector<std::string>& targets = plan.adapter_targets->value;
  return std::all_of(targets.begin(), targets.end(), [](const std::string& target) {
    return target.find("language_model") != std::string::npos;
  });
}

}  // namespace

std::vector<std::string> frozen_parts(const TrainingPlan& plan) {
  std::vector<std::string> parts;
  const bool language_alone = adapts_language_alone(plan);
  if (language_alone || is_true(plan.freeze_vision)) parts.emplace_back("vision");
  if (language_alone || is_true(plan.freeze_projector)) parts.emplace_back("projector");
  if (is_true(plan.freeze_language)) parts.emplace_back("language");
  return parts;
}

void add_image_sizes(const TrainingPlan& plan, const model::ModelLibrary::Found& found,
                     std::vector<StepWay>& ways, UnknownFacts& unknown) {
  if (!reads_images(found)) return;
  const bool sized = has_dimension(found, "image_pixels");
  auto pixels = at_least(plan.image_max_pixels, 1);
  const auto images = at_least(plan.images_per_sample, 0);
  if (sized && !pixels) unknown.push_back("image_max_pixels");
  if (!images) unknown.push_back("images_per_sample");
  // One image a sample; packed sequences are filled with such samples, most of whose tokens are
  // their image.
  const std::int64_t usual = is_true(plan.packing) ? kFilled : 1;
  if (images && *images == 0) pixels = kLeastPixels;
  for (StepWay& way : ways) set_images(found, images.value_or(usual), pixels, way);
  const std::vector<std::string> frozen = frozen_parts(plan);
  const bool passed = std::find(frozen.begin(), frozen.end(), "vision") != frozen.end();
  if (passed || (images && *images == 0)) return;
  if (sized) {
    ways.push_back(ways.front());
    set_images(found, 1, kLeastPixels, ways.back());
  }
  if (images && (pixels || !sized)) return;
  ways.push_back(ways.front());
  set_images(found, images.value_or(kFilled), pixels.value_or(kFilled * kFilled), ways.back());
}

}  // namespace gpulint
