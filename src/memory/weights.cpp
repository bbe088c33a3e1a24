// Quantization (bitsandbytes, and the like of it) takes the matrices of the blocks. What is left,
// embeddings, head and norms, keeps the format the weights were loaded in; peft's
// prepare_model_for_kbit_training turns all of it into fp32, which is assumed where the config
// states no format. NF4 is 4 bits a weight and a scale per 64 of them.

#include "memory/weights.h"

#include "memory/adapters.h"
#include "run/fact_access.h"

#include <algorithm>

namespace gpulint {
namespace {

constexpr double kFp32Bytes = 4;  // bytes

// GPTQ, AQLM and HQQ go down to 2 bits; what is not quantized takes more, so this is a low end.
constexpr double kFewestBytes = 2.0 / 8;

std::int64_t parts(const Maybe<std::int64_t>& ranks) { return at_least(ranks, 1).value_or(1); }

Interval quantized_weights(const ResolvedRun& run, const ParameterCensus& census,
                           const NumberFormats& formats) {
  const TrainingPlan& plan = run.facts();
  const Range packed = quantized_bytes(plan);
  const bool head_too = quantizes_head(run);
  const double head = static_cast<double>(census.head);
  const double embeddings = static_cast<double>(census.embeddings);
  const double matrices = static_cast<double>(census.block_matrices) + (head_too ? head : 0);
  const double rest = embeddings + static_cast<double>(census.others) + (head_too ? 0 : head);
  const Range plain = plan.weights_dtype ? formats.weight : Range{2, kFp32Bytes, kFp32Bytes};
  // litgpt puts a copy in the place of the embeddings, and main() still names the first.
  const Range second = head_too ? Range{0, plain.central, plain.central} : Range{};
  return times(matrices, packed) + times(rest, plain) + times(embeddings, second) +
         times(static_cast<double>(census.adapters), adapter_weight_bytes(plan));
}

// What a rank of a stage does not hold because other ranks have those experts; negative where
// tensor parallelism would have split them further.
double experts_elsewhere(const Layout& layout, const ParameterCensus& census) {
  if (layout.expert <= 1 || census.experts <= 0) return 0;
  return static_cast<double>(census.experts) *
         (1 / static_cast<double>(layout.tensor) - 1 / static_cast<double>(layout.expert_pieces()));
}

void spread_experts(const ResolvedRun& run, const ModelFootprint& footprint, RankWeights& rank) {
  const double elsewhere = experts_elsewhere(run.layout(), footprint.census);
  rank.unspread = rank.parameters;
  rank.unspread_trainable = rank.trainable;
  if (elsewhere == 0 || rank.parameters <= 0) return;
  const double share = elsewhere / rank.parameters;
  rank.parameters = std::max(0.0, rank.parameters - elsewhere);
  rank.block = std::max(0.0, rank.block * (1 - share));
  if (!run.adapter().present) {
    rank.trainable = std::max(0.0, rank.trainable * (1 - share));
    return;
  }
  const double of_adapters = elsewhere * static_cast<double>(footprint.census.expert_adapters) /
                             static_cast<double>(footprint.census.experts);
  rank.trainable = std::max(0.0, rank.trainable - of_adapters);
  rank.adapters = std::max(0.0, rank.adapters - of_adapters);
}

}  // namespace

RankWeights rank_weights(const ResolvedRun& run, const ModelFootprint& footprint) {
  const TrainingPlan& plan = run.facts();
  const std::int64_t stages = parts(plan.pipeline_parallel_size);
  const double tensor = static_cast<double>(parts(plan.tensor_parallel_size));
  const ParameterCensus& census = footprint.census;
  RankWeights rank;
  rank.parameters = static_cast<double>(footprint.parameters) / tensor;
  rank.trainable = static_cast<double>(footprint.trainable_parameters) / tensor;
  if (stages > 1) {
    // The first stage has the embeddings, the last one the head.
    const double unused = static_cast<double>(std::min(census.embeddings, census.head));
    const double share = census.total() > 0
                             ? (static_cast<double>(census.total()) - unused) /
                                   std::max(1.0, static_cast<double>(footprint.parameters))
                             : 1 / static_cast<double>(stages);
    rank.parameters *= share;
    rank.trainable *= share;
  }
  rank.block = static_cast<double>(census.largest_block) / tensor;
  rank.outside_blocks = static_cast<double>(census.outside_blocks) / tensor;
  if (run.adapter().present) {
    const double whole = run.adapter().trains_embeddings ? rank.outside_blocks : 0;
    rank.adapters = std::max(0.0, rank.trainable - whole);
  }
  const auto layers = at_least(plan.num_hidden_layers, 1);
  if (rank.block <= 0 && layers) {
    rank.block = static_cast<double>(footprint.parameters) / tensor / static_cast<double>(*layers);
  }
  spread_experts(run, footprint, rank);
  return rank;
}

Interval weight_bytes(const ResolvedRun& run, const ModelFootprint& footprint,
                      const NumberFormats& formats, const RankWeights& rank,
                      UnknownFacts& unknown) {
  const TrainingPlan& plan = run.facts();
  const double whole = std::max(1.0, static_cast<double>(footprint.parameters));
  const double share = rank.parameters / whole;
  Interval bytes;
  if (!has_quantized_base(plan)) {
    bytes = times(rank.parameters, formats.weight);
    if (run.may_be_quantized()) {
      unknown.push_back("quantization");
      bytes.low = times(rank.parameters, exactly(kFewestBytes)).low;
    }
    if (run.adapter().present) {
      const double adapters = static_cast<double>(footprint.census.adapters) * share;
      const Range own = adapter_weight_bytes(plan);
      bytes = bytes + times(adapters, {0, std::max(0.0, own.central - formats.weight.central),
                                       std::max(0.0, own.high - formats.weight.high)});
    }
  } else if (footprint.census.total() > 0) {
    bytes = times(share, quantized_weights(run, footprint.census, formats));
  } else {
    bytes = times(rank.parameters, quantized_weight_bytes(plan, footprint.parameters, unknown));
  }
  if (run.own_network() == OwnNetwork::may_hold_model) bytes.low = Bytes{};
  // Modules trained whole are copies beside the frozen ones.
  if (run.adapter().trains_embeddings) {
    bytes = bytes + times(rank.outside_blocks, formats.weight);
  }
  return bytes;
}

int most_networks_beside(const ResolvedRun& run) {
  const TrainingPlan& plan = run.facts();
  if (plan.vram_other) return 0;
  const std::string_view objective = text_of(plan.objective);
  const int reference = run.adapter().present ? 0 : 1;
  if (objective == "preference") return reference;
  return objective == "reinforcement" ? reference + 2 : 0;
}

}  // namespace gpulint
