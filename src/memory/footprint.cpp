#include "memory/footprint.h"

#include "memory/precision.h"
#include "run/fact_access.h"

namespace gpulint {
namespace {

// Without autograd a layer's input dies when the next layer is done: two layers are alive at once.
constexpr double kLiveLayersInEvaluation = 2;

// Bytes per logit of a language model at the moment its loss is differentiated, beyond the saved
// log-softmax: logits in the network's format, their fp32 copy, and two fp32 gradients; measured as
// exactly 12 in fp32 and 10 in 16 bits (6 where logits are not upcast) over GPT-2, Llama and
// Mistral on torch 1.13. A classifier over a vocabulary-sized embedding has none of it.
constexpr Range kLossBytesPerLogit{0, 12, 12};
constexpr Range kLossBytesPerHalfLogit{0, 10, 10};

// In backward the gradients of a few activations live beside the saved ones. Over 926 training
// steps of 85 networks on torch 1.13, saved tensors, gradients and loss left less than a tenth of
// the peak unexplained in all but 21.
constexpr double kWithGradients = 1.1;

Interval loss_transients(const TrainingPlan& plan, std::int64_t samples) {
  const auto tokens = at_least(plan.sequence_length, 1);
  const auto vocabulary = at_least(plan.vocab_size, 1);
  if (!tokens || !vocabulary || plan.image_size) return {};
  const double logits = static_cast<double>(samples) * static_cast<double>(*tokens) *
                        static_cast<double>(*vocabulary);
  return times(logits, runs_in_half_precision(plan) ? kLossBytesPerHalfLogit : kLossBytesPerLogit);
}

bool recomputes(const TrainingPlan& plan) {
  const std::string_view checkpointing = text_of(plan.activation_checkpointing);
  return !checkpointing.empty() && checkpointing != "none";
}

Interval input_batch(const TrainingPlan& plan, std::int64_t samples) {
  const std::optional<Interval> loaded = batch_bytes(plan);
  const auto planned = at_least(plan.per_device_batch_size, 1);
  if (!loaded || !planned) return {};
  const Interval scaled =
      times(static_cast<double>(samples) / static_cast<double>(*planned), *loaded);
  // Under autocast the first layer's half-precision copy of the pixels is kept for its gradient.
  const bool cast_copy = plan.image_size && runs_in_half_precision(plan);
  return {Bytes{}, times(cast_copy ? 1.5 : 1.0, scaled).central, times(2.0, scaled).high};
}

Interval evaluation_activations(const TrainingPlan& plan, Bytes per_sample) {
  const auto batch = evaluation_batch(plan);
  if (!batch) return {};
  const Bytes all = per_sample * *batch;
  const auto layers = at_least(plan.num_hidden_layers, 1);
  if (!layers) return {Bytes{}, Bytes{}, all};
  const double share = kLiveLayersInEvaluation / static_cast<double>(*layers);
  return {Bytes{}, share < 1 ? Bytes::rounded(all.as_double() * share) : all, all};
}

}  // namespace

std::optional<ModelFootprint> stated_footprint(const ResolvedRun& run,
                                               std::optional<std::int64_t> per_device_batch_size,
                                               UnknownFacts& unknown) {
  const TrainingPlan& plan = run.facts();
  ModelFootprint footprint;
  const auto parameters = at_least(plan.parameters, 1);
  const auto per_sample = positive(plan.activation_bytes_per_sample);
  if (!parameters) unknown.push_back("parameters");
  if (!per_sample) unknown.push_back("activation_bytes_per_sample");
  if (!per_device_batch_size) unknown.push_back("per_device_batch_size");
  // What autograd saves under checkpointing is not the peak: one block's recomputed tensors are,
  // and nothing here says how large a block is.
  footprint.recomputes_blocks = recomputes(plan);
  footprint.activations_known =
      parameters && per_sample && per_device_batch_size && !footprint.recomputes_blocks;
  if (!parameters && !(per_sample && per_device_batch_size)) return std::nullopt;

  footprint.parameters = parameters.value_or(0);
  footprint.trainable_parameters = footprint.parameters;
  if (const auto trainable = at_least(plan.trainable_parameters, 0)) {
    footprint.trainable_parameters = std::min(*trainable, footprint.parameters);
  } else if (run.adapter().present) {
    // An adapter freezes the network; without its own size nothing is known to be trained.
    footprint.trainable_parameters = 0;
    unknown.push_back("trainable_parameters");
  }
  if (per_device_batch_size) {
    footprint.input_batch = input_batch(plan, *per_device_batch_size);
    footprint.loss_transients = loss_transients(plan, *per_device_batch_size);
  }
  if (per_sample && per_device_batch_size) {
    const Bytes saved = *per_sample * *per_device_batch_size;
    footprint.saved_activations = {saved, saved,
                                   Bytes::rounded(saved.as_double() * kWithGradients)};
    footprint.evaluation_activations = evaluation_activations(plan, *per_sample);
  }
  if (footprint.activations_known) footprint.basis = VramBasis::activations_stated;
  return footprint;
}

}  // namespace gpulint
