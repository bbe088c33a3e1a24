#include "memory/step_measure.h"

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
// read there and later exist.
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
  for (std::size_t i = peak; i < tape.operators().size(); ++i) {
    for (const Link& link : links_of(tape, tape.operators()[i])) {
      const StorageId id = weight[link.storage];
      if (link.role != LinkRole::reads || id == model::kNoStorage || counted[id]) continue;
      counted[id] = true;
      bytes = saturating_add(bytes, storages[id].bytes);
    }
  }
  return Bytes::of(bytes);
}

Bytes weight_casts_before(const Tape& tape, std::uint32_t peak) {
  std::int64_t bytes = 0;
  for (const Storage& storage : tape.storages()) {
    const bool alive = storage.saved && storage.created_by <= peak;
    if (storage.kind == StorageKind::weight_cast && alive) {
      bytes = saturating_add(bytes, storage.bytes);
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
    const std::int64_t elements = storage.bytes / model::size_of(storage.dtype);
    blocks[block] = saturating_add(blocks[block], elements);
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
  if (replay != nullptr && timeline.complete) {
    measure.reserved_slack = replay_slack(tape, timeline, *replay);
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
  Tape merged = tape;
  model::keep_less(merged);
  return measure(merged, replay);
}

}  // namespace gpulint
