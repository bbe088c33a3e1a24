// Facts of a plan -> one execution of the model's operators per way the step may run, and their
// intervals. What the config leaves open (number format, attention kernel, recomputation) is run
// in each form: the first is the centre, the others widen it.

#include "memory/operators.h"

#include "memory/adapters.h"
#include "memory/input_size.h"
#include "memory/pipeline.h"
#include "memory/played_range.h"
#include "memory/step_memo.h"
#include "memory/step_ways.h"
#include "plan/fact_table.h"
#include "run/fact_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace gpulint {
namespace {

using Found = model::ModelLibrary::Found;

// cuDNN's workspace for one convolution, of the bytes of its output; nothing for GEMM-like ones,
// and no cap. Half-precision channels-last kernels need the least. See docs/estimator.md.
constexpr Range kConvolutionWorkspace{0, 0.3, 1.0};
constexpr Range kChannelsLastWorkspace{0, 0.1, 0.3};

// Diffusion models are trained on the output of frozen encoders. Training scripts keep the
// autoencoder on the device (diffusers examples/: vae.to(accelerator.device)) unless its output was
// made before; Stable Diffusion's and FLUX's have 84 M weights. In fp32, at the high end, where
// nobody states what is kept; text encoders are far larger and named by no config.
constexpr Bytes kFrozenAutoencoder = Bytes::of(84'000'000LL * 4);

// A stated count this far from the model's is rounding ("7B"); beyond it is another model.
constexpr double kRoundedCount = 0.05;

void set_dimension(ModelDimensions& dimensions, const Found& found, const char* name,
                   const Maybe<std::int64_t>& fact) {
  const auto value = at_least(fact, 1);
  if (value && is_written(fact->from) && has_dimension(found, name)) dimensions[name] = *value;
}

// Sizes of the network that a config may override; the rest is the model's own.
ModelDimensions network_dimensions(const TrainingPlan& plan, const Found& found) {
  ModelDimensions dimensions = found.entry.dimensions;
  set_dimension(dimensions, found, "channels", plan.channels);
  set_dimension(dimensions, found, "classes", plan.num_classes);
  set_dimension(dimensions, found, "boxes", plan.objects_per_image);
  set_dimension(dimensions, found, "vocab_size", plan.vocab_size);
  set_dimension(dimensions, found, "hidden_size", plan.hidden_size);
  set_dimension(dimensions, found, "num_hidden_layers", plan.num_hidden_layers);
  set_dimension(dimensions, found, "num_attention_heads", plan.num_attention_heads);
  set_dimension(dimensions, found, "num_key_value_heads", plan.num_key_value_heads);
  set_dimension(dimensions, found, "intermediate_size", plan.intermediate_size);
  return dimensions;
}

void widen(Interval& interval, Bytes bytes) {
  interval.low = std::min(interval.low, bytes);
  interval.high = std::max(interval.high, bytes);
}

/// Intervals over all ways; the first is the centre.
struct Spread {
  StepMeasure central;
  Interval forward_rest;  // live at the forward peak beside saved tensors and weight copies
  Interval backward;      // activations and their gradients at the backward peak
  Interval saved;
  Interval casts;
  Interval casts_in_backward;
  bool recomputes_unknown_layers = false;  // in one of the ways
};

Bytes rest_of_forward(const StepMeasure& step) {
  return std::max(Bytes{}, step.forward_peak - step.saved - step.weight_casts);
}
Bytes activations_in_backward(const StepMeasure& step) {
  return std::max(Bytes{}, step.backward_peak - step.gradients_at_backward_peak -
                               step.weight_casts_at_backward_peak);
}

Spread spread_of(const std::vector<StepMeasure>& steps) {
  const StepMeasure& central = steps.front();
  Spread spread{central,
                exactly(rest_of_forward(central)),
                exactly(activations_in_backward(central)),
                exactly(central.saved),
                exactly(central.weight_casts),
                exactly(central.weight_casts_at_backward_peak)};
  for (const StepMeasure& step : steps) {
    widen(spread.forward_rest, rest_of_forward(step));
    widen(spread.backward, activations_in_backward(step));
    widen(spread.saved, step.saved);
    widen(spread.casts, step.weight_casts);
    widen(spread.casts_in_backward, step.weight_casts_at_backward_peak);
    spread.recomputes_unknown_layers |= step.recomputes_unknown_layers;
  }
  return spread;
}

// A language model whose logits are next to nothing: the stages of a pipeline that have no head.
constexpr std::int64_t kNoLogits = 1;

/// `in_flight` micro-batches wait on the first stage of a pipeline; 1 without one.
Result<StepMeasure> measure_way(StepMemo& memo, const Found& found, ModelDimensions sizes,
                                const StepWay& way, std::int64_t in_flight,
                                const ReplayOptions* replay) {
  for (const auto& [name, value] : way.dimensions) sizes.insert_or_assign(name, value);
  auto last =
      memo.measure({found.program, sizes, way.tape, way.execution}, way.merged_kernels, replay);
  if (!last || in_flight <= 1 || !has_dimension(found, "vocab_size")) return last;
  sizes["vocab_size"] = kNoLogits;
  const auto body =
      memo.measure({found.program, sizes, way.tape, way.execution}, way.merged_kernels);
  if (!body) return fail(body.error());
  return most_loaded(*last, *body, in_flight);
}

Result<std::vector<StepMeasure>> measure_ways(StepMemo& memo, const Found& found,
                                              const ModelDimensions& dimensions,
                                              const std::vector<StepWay>& all,
                                              std::int64_t in_flight, const ReplayOptions& replay) {
  std::vector<StepMeasure> steps;
  for (const StepWay& way : all) {
    // Only a model that has fused attention differs by the kernel.
    const bool same = !steps.empty() && !steps.front().fused_attention &&
                      way.execution.attention != all.front().execution.attention;
    if (same) continue;
    // The allocator is replayed for the centre only.
    auto step =
        measure_way(memo, found, dimensions, way, in_flight, steps.empty() ? &replay : nullptr);
    if (!step) return fail(step.error());
    steps.push_back(std::move(*step));
  }
  return steps;
}

// Losses over pairs run both answers of a sample in one batch (TRL's concatenated_forward); KTO has
// one, and other losses are known by no name.
void add_pairs(const TrainingPlan& plan, std::int64_t batch, std::vector<StepWay>& ways,
               UnknownFacts& unknown) {
  const std::string_view objective = text_of(plan.objective);
  const bool may_pair = objective == "preference" || objective == "reward";
  if (!may_pair || plan.sequences_per_sample || is_true(plan.packing)) return;
  unknown.push_back("sequences_per_sample");
  ways.push_back(ways.front());
  ways.back().dimensions["batch"] = saturating_multiply(batch, std::int64_t{2});
}

// What one of t tensor-parallel ranks keeps of a layer: all of it is split under sequence
// parallelism; otherwise norms and residuals, 10 of 34 bytes per hidden value, are whole on every
// rank. Source: Korthikanti et al. 2022, equations 2 and 4.
Range parallel_share(const TrainingPlan& plan) {
  const double ranks = static_cast<double>(at_least(plan.tensor_parallel_size, 1).value_or(1));
  const double split = 1 / ranks;
  const double partly = (10 + 24 / ranks) / 34;
  if (is_true(plan.sequence_parallel)) return exactly(split);
  if (is_false(plan.sequence_parallel)) return exactly(partly);
  return {split, split, partly};
}

void set_parameters(const ResolvedRun& run, const StepMeasure& step, ModelFootprint& footprint) {
  const TrainingPlan& plan = run.facts();
  footprint.parameters = step.parameters;
  footprint.trainable_parameters = step.trainable_parameters;
  const auto stated = at_least(plan.parameters, 1);
  // What was counted in the code is what was followed.
  const bool is_counted = run.model() != nullptr && run.model()->followed > 0;
  if (stated && !is_counted && is_written(plan.parameters->from) && step.parameters > 0) {
    const double ratio = static_cast<double>(*stated) / static_cast<double>(step.parameters);
    if (std::abs(ratio - 1) > kRoundedCount) {
      footprint.parameters = *stated;
      footprint.model_scale = {std::min(1.0, ratio), ratio, std::max(1.0, ratio)};
      if (!run.adapter().present) footprint.trainable_parameters = *stated;
    }
  }
  if (const auto trainable = at_least(plan.trainable_parameters, 0)) {
    footprint.trainable_parameters = std::min(*trainable, footprint.parameters);
  }
}

void set_activations(const ResolvedRun& run, const Found& found, const Spread& spread,
                     bool partly_frozen, ModelFootprint& footprint) {
  const TrainingPlan& plan = run.facts();
  const Range share = parallel_share(plan);
  Range factor = played_range(run, found, partly_frozen) * share * footprint.model_scale;
  if (spread.recomputes_unknown_layers || run.own_network() != OwnNetwork::none) factor.low = 0;
  const StepMeasure& central = spread.central;
  footprint.saved_activations = times(factor, spread.saved);
  footprint.loss_transients = times(factor, spread.forward_rest);
  footprint.autocast_copies = times(share * footprint.model_scale, spread.casts);
  footprint.input_batch = exactly(central.inputs);
  if (reads_latents(found) && !is_true(plan.precomputed_inputs) && !plan.vram_other) {
    footprint.input_batch.high = footprint.input_batch.high + kFrozenAutoencoder;
  }
  footprint.buffers = central.buffers;
  footprint.largest_parameter = central.largest_parameter;
  footprint.reserved_slack = central.reserved_slack;
  PlayedBackward played;
  played.activations = times(factor, spread.backward);
  played.autocast_copies = times(share * footprint.model_scale, spread.casts_in_backward);
  const double gradients = std::max(central.gradients.as_double(), 1.0);
  played.gradient_share = central.gradients_at_backward_peak.as_double() / gradients;
  footprint.backward = played;
  footprint.forward_workspace = times(factor, exactly(central.forward_workspace)).central;
  footprint.backward_workspace = times(factor, exactly(central.backward_workspace)).central;
  const bool light = is_true(plan.channels_last) && central.weight_casts.count() > 0;
  footprint.convolution_workspace = times(light ? kChannelsLastWorkspace : kConvolutionWorkspace,
                                          exactly(central.largest_convolution));
}

// Without autograd only what the next operators still read is alive.
Interval evaluation(StepMemo& memo, const TrainingPlan& plan, const Found& found,
                    ModelDimensions dimensions, StepWay way) {
  const auto batch = evaluation_batch(plan);
  if (!batch) return {};
  dimensions["batch"] = sequences_of(plan, *batch);
  way.tape.autograd = false;
  way.tape.checkpoint_blocks = false;
  way.execution.dropout = false;
  const auto step = memo.measure({found.program, dimensions, way.tape, way.execution}, false);
  if (!step) return {};
  const Range factor = kOfPlayed * parallel_share(plan);
  const Interval alive = times(factor, exactly(step->forward_peak + step->inputs));
  return {Bytes{}, alive.central, alive.high};  // evaluation may never run in this process
}

std::string describe(const TrainingPlan& plan, const Found& found,
                     const ModelDimensions& dimensions, std::int64_t batch) {
  std::string text = fmt::format("{} at batch {}", found.entry.id, batch);
  if (const auto side = dimensions.find("image_size"); side != dimensions.end()) {
    const auto own = saturating_round(side->second.number());
    text += fmt::format(", {} pixels", image_side(plan).value_or(own));
  } else if (const auto edge = dimensions.find("volume_size"); edge != dimensions.end()) {
    text += fmt::format(", volumes of {:.0f} voxels an edge", edge->second.number());
  } else if (plan.sequence_length) {
    text += fmt::format(", {} tokens", plan.sequence_length->value);
  }
  const std::string_view mixed = text_of(plan.mixed_precision);
  const std::string_view weights = text_of(plan.weights_dtype);
  if (!mixed.empty() && mixed != "none") return text + fmt::format(", {} mixed precision", mixed);
  if (!weights.empty()) return text + fmt::format(", {} weights", weights);
  return text + (mixed.empty() ? ", number format unknown" : ", fp32");
}

// Parameters do not depend on the size of the input; a program needs some input to be run, and the
// size of the checkpoint, or of its family, is one it accepts. `dimensions` are without the plan's.
std::optional<StepMeasure> parameters_only(StepMemo& memo, const Found& found,
                                           ModelDimensions dimensions, const StepWay& way) {
  for (const auto& [name, value] : way.dimensions) dimensions.insert_or_assign(name, value);
  dimensions["batch"] = std::int64_t{1};
  auto step = memo.weights({found.program, dimensions, way.tape, way.execution});
  if (!step) return std::nullopt;
  return std::move(*step);
}

/// Of the whole network, where the step is run on one stage of it.
std::optional<StepMeasure> parameters_of_all_stages(StepMemo& memo, const TrainingPlan& plan,
                                                    const Found& found,
                                                    const ModelDimensions& dimensions,
                                                    const StepWay& way) {
  if (!at_least(plan.pipeline_parallel_size, 2)) return std::nullopt;
  return parameters_only(memo, found, dimensions, way);
}

}  // namespace

ReplayOptions replay_options(const ResolvedRun& run) {
  const TrainingPlan& plan = run.facts();
  const Optimizer& optimizer = run.optimizer();
  ReplayOptions options;
  options.allocator.expandable_segments = is_true(plan.expandable_segments);
  options.state_values = optimizer.paged ? 0 : optimizer.state_values.central;
  options.borrows_copy = optimizer.step_values.central > 0;
  options.keeps_gradients = is_false(plan.zero_grad_set_to_none);
  return options;
}

std::optional<ModelFootprint> operator_footprint(const ResolvedRun& run,
                                                 std::optional<std::int64_t> batch,
                                                 UnknownFacts& unknown) {
  const Found* found = run.model();
  if (found == nullptr) return std::nullopt;
  const TrainingPlan& plan = run.facts();
  StepMemo& memo = steps_of(*run.models());
  ModelDimensions dimensions = network_dimensions(plan, *found);
  std::vector<StepWay> all = step_ways(run, *found, unknown);
  for (const std::string& dimension : found->open) {
    const FactRow* row = find_fact(dimension);
    const Provenance* from = row == nullptr ? nullptr : provenance_of(plan, *row);
    if (row != nullptr && (from == nullptr || !is_written(*from))) unknown.push_back(dimension);
  }
  ModelFootprint footprint;
  footprint.basis = VramBasis::operators;
  footprint.model = found->entry.id;
  ModelDimensions network = dimensions;
  bool sized = set_input_size(dimensions, plan, *found, unknown);
  // How many crops a sample makes decides as much as the batch.
  const FactRow& sequences = *find_fact("sequences_per_sample");
  if (found->followed > 0 && !plan.sequences_per_sample && run.is_unreadable(sequences)) {
    unknown.emplace_back(sequences.name);
    sized = false;
  }
  if (!batch) unknown.push_back("per_device_batch_size");
  if (sized && batch) {
    dimensions["batch"] = sequences_of(plan, *batch);
    add_pairs(plan, *batch, all, unknown);
    const auto whole = parameters_of_all_stages(memo, plan, *found, network, all.front());
    const bool staged = set_stage_layers(plan, *found, dimensions);
    const auto steps =
        measure_ways(memo, *found, dimensions, all, staged ? micro_batches_in_flight(plan) : 1,
                     replay_options(run));
    if (steps) {
      set_parameters(run, whole ? *whole : steps->front(), footprint);
      footprint.census = steps->front().census;
      const bool frozen = footprint.trainable_parameters < steps->front().trainable_parameters;
      set_activations(run, *found, spread_of(*steps), frozen, footprint);
      footprint.evaluation_activations = evaluation(memo, plan, *found, dimensions, all.front());
      footprint.activations_known = true;
      footprint.answers_together =
          std::any_of(all.begin(), all.end(), [](const StepWay& way) { return way.is_joint; });
      footprint.description = describe(plan, *found, dimensions, *batch);
      return footprint;
    }
    footprint.refusal = steps.error().message;
  }
  const auto step = parameters_only(memo, *found, network, all.front());
  if (!step && footprint.refusal.empty()) return std::nullopt;
  if (!step) return footprint;  // why is all there is to say
  set_parameters(run, *step, footprint);
  // A stage of a pipeline holds its own layers, whether or not there is a size to run it at.
  std::optional<StepMeasure> stage;
  if (set_stage_layers(plan, *found, network)) {
    stage = parameters_only(memo, *found, std::move(network), all.front());
  }
  footprint.census = stage ? stage->census : step->census;
  footprint.buffers = step->buffers;
  return footprint;
}

std::optional<ModelDimensions> program_dimensions(const TrainingPlan& plan, const Found& found,
                                                  UnknownFacts& unknown) {
  ModelDimensions dimensions = network_dimensions(plan, found);
  if (!set_input_size(dimensions, plan, found, unknown)) return std::nullopt;
  return dimensions;
}

}  // namespace gpulint
