#include "memory/step_measure.h"

#include "model/fold.h"
#include "model/footprint.h"
#include "model/fusion.h"
#include "model/timeline.h"

#include <algorithm>
#include <vector>

namespace gpulint {
namespace {

using model::Link;
using model::LinkRole;
using model::Operator;
using model::Storage;
using model::StorageId;
using model::StorageKind;
using model::Tape;

std::span<const Link> links_of(const Tape& tape, const Operator& op) {
  return std::span(tape.links()).subspan(op.first_link, op.link_count);
}

// Backward runs from the last operator to the first: at operator `peak` all gradients of weights
// read there and later exist, those of the layers that a fold before `peak` has behind it included.
Bytes gradients_after(const Tape& tape, std::uint32_t peak) {
  const std::vector<Storage>& storages = tape.storages();
  std::vector<StorageId> weight(storages.size(), model::kNoStorage);  // read through its cast
  for (StorageId id = 0; id < storages.size(); ++id) {
    if (storages[id].kind != StorageKind::parameter || !storages[id].trainable) continue;
    weight[id] = id;
    if (storages[id].half_copy != model::kNoStorage) weight[storages[id].half_copy] = id;
  }
  std::vector<bool> counted(storages.size(), false);
  std::int64_t bytes = 0;
  const auto count = [&](std::size_t i, std::int64_t times, std::size_t first) {
    for (const Link& link : links_of(tape, tape.operators()[i])) {
      const StorageId id = weight[link.storage];
      if (link.role != LinkRole::reads || id == model::kNoStorage || id < first || counted[id])
        continue;
      counted[id] = true;
      bytes = saturating_add(bytes, saturating_multiply(storages[id].bytes, times));
    }
  };
  for (const model::Fold& fold : tape.folds()) {
    if (fold.end.operators <= peak) continue;
    const std::size_t first = fold.end.storages - fold.period.storages;
    for (std::size_t i = fold.end.operators - fold.period.operators; i < fold.end.operators; ++i)
      count(i, static_cast<std::int64_t>(fold.times), first);
  }
  counted.assign(storages.size(), false);
  for (std::size_t i = peak; i < tape.operators().size(); ++i) count(i, 1, 0);
  return Bytes::of(bytes);
}

/// Of the storages that this one stands for, those made before operator `peak`.
std::int64_t layers_before(const Tape& tape, std::size_t id, std::uint32_t peak) {
  for (const model::Fold& fold : tape.folds()) {
    if (fold.has_storage(id) && peak < fold.end.operators) return 1;
  }
  return tape.times_of_storage(id);
}

Bytes weight_casts_before(const Tape& tape, std::uint32_t peak) {
  std::int64_t bytes = 0;
  for (std::size_t id = 0; id < tape.storages().size(); ++id) {
    const Storage& storage = tape.storages()[id];
    const bool alive = storage.saved && storage.created_by <= peak;
    if (storage.kind == StorageKind::weight_cast && alive) {
      bytes =
          saturating_add(bytes, saturating_multiply(storage.bytes, layers_before(tape, id, peak)));
    }
  }
  return Bytes::of(bytes);
}

// Who reads a weight: its matrix product, its look-up, or something smaller.
enum class Use : std::uint8_t { other, matrix, table };

std::vector<Use> uses_of(const Tape& tape) {
  std::vector<Use> uses(tape.storages().size(), Use::other);
  for (const Operator& op : tape.operators()) {
    const bool product = op.kind == model::OperatorKind::linear;
    if (!product && op.kind != model::OperatorKind::embedding) continue;
    StorageId weight = model::kNoStorage;  // the largest parameter read; the rest is bias
    for (const Link& link : links_of(tape, op)) {
      const StorageId full = tape.storages()[link.storage].full_copy;
      const StorageId id = full != model::kNoStorage ? full : link.storage;
      if (tape.storages()[id].kind != StorageKind::parameter) continue;
      if (weight == model::kNoStorage ||
          tape.storages()[id].bytes > tape.storages()[weight].bytes) {
        weight = id;
      }
    }
    if (weight == model::kNoStorage || uses[weight] == Use::table) continue;
    uses[weight] = product ? Use::matrix : Use::table;
  }
  return uses;
}

ParameterCensus census_of(const Tape& tape, bool adapted) {
  ParameterCensus census;
  const std::vector<Use> uses = uses_of(tape);
  std::vector<std::int64_t> blocks(tape.blocks().size() + 1, 0);
  for (StorageId id = 0; id < uses.size(); ++id) {
    const Storage& storage = tape.storages()[id];
    if (storage.kind != StorageKind::parameter) continue;
    const bool placed = storage.created_by < tape.operators().size();
    const std::uint32_t block = placed ? tape.operators()[storage.created_by].block : 0;
    const std::int64_t each = storage.bytes / model::size_of(storage.dtype);
    const std::int64_t elements = saturating_multiply(each, tape.times_of_storage(id));
    blocks[block] = saturating_add(blocks[block], block == 0 ? elements : each);
    std::int64_t* part = &census.others;
    if (uses[id] == Use::table) part = &census.embeddings;
    if (uses[id] == Use::matrix) part = block == 0 ? &census.head : &census.block_matrices;
    if (adapted && storage.trainable && block != 0) part = &census.adapters;
    *part = saturating_add(*part, elements);
    if (!storage.experts) continue;
    census.experts = saturating_add(census.experts, elements);
    if (part == &census.adapters) {
      census.expert_adapters = saturating_add(census.expert_adapters, elements);
    }
  }
  census.outside_blocks = blocks.front();
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    census.largest_block = std::max(census.largest_block, blocks[i]);
  }
  return census;
}

// Two steps of this many allocations and releases are played in about a millisecond; the networks
// beyond are large language models, whose blocks repeat and whose slack is that of the measured
// runs.
constexpr std::size_t kMostReplayedEvents = 8'000;

Bytes largest_convolution(const Tape& tape) {
  // Workspaces the tape plays are not estimated from outputs again.
  if (tape.options().convolution_workspace != model::ConvolutionWorkspace::none) return {};
  std::int64_t largest = 0;
  for (const Operator& op : tape.operators()) {
    if (op.kind != model::OperatorKind::conv && op.kind != model::OperatorKind::conv_transpose)
      continue;
    for (const Link& link : links_of(tape, op)) {
      if (link.role != LinkRole::writes) continue;
      largest = std::max(largest, tape.storages()[link.storage].bytes);
    }
  }
  return Bytes::of(largest);
}

// A model file without blocks, or with a few of its layers in them, does not say what checkpointing
// drops. Loss, embeddings and what stands around the layers are far fewer operators than these.
bool recomputes_unknown_layers(const Tape& tape) {
  if (!tape.options().checkpoint_blocks) return false;
  std::int64_t inside = 0;
  std::int64_t outside = 0;
  for (std::size_t i = 0; i < tape.operators().size(); ++i) {
    std::int64_t& side = tape.operators()[i].block == 0 ? outside : inside;
    side = saturating_add(side, tape.times_of_operator(i));
  }
  return outside > inside;
}

StepMeasure weights_of(const Tape& tape, const model::Footprint& sums) {
  StepMeasure measure;
  measure.parameters = sums.parameters;
  measure.trainable_parameters = sums.trainable_parameters;
  measure.largest_parameter = sums.largest_parameter;
  measure.census = census_of(tape, !tape.options().trained.empty());
  measure.gradients = sums.trainable_bytes;
  measure.buffers = sums.buffer_bytes;
  return measure;
}

ReservedSlack slack_of(const Tape& tape, const model::Timeline& played,
                       const ReplayOptions& options) {
  if (played.complete) return replay_slack(tape, played, options);
  const Tape whole = model::unfold(tape);
  return replay_slack(whole, model::play(whole), options);
}

StepMeasure measure(const Tape& tape, const ReplayOptions* replay) {
  const model::Timeline timeline = model::play(tape, replay != nullptr ? kMostReplayedEvents : 0);
  const model::Footprint sums = model::summarise(tape);
  StepMeasure measure = weights_of(tape, sums);
  measure.inputs = sums.input_bytes + sums.target_bytes;
  measure.saved = sums.saved_bytes;
  measure.weight_casts = Bytes::of(tape.total_bytes(StorageKind::weight_cast));
  measure.forward_peak = timeline.forward_peak;
  measure.backward_peak = timeline.backward_peak;
  measure.forward_workspace = timeline.forward_peak - timeline.forward_peak_unaided;
  measure.backward_workspace = timeline.backward_peak - timeline.backward_peak_unaided;
  const std::uint32_t peak = timeline.backward_peak_operator;
  measure.gradients_at_backward_peak = gradients_after(tape, peak);
  measure.weight_casts_at_backward_peak = weight_casts_before(tape, peak);
  measure.largest_convolution = largest_convolution(tape);
  measure.recomputes_unknown_layers = recomputes_unknown_layers(tape);
  measure.replayable = timeline.event_count <= kMostReplayedEvents;
  if (replay != nullptr && measure.replayable) {
    measure.reserved_slack = slack_of(tape, timeline, *replay);
  }
  measure.fused_attention =
      std::any_of(tape.operators().begin(), tape.operators().end(),
                  [](const Operator& op) { return op.kind == model::OperatorKind::sdpa; });
  return measure;
}

}  // namespace

std::int64_t ParameterCensus::total() const {
  const std::int64_t matrices = saturating_add(block_matrices, saturating_add(embeddings, head));
  return saturating_add(matrices, saturating_add(adapters, others));
}

StepMeasure measure_weights(const Tape& tape) { return weights_of(tape, model::summarise(tape)); }

StepMeasure measure_step(const Tape& tape, bool merged_kernels, const ReplayOptions* replay) {
  if (!merged_kernels) return measure(tape, replay);
  Tape merged = model::unfold(tape);  // chains of pointwise operators go on from layer to layer
  model::keep_less(merged);
  return measure(merged, replay);
}

}  // namespace gpulint
