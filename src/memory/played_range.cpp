// Live bytes of one step against what the operators say. The same network is written in many ways:
// projections in one product whose parts keep all of it alive, masks, copies for a kernel's layout,
// workspaces. Published peaks of language and segmentation models lie in this range around ours;
// see docs/accuracy.md for how many do.

#include "memory/played_range.h"

#include "memory/adapters.h"
#include "memory/step_ways.h"
#include "model/interpreter.h"
#include "run/fact_access.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

namespace gpulint {
namespace {

// Where the framework's own modelling code is what was played.
constexpr Range kOfOwnCode{0.95, 1.0, 1.12};

// Where only the geometry is known and not whose code it is: norms, activations and attention
// written out or fused, a mask, a copy more or less. Our judgement, not a measurement.
constexpr Range kOfStatedGeometry{0.75, 1.0, 1.5};

// Image models are written one way: what a program cannot see is the temporaries of losses and
// which kernels cuDNN takes; for detectors also how crowded the images are that meet on the largest
// canvas.
constexpr Range kOfPlayedImages{0.94, 1.0, 1.12};
// In fp32 the workspaces of the usual kernels are played. Both ranges were chosen for what
// published peaks lay around the played ones; see docs/accuracy.md for how many do.
constexpr Range kOfPlayedFp32Images{0.96, 1.0, 1.08};

// Most photographs have edges of 4 to 3. Resized to a shortest edge, they reach this share of a
// canvas whose other edge is the longest one allowed; the largest of the sizes is drawn in any run.
constexpr double kPhotographRatio = 4.0 / 3.0;

// Which cheap operators a compiler recomputes is its choice; higher peaks than without it have been
// reported too (pytorch#122512, #120381). See docs/estimator.md.
constexpr Range kCompiled{0.9, 1.0, 1.1};
// Where blocks are recomputed, what is kept between them is the policy's choice and not the
// compiler's, whose share is the block at work; half of the above, by our judgement.
constexpr Range kCompiledBlocks{0.95, 1.0, 1.05};

// Attention to a prompt of its own in every layer: a query, scores and a result beside the
// network's. A quarter of what a layer keeps is the most that is; our judgement, for the tensors
// differ by method. Layers below the first with a prompt pass no gradient and keep nothing: litgpt
// starts at the third of 16 or more (adapter_start_layer), others say so in no config.
constexpr Range kPromptAttention{0.87, 1.0, 1.25};

// Engines that offload block inputs may offload what the live block keeps as well. No release
// states how much: half of it is the low end.
constexpr double kOffloadedToo = 0.5;

// What was followed in the project's code is what runs, but for what a description leaves out of a
// library's own code (masks, copies for a layout), and what the loop does beside it: targets on the
// device, statistics, metrics. Chosen for the networks of docs/accuracy.md.
constexpr Range kOfFollowedCode{0.85, 1.0, 1.3};

// An fp8 step keeps 8-bit copies of what some products read; the rest stays in 16 bits. Which share
// that is depends on the recipe; a tenth less of all saved bytes is our judgement, not a
// measurement.
constexpr double kFp8Saved = 0.9;

// Share of the stated canvas that batches of changing size fill at least; 0 where its edges are not
// both stated, because a size or length alone is a maximum nobody needs to reach.
double smallest_canvas(const TrainingPlan& plan) {
  const auto height = at_least(plan.image_size, 1);
  const auto width = at_least(plan.image_width, 1);
  if (!height || !width) return 0;
  // Of two or more images a wide one sets the width and one less wide the height; over a whole run
  // they meet.
  if (at_least(plan.per_device_batch_size, 2)) return 1;
  const auto shorter = static_cast<double>(std::min(*height, *width));
  const auto longer = static_cast<double>(std::max(*height, *width));
  return std::min(1.0, kPhotographRatio * shorter / longer);
}

/// Edge of the images of a network that was recorded at one size only; nullopt where its input is
/// as large as the run's.
std::optional<std::int64_t> recorded_edge(const model::ModelLibrary::Found& found) {
  const model::Program& program = *found.program;
  if (!has_dimension(found, "image_size")) return std::nullopt;
  const auto image = std::find_if(
      program.inputs.begin(), program.inputs.end(), [](const model::InputTensor& input) {
        return !input.integers && !input.target && input.sizes.size() >= 4;
      });
  if (image == program.inputs.end()) return std::nullopt;
  const model::Operand& edge = image->sizes.back();
  expr::Value value = edge.constant;
  if (edge.kind == model::Operand::Kind::symbol) {
    const auto dimension =
        std::find_if(program.dimensions.begin(), program.dimensions.end(),
                     [&](const model::Dimension& each) { return each.symbol == edge.symbol; });
    if (dimension == program.dimensions.end() || dimension->name.starts_with("image"))
      return std::nullopt;
    // One that is worked out of others (`image_size // 8`) is as large as the run's.
    const bool is_worked_out =
        dimension->value && dimension->value->kind != model::Operand::Kind::constant;
    if (is_worked_out && found.entry.dimensions.count(dimension->name) == 0) return std::nullopt;
    const auto dimensions = model::dimensions_of(program, found.entry.dimensions);
    const auto at = dimensions.find(dimension->name);
    if (at != dimensions.end()) value = at->second;
  } else if (edge.kind != model::Operand::Kind::constant) {
    return std::nullopt;
  }
  const auto* pixels = std::get_if<std::int64_t>(&value.data);
  return pixels == nullptr || *pixels < 1 ? std::nullopt : std::optional(*pixels);
}

bool multiplies_scores_itself(const std::vector<model::Statement>& statements) {
  return std::any_of(statements.begin(), statements.end(), [](const model::Statement& statement) {
    if (statement.operation != nullptr && statement.operation->name == "softmax") return true;
    return std::any_of(statement.bodies.begin(), statement.bodies.end(), multiplies_scores_itself);
  });
}

bool has_written_attention(const model::Program& program) {
  return multiplies_scores_itself(program.statements) ||
         std::any_of(
             program.definitions.begin(), program.definitions.end(),
             [](const model::Definition& each) { return multiplies_scores_itself(each.body); });
}

/// What images of another size keep against those of a recording: as many times as they have more
/// pixels, and the square of that where attention is written out.
Range other_images(const TrainingPlan& plan, const model::ModelLibrary::Found& found) {
  const auto height = at_least(plan.image_size, 1);
  const auto edge = recorded_edge(found);
  if (!height || !edge || *height == *edge) return {1, 1, 1};
  const double pixels = static_cast<double>(*height) *
                        static_cast<double>(at_least(plan.image_width, 1).value_or(*height));
  const double times = pixels / (static_cast<double>(*edge) * static_cast<double>(*edge));
  const bool written = text_of(plan.attention_backend) == "eager";
  if (!written && !has_written_attention(*found.program)) return {times, times, times};
  return {std::min(times, times * times), times, std::max(times, times * times)};
}

}  // namespace

Range played_range(const ResolvedRun& run, const model::ModelLibrary::Found& found,
                   bool partly_frozen) {
  const TrainingPlan& plan = run.facts();
  Range factor = plan.model_implementation ? kOfOwnCode : kOfPlayed;
  if (has_dimension(found, "image_size")) {
    const bool full =
        text_of(plan.mixed_precision) == "none" && text_of(plan.weights_dtype) == "fp32";
    factor = full && !has_dimension(found, "boxes") ? kOfPlayedFp32Images : kOfPlayedImages;
  }
  factor = factor * other_images(plan, found);
  if (found.loose) factor = kOfStatedGeometry;
  if (found.followed > 0) {
    factor = kOfFollowedCode;
    factor.low *= found.followed;
  }
  const std::string_view checkpointing = text_of(plan.activation_checkpointing);
  const bool recomputed = checkpointing == "full" || checkpointing == "selective";
  if (is_true(plan.compile)) factor = factor * (recomputed ? kCompiledBlocks : kCompiled);
  if (text_of(plan.mixed_precision) == "fp8") factor.low *= kFp8Saved;
  if (run.adapter().is_at(AdapterPlace::attention)) factor = factor * kPromptAttention;
  // A length or size that is a maximum, or layers that keep nothing because they are frozen.
  if (checkpointing == "offload") factor.low *= kOffloadedToo;
  // Of text whose batches are said to differ, the stated length is that of the longest one; where
  // it is only where samples are cut, none may be as long.
  const bool longest_occurs = plan.sequence_length && is_true(plan.variable_input_sizes) &&
                              !is_true(plan.sequence_length_is_limit);
  if (partly_frozen || (may_be_short(plan) && !longest_occurs)) factor.low = 0;
  if (is_true(plan.variable_input_sizes) && !longest_occurs) factor.low *= smallest_canvas(plan);
  return factor;
}

}  // namespace gpulint
