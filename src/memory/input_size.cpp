#include "memory/input_size.h"

#include "run/fact_access.h"

#include <cmath>

namespace gpulint {
namespace {

std::int64_t share_of(std::int64_t whole, const Maybe<std::int64_t>& ranks) {
  const std::int64_t parts = at_least(ranks, 1).value_or(1);
  return whole / parts + (whole % parts != 0 ? 1 : 0);
}

// The edge of a cube with as many voxels as the stated volume.
std::optional<std::int64_t> volume_edge(const TrainingPlan& plan) {
  const auto depth = at_least(plan.volume_size, 1);
  if (!depth) return std::nullopt;
  const double voxels = static_cast<double>(*depth) *
                        static_cast<double>(at_least(plan.volume_height, 1).value_or(*depth)) *
                        static_cast<double>(at_least(plan.volume_width, 1).value_or(*depth));
  return saturating_round(std::cbrt(voxels));
}

bool set_volume(ModelDimensions& dimensions, const TrainingPlan& plan, UnknownFacts& unknown) {
  const auto edge = volume_edge(plan);
  if (!edge) unknown.push_back("volume_size");
  if (edge) dimensions["volume_size"] = *edge;
  return edge.has_value();
}

bool set_length(ModelDimensions& dimensions, const TrainingPlan& plan, UnknownFacts& unknown) {
  const auto tokens = at_least(plan.sequence_length, 1);
  if (!tokens) unknown.push_back("sequence_length");
  if (tokens) dimensions["sequence_length"] = share_of(*tokens, plan.context_parallel_size);
  return tokens.has_value();
}

}  // namespace

std::optional<std::int64_t> image_side(const TrainingPlan& plan) {
  const auto height = at_least(plan.image_size, 1);
  const auto width = at_least(plan.image_width, 1);
  if (!height || !width || *height == *width) return height;
  return saturating_round(std::sqrt(static_cast<double>(*height) * static_cast<double>(*width)));
}

bool set_input_size(ModelDimensions& dimensions, const TrainingPlan& plan,
                    const model::ModelLibrary::Found& found, UnknownFacts& unknown) {
  if (has_dimension(found, "image_size")) {
    const auto width = at_least(plan.image_width, 1);
    const bool rectangular = width && has_dimension(found, "image_width");
    const auto side = rectangular ? at_least(plan.image_size, 1) : image_side(plan);
    // A checkpoint says for which images its positions are; its processor makes them that large.
    if (!side && found.is_family && dimensions.contains("image_size")) return true;
    if (!side) unknown.push_back("image_size");
    if (side) dimensions["image_size"] = *side;
    if (side && rectangular) dimensions["image_width"] = *width;
    // A network of the project may read something of another length beside its images.
    const bool has_length = found.followed > 0 && has_dimension(found, "sequence_length");
    const bool has_volume = found.followed > 0 && has_dimension(found, "volume_size");
    const bool knows_length = !has_length || set_length(dimensions, plan, unknown);
    const bool knows_volume = !has_volume || set_volume(dimensions, plan, unknown);
    return knows_length && knows_volume && side.has_value();
  }
  if (has_dimension(found, "volume_size")) return set_volume(dimensions, plan, unknown);
  if (has_dimension(found, "sequence_length")) return set_length(dimensions, plan, unknown);
  return found.followed > 0;  // at the size that its code states
}

}  // namespace gpulint
