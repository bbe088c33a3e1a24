// Number format, attention kernel, recomputation, adapters and the loss: a fact that is not stated
// gives one way per answer.

#include "estimate/step_ways.h"

#include "estimate/fact_access.h"

#include <algorithm>

namespace gpulint {
namespace {

using model::AttentionBackend;
using model::DType;
using model::ExecutionOptions;
using model::PrecisionPolicy;
using model::TapeOptions;
using Found = model::ModelLibrary::Found;

// PEFT's default rank is 8, recipes use 8 to 64; only its activations depend on it, and little.
constexpr std::int64_t kUsualAdapterRank = 16;

bool is_written(const Provenance& from) {
  return from.origin == Origin::stated || from.origin == Origin::project;
}

PrecisionPolicy whole(DType dtype) { return {dtype, dtype, std::nullopt}; }
constexpr PrecisionPolicy kAutocast{DType::fp32, DType::fp32, DType::bf16};

// Formats the step may run in, the most likely first. fp16 and bf16 take the same bytes.
std::vector<PrecisionPolicy> policies(const TrainingPlan& plan) {
  const std::string_view mixed = text_of(plan.mixed_precision);
  const std::string_view weights = text_of(plan.weights_dtype);
  const bool half_weights = weights == "fp16" || weights == "bf16";
  if (half_weights) return {whole(DType::bf16)};
  if (mixed == "none") return {whole(DType::fp32)};
  if (mixed.empty()) return {whole(DType::fp32), kAutocast, whole(DType::bf16)};
  // Engines that shard states run 16-bit weights and keep fp32 masters.
  if (at_least(plan.sharding_stage, 1)) return {whole(DType::bf16), kAutocast};
  if (weights.empty() && mixed == "bf16") return {kAutocast, whole(DType::bf16)};
  return {kAutocast};
}

// Turing and older have no kernel for bf16; torch then computes attention in fp32 and keeps it.
constexpr double kFirstFusedBf16 = 8.0;  // compute capability

std::vector<AttentionBackend> attention_kernels(const TrainingPlan& plan, const Gpu* gpu) {
  const std::string_view backend = text_of(plan.attention_backend);
  if (backend == "eager") return {AttentionBackend::explicit_math};
  if (backend == "math") return {AttentionBackend::sdpa_math};
  if (backend == "flash" || backend == "memory_efficient") return {AttentionBackend::flash};
  const bool bf16 =
      text_of(plan.mixed_precision) == "bf16" || text_of(plan.weights_dtype) == "bf16";
  const bool falls_back = bf16 && gpu != nullptr && gpu->compute_capability &&
                          *gpu->compute_capability < kFirstFusedBf16;
  const AttentionBackend fused = falls_back ? AttentionBackend::sdpa_math : AttentionBackend::flash;
  if (backend == "sdpa") return {fused};
  return {fused, AttentionBackend::explicit_math};
}

void set_adapter(const TrainingPlan& plan, TapeOptions& tape, ExecutionOptions& execution,
                 UnknownFacts& unknown) {
  if (!has_adapter(plan)) return;
  tape.trained = {"adapter"};
  const auto rank = at_least(plan.adapter_rank, 1);
  if (!rank) unknown.push_back("adapter_rank");
  execution.lora_rank = rank.value_or(kUsualAdapterRank);
  if (!plan.adapter_targets) unknown.push_back("adapter_targets");
  if (!plan.adapter_targets || plan.adapter_targets->value.empty()) {
    execution.lora_targets = {"*"};
    return;
  }
  for (const std::string& target : plan.adapter_targets->value) {
    const bool all = target == "all-linear" || target == "all";
    execution.lora_targets.push_back(all ? "*" : target.substr(target.rfind('.') + 1));
  }
}

enum class Recomputation : std::uint8_t { none, all, some, unknown };

Recomputation recomputation(const TrainingPlan& plan, const Found& found) {
  // Launchers and wrappers switch it on too: a framework's default says little.
  const Maybe<std::string>& fact = plan.activation_checkpointing;
  const bool written = fact && is_written(fact->from);
  const std::string_view checkpointing = written ? text_of(fact) : std::string_view();
  if (checkpointing == "full" || checkpointing == "offload") return Recomputation::all;
  if (checkpointing == "selective") return Recomputation::some;
  if (checkpointing == "none") return Recomputation::none;
  // Nobody recomputes a small CNN; language models often are, by a call in the script.
  return has_dimension(found, "sequence_length") ? Recomputation::unknown : Recomputation::none;
}

// Fused and chunked losses never write all logits; a config seldom says that one is used.
constexpr std::int64_t kNoLogits = 1;

}  // namespace

bool has_dimension(const model::ModelLibrary::Found& found, std::string_view name) {
  return std::any_of(found.program->dimensions.begin(), found.program->dimensions.end(),
                     [&](const model::Dimension& dimension) { return dimension.name == name; });
}

bool has_adapter(const TrainingPlan& plan) {
  const std::string_view adapter = text_of(plan.adapter);
  return !adapter.empty() && adapter != "none";
}

std::vector<StepWay> step_ways(const TrainingPlan& plan, const model::ModelLibrary::Found& found,
                               const Gpu* gpu, UnknownFacts& unknown) {
  StepWay usual;
  set_adapter(plan, usual.tape, usual.execution, unknown);
  const Recomputation recomputed = recomputation(plan, found);
  usual.tape.checkpoint_blocks = recomputed == Recomputation::all;
  const auto formats = policies(plan);
  const auto kernels = attention_kernels(plan, gpu);
  usual.tape.precision = formats.front();
  usual.execution.attention = kernels.front();
  std::vector<StepWay> result{usual};
  for (std::size_t i = 1; i < formats.size(); ++i) {
    result.push_back(usual);
    result.back().tape.precision = formats[i];
  }
  if (kernels.size() > 1) {
    result.push_back(usual);
    result.back().execution.attention = kernels[1];
  }
  if (recomputed == Recomputation::unknown) unknown.push_back("activation_checkpointing");
  if (recomputed == Recomputation::some || recomputed == Recomputation::unknown) {
    result.push_back(usual);
    result.back().tape.checkpoint_blocks = true;
  }
  if (has_dimension(found, "sequence_length") && has_dimension(found, "vocab_size")) {
    result.push_back(result.back());
    result.back().execution.attention = kernels.front();
    result.back().dimensions["vocab_size"] = kNoLogits;
  }
  return result;
}

}  // namespace gpulint
