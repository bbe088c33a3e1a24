// Number format, attention kernel, recomputation, adapters and the loss: a fact that is not stated
// gives one way per answer. What nearly every run does unasked is not an open question: a language
// model's loss has all its logits unless a fact says otherwise.

#include "memory/step_ways.h"

#include "memory/adapters.h"
#include "memory/open_ways.h"
#include "memory/precision.h"
#include "memory/vision_language.h"
#include "run/fact_access.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace gpulint {
namespace {

using model::AttentionBackend;
using model::DType;
using model::PrecisionPolicy;
using Found = model::ModelLibrary::Found;

PrecisionPolicy whole(DType dtype) { return {dtype, dtype, std::nullopt}; }
constexpr PrecisionPolicy kBf16Autocast{DType::fp32, DType::fp32, DType::bf16};
// A model loaded in 16 bits under autocast: norms and losses still run in fp32.
constexpr PrecisionPolicy kHalfAutocast{DType::bf16, DType::bf16, DType::bf16};

// Formats the step may run in, the most likely first. fp16 and bf16 take the same bytes.
std::vector<PrecisionPolicy> policies(const TrainingPlan& plan) {
  const std::string_view mixed = text_of(plan.mixed_precision);
  const std::string_view weights = text_of(plan.weights_dtype);
  const bool half_weights = weights == "fp16" || weights == "bf16";
  const bool sharded = at_least(plan.sharding_stage, 1).has_value();
  const bool masters = keeps_masters(plan);  // they take the place of autocast
  if (half_weights && !sharded && !masters && !mixed.empty() && mixed != "none") {
    return {kHalfAutocast};
  }
  if (half_weights) return {whole(DType::bf16)};
  if (mixed == "none") return {whole(DType::fp32)};
  if (mixed.empty()) return {whole(DType::fp32), kBf16Autocast, whole(DType::bf16)};
  // Engines that shard states run 16-bit weights and keep fp32 masters.
  if (sharded) {
    if (plan.sharding_engine) return {whole(DType::bf16)};
    return {whole(DType::bf16), kBf16Autocast};
  }
  if (weights.empty() && may_be_bf16(mixed)) return {kBf16Autocast, whole(DType::bf16)};
  return {kBf16Autocast};
}

std::vector<AttentionBackend> attention_kernels(const TrainingPlan& plan, const Gpu* gpu) {
  const std::string_view backend = text_of(plan.attention_backend);
  if (backend == "eager") return {AttentionBackend::explicit_math};
  if (backend == "math") return {AttentionBackend::sdpa_math};
  if (backend == "flash" || backend == "memory_efficient") return {AttentionBackend::flash};
  const bool bf16 =
      text_of(plan.mixed_precision) == "bf16" || text_of(plan.weights_dtype) == "bf16";
  // Without a kernel for bf16 torch computes attention in fp32 and keeps it.
  const bool falls_back = bf16 && gpu != nullptr && gpu->compute_capability && !gpu->bf16_native;
  const AttentionBackend fused = falls_back ? AttentionBackend::sdpa_math : AttentionBackend::sdpa;
  // Frameworks of the day of 16-bit weights, adapters and compilers use fused kernels unasked.
  const bool recent = !text_of(plan.weights_dtype).empty() || plan.adapter || is_true(plan.compile);
  if (backend == "sdpa" || recent) return {fused};
  return {fused, AttentionBackend::explicit_math};
}

enum class Recomputation : std::uint8_t { none, all, some, unknown };

Recomputation recomputation(const TrainingPlan& plan, const Found& found) {
  // What a framework switches on unasked is on; what it leaves off launchers and wrappers may still
  // switch on. A loop of the project's own was read.
  const Maybe<std::string>& fact = plan.activation_checkpointing;
  const std::string_view value = text_of(fact);
  const bool known = (fact && (is_written(fact->from) || fact->from.origin == Origin::code)) ||
                     value == "full" || value == "offload";
  const std::string_view checkpointing = known ? value : std::string_view();
  if (checkpointing == "full" || checkpointing == "offload") return Recomputation::all;
  if (checkpointing == "selective") return Recomputation::some;
  if (checkpointing == "none") return Recomputation::none;
  // Nobody recomputes a small CNN; language models often are, by a call in the script.
  return has_dimension(found, "sequence_length") ? Recomputation::unknown : Recomputation::none;
}

// "op", "attention", or every n-th layer.
void set_selective(std::string_view what, StepWay& way) {
  way.tape.checkpoint_blocks = what != "attention";
  way.tape.keep_matrix_products = what == "op";
  std::int64_t every = 0;
  const char* end = what.data() + what.size();
  const auto [rest, error] = std::from_chars(what.data(), end, every);
  if (error == std::errc() && rest == end && every >= 1) way.tape.checkpoint_every = every;
  // Attention computed again keeps what the fused kernels keep: its inputs and its result.
  if (what == "attention" && way.execution.attention != AttentionBackend::sdpa_math) {
    way.execution.attention = AttentionBackend::flash;
  }
}

// torchtitan's default is every second layer; recomputing all but the costly operators is the other
// usual choice.
constexpr std::string_view kUsualSelection = "op";
constexpr std::string_view kOtherSelection = "2";

void add_recomputation(const TrainingPlan& plan, const Found& found, OpenWays& ways,
                       UnknownFacts& unknown) {
  switch (recomputation(plan, found)) {
    case Recomputation::none:
      return;
    case Recomputation::all:
      ways.set([&](StepWay& way) {
        way.tape.checkpoint_blocks = true;
        way.tape.offload_block_inputs = text_of(plan.activation_checkpointing) == "offload";
      });
      return;
    case Recomputation::unknown:
      unknown.push_back("activation_checkpointing");
      ways.add_less([](StepWay& way) { way.tape.checkpoint_blocks = true; });
      return;
    case Recomputation::some: {
      const std::string_view stated = text_of(plan.selective_checkpointing);
      const std::string_view selection = stated.empty() ? kUsualSelection : stated;
      ways.set([&](StepWay& way) { set_selective(selection, way); });
      if (!stated.empty()) return;
      unknown.push_back("selective_checkpointing");
      ways.add([](StepWay& way) {
        set_selective(kOtherSelection, way);
        way.tape.keep_matrix_products = false;
      });
      return;
    }
  }
}

/// Logits of the positions that have a label, of which a sample may have few or as many as it has
/// tokens. Models that read images have all of theirs, unless somebody says otherwise.
bool has_few_logits(const TrainingPlan& plan, const Found& found) {
  if (text_of(plan.cross_entropy) != "label_tokens") return false;
  return is_written(plan.cross_entropy->from) || !has_dimension(found, "images");
}

bool is_in_place(const TrainingPlan& plan) { return text_of(plan.cross_entropy) == "in_place"; }

// How many logits have a label no config says, and older releases made all: with few, the least is
// the centre, for a figure in the middle would be a guess that verdicts rest on.
model::LossForm loss_form(const TrainingPlan& plan, const Found& found) {
  if (has_few_logits(plan, found)) return model::LossForm::fused;
  const std::string_view stated = text_of(plan.cross_entropy);
  if (is_in_place(plan) && is_written(plan.cross_entropy->from)) return model::LossForm::in_place;
  if (stated == "chunked") return model::LossForm::chunked;
  if (stated == "fused") return model::LossForm::fused;
  return model::LossForm::full;
}

// A framework whose loss overwrites its logits had releases whose loss did not, and published peaks
// lie between the two.
void add_overwriting_loss(const TrainingPlan& plan, OpenWays& ways) {
  if (!is_in_place(plan) || ways.all.front().tape.loss == model::LossForm::in_place) return;
  ways.add_less([](StepWay& way) { way.tape.loss = model::LossForm::in_place; });
}

// What nobody states an engine's layers decide: in one kernel each, or written out where options
// of the engine say so.
bool fuses_kernels(const ResolvedRun& run) {
  const Maybe<bool>& stated = run.facts().fused_kernels;
  if (stated) return is_true(stated);
  return run.engine() != nullptr && run.engine()->fuses_kernels;
}

void add_written_kernels(const ResolvedRun& run, OpenWays& ways) {
  if (run.facts().fused_kernels || !fuses_kernels(run)) return;
  ways.add([&](StepWay& way) {
    way.merged_kernels = is_true(run.facts().compile);
    way.dimensions.erase("norm");
  });
}

void add_all_logits(const TrainingPlan& plan, const Found& found, OpenWays& ways,
                    UnknownFacts& unknown) {
  if (!has_few_logits(plan, found) || !has_dimension(found, "vocab_size")) return;
  unknown.push_back("cross_entropy");
  ways.add([](StepWay& way) { way.tape.loss = model::LossForm::full; });
}

// A reward model scores a sample with one number; trainers that hang that number beside the head of
// the language model compute the logits all the same.
void add_scores_alone(const TrainingPlan& plan, OpenWays& ways) {
  if (text_of(plan.objective) != "reward") return;
  ways.add_less([](StepWay& way) { way.tape.loss = model::LossForm::fused; });
}

// A recurrence runs in the kernels of a library that is installed or not, which no config says;
// written out in PyTorch it keeps several times as much.
void add_written_recurrence(const model::ModelLibrary::Found& found, OpenWays& ways) {
  constexpr std::string_view kWrittenOut = "recurrence_written_out";
  if (!has_dimension(found, kWrittenOut)) return;
  ways.add([&](StepWay& way) { way.dimensions[std::string(kWrittenOut)] = true; });
}

// Releases that changed what autograd keeps (tools/autograd/derivatives.yaml) and how its engine
// adds gradients (input_buffer.cpp, pytorch#88339).
constexpr Release kGradientsAddedInPlace{2, 0};
constexpr Release kSoftmaxKeepsResultOnly{1, 11};
constexpr Release kReluKeepsResult{1, 10};
constexpr Release kFusedGroupNorm{1, 5};

// Generations with TF32 run fp32 convolutions on tensor cores unless told not to; the others on
// kernels that may borrow a multiple of what they read.
bool transforms_convolutions(const TrainingPlan& plan, const Gpu* gpu,
                             const model::TapeOptions& tape) {
  const model::PrecisionPolicy& precision = tape.precision;
  if (precision.autocast || precision.weights != DType::fp32) return false;
  const bool tf32 = gpu != nullptr && gpu->tf32_convolutions && !is_false(plan.tf32);
  return !tf32;
}

// A method nobody described keeps between next to nothing (its first factor is frozen) and the
// weight in its own format with a changed one beside it; the forms of those that are described.
void add_adapter_forms(const Adapter& adapter, OpenWays& ways) {
  using model::AdapterForm;
  if (!adapter.is_undescribed()) return;
  ways.add_less([](StepWay& way) { way.tape.adapter.form = AdapterForm::projected; });
  ways.add([](StepWay& way) { way.tape.adapter.form = AdapterForm::written_weight; });
}

// Weights that somebody keeps as they are without a word of an adapter: a head on a network that
// runs without gradients keeps nothing of it.
bool may_be_probed(const ResolvedRun& run) {
  const TrainingPlan& plan = run.facts();
  return run.adapter().is_undescribed() && !plan.adapter && !at_least(plan.adapter_rank, 1);
}

// A rank that holds some of the experts runs the tokens that are sent to them. An even share is the
// centre. Routers are trained with capacities of one to two times that (GShard, arXiv:2006.16668;
// Switch Transformers, arXiv:2101.03961, section 2.2), engines that drop no token set no limit:
// twice the share is the high end.
constexpr std::int64_t kBusiestShare = 2;

void add_busiest_experts(const TrainingPlan& plan, const Found& found, OpenWays& ways) {
  constexpr std::string_view kPerToken = "num_experts_per_tok";
  if (!at_least(plan.expert_parallel_size, 2)) return;
  const auto chosen = whole_dimension(found, found.entry.dimensions, kPerToken);
  const auto experts = whole_dimension(found, found.entry.dimensions, "num_experts");
  if (!chosen || !experts || *chosen > *experts / kBusiestShare) return;
  ways.add([&](StepWay& way) {
    way.dimensions[std::string(kPerToken)] = *chosen * kBusiestShare;
  });
}

// Detectors match positions with as many boxes as COCO's most crowded image has. Other data sets
// have more crowded ones; by how much, no config says. Twice as many at the high end is our
// judgement, not a measurement.
constexpr std::int64_t kMoreCrowded = 2;

void add_crowded_images(const TrainingPlan& plan, const Found& found, OpenWays& ways,
                        UnknownFacts& unknown) {
  const auto boxes = whole_dimension(found, found.entry.dimensions, "boxes");
  if (!boxes || plan.objects_per_image) return;
  if (!plan.num_classes || !is_written(plan.num_classes->from)) return;
  unknown.push_back("objects_per_image");
  ways.add([&](StepWay& way) {
    way.dimensions["boxes"] = saturating_multiply(*boxes, kMoreCrowded);
  });
}

std::optional<std::int64_t> whole_number(const expr::Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value.data)) return *number;
  return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> whole_dimension(const model::ModelLibrary::Found& found,
                                            const ModelDimensions& dimensions,
                                            std::string_view name) {
  if (const auto at = dimensions.find(std::string(name)); at != dimensions.end()) {
    return whole_number(at->second);
  }
  for (const model::Dimension& dimension : found.program->dimensions) {
    if (dimension.name != name || !dimension.value) continue;
    if (dimension.value->kind == model::Operand::Kind::constant) {
      return whole_number(dimension.value->constant);
    }
  }
  return std::nullopt;
}

bool reads_latents(const model::ModelLibrary::Found& found) {
  const std::vector<model::InputTensor>& inputs = found.program->inputs;
  return std::any_of(inputs.begin(), inputs.end(), [](const model::InputTensor& input) {
    return input.name.starts_with("latent");
  });
}

std::vector<StepWay> step_ways(const ResolvedRun& run, const model::ModelLibrary::Found& found,
                               UnknownFacts& unknown) {
  const TrainingPlan& plan = run.facts();
  const Gpu* gpu = run.gpu();
  StepWay usual;
  usual.merged_kernels = is_true(plan.compile) || fuses_kernels(run);
  if (fuses_kernels(run) && has_dimension(found, "norm")) {
    usual.dimensions["norm"] = std::string("fused");
  }
  const std::string_view implementation = text_of(plan.model_implementation);
  if (!implementation.empty() && has_dimension(found, "implementation")) {
    usual.dimensions["implementation"] = std::string(implementation);
  } else if (at_least(plan.expert_parallel_size, 2) && has_dimension(found, "implementation")) {
    // Engines that spread experts over ranks send each of them its own tokens only.
    usual.dimensions["implementation"] = std::string("expert_parallel");
  }
  const ImplementationTraits* code = run.implementation();
  if (code != nullptr && !code->ties_embeddings && has_dimension(found, "tie_word_embeddings")) {
    usual.dimensions["tie_word_embeddings"] = false;
  }
  usual.tape.frozen = frozen_parts(run);
  usual.tape.loss = loss_form(plan, found);
  usual.tape.merged_loss = is_true(plan.compile);
  usual.tape.written_out_loss = code != nullptr && code->loss_over_tensor_ranks &&
                                at_least(plan.tensor_parallel_size, 2).has_value();
  usual.tape.softmax_keeps_input = is_torch_before(plan, kSoftmaxKeepsResultOnly);
  usual.tape.gradients_summed_apart = is_torch_before(plan, kGradientsAddedInPlace);
  usual.tape.relu_keeps_input = is_torch_before(plan, kReluKeepsResult);
  usual.tape.composed_group_norm = is_torch_before(plan, kFusedGroupNorm);
  const auto formats = policies(plan);
  const auto kernels = attention_kernels(plan, gpu);
  usual.tape.precision = formats.front();
  usual.execution.attention = kernels.front();
  const StepWay without_adapter = usual;
  set_adapter(run, usual, unknown);
  if (transforms_convolutions(plan, gpu, usual.tape)) {
    usual.tape.convolution_workspace = model::ConvolutionWorkspace::winograd;
  }
  OpenWays ways(usual);
  const auto borrow_nothing = [](StepWay& way) {
    way.tape.convolution_workspace = model::ConvolutionWorkspace::none;
  };
  if (usual.tape.convolution_workspace != model::ConvolutionWorkspace::none &&
      has_dimension(found, "image_size")) {
    ways.add_less(borrow_nothing);  // cuDNN's choice of kernels is its own
  }
  for (std::size_t i = 1; i < formats.size(); ++i) {
    const auto in_format = [&](StepWay& way) {
      borrow_nothing(way);
      way.tape.precision = formats[i];
    };
    if (formats[i] == whole(DType::bf16)) {
      ways.add_less(in_format);
    } else {
      ways.add(in_format);
    }
  }
  if (kernels.size() > 1) {
    ways.add([&](StepWay& way) {
      borrow_nothing(way);
      way.execution.attention = kernels[1];
    });
  }
  if (usual.tape.quantized.enabled) {
    const auto other = [&](StepWay& way) {
      borrow_nothing(way);
      way.tape.quantized.keeps_input = !usual.tape.quantized.keeps_input;
    };
    if (usual.tape.quantized.keeps_input) {
      ways.add_less(other);
    } else {
      ways.add(other);
    }
  }
  add_scores_alone(plan, ways);
  add_all_logits(plan, found, ways, unknown);
  add_written_recurrence(found, ways);
  add_written_kernels(run, ways);
  add_overwriting_loss(plan, ways);
  add_adapter_forms(run.adapter(), ways);
  if (may_be_probed(run)) {
    ways.add_less([&](StepWay& way) {
      const model::PrecisionPolicy precision = way.tape.precision;
      way = without_adapter;
      way.tape.precision = precision;
      way.tape.trained = {std::string(model::kFrozenSection)};  // of which nothing is
    });
  }
  add_busiest_experts(plan, found, ways);
  add_crowded_images(plan, found, ways, unknown);
  add_recomputation(plan, found, ways, unknown);
  ways.add_least();
  add_image_sizes(run, found, ways.all, unknown);
  return std::move(ways.all);
}

}  // namespace gpulint
