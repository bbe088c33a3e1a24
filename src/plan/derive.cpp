#include "plan/derive.h"

#include "plan/fact_table.h"
#include "plan/layout.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

namespace gpulint {

namespace {

Provenance from(std::string detail, Origin origin = Origin::derived) {
  Provenance provenance;
  provenance.origin = origin;
  provenance.detail = std::move(detail);
  return provenance;
}

bool blocked(std::span<const FactState> states, std::string_view fact) {
  if (states.empty()) return false;  // a plan built by hand
  const FactRow* row = find_fact(fact);
  return states[static_cast<std::size_t>(row - fact_table().data())] == FactState::blocked;
}

using Count = Maybe<std::int64_t>;

// Quotient of a division that must come out even: half a GPU or half a sample means that the facts
// do not belong together, which a rule may judge but nothing can be derived from.
void set_quotient(Count& target, std::int64_t total, std::int64_t divisor, std::string detail) {
  if (target || divisor <= 0 || total <= 0 || total % divisor != 0) return;
  target = Fact<std::int64_t>{total / divisor, from(std::move(detail))};
}

void derive_precision(TrainingPlan& plan, std::span<const FactState> states) {
  if (plan.mixed_precision || blocked(states, "mixed_precision")) return;
  const bool fp16 = plan.fp16_enabled && plan.fp16_enabled->value;
  const bool bf16 = plan.bf16_enabled && plan.bf16_enabled->value;
  const bool both_off = plan.fp16_enabled && plan.bf16_enabled && !fp16 && !bf16;
  if ((fp16 && bf16) || (!fp16 && !bf16 && !both_off)) return;
  Provenance provenance = from("fp16_enabled and bf16_enabled");
  // The switch that decides is where the result can be pointed at.
  const Provenance& decisive =
      (fp16 || !plan.bf16_enabled) ? plan.fp16_enabled->from : plan.bf16_enabled->from;
  // What the code's defaults leave off, nobody wrote.
  if (decisive.origin != Origin::code || decisive.key_span.known()) {
    provenance.span = decisive.span;
    provenance.key_span = decisive.key_span;
    provenance.pointer = decisive.pointer;
  }
  plan.mixed_precision = Fact<std::string>{fp16   ? "fp16"
                                           : bf16 ? "bf16"
                                                  : "none",
                                           std::move(provenance)};
}

/// `--amp` names no format, and a scaler of losses is of use to fp16 alone.
void name_scaled_precision(TrainingPlan& plan) {
  const bool is_on = plan.mixed_precision && plan.mixed_precision->value == "enabled";
  const bool is_scaled = plan.loss_scaling && plan.loss_scaling->value == "dynamic";
  if (is_on && is_scaled) plan.mixed_precision->value = "fp16";
}

// What has fp32 copies of its weights keeps the weights in the 16-bit format it computes in, though
// the key that says so (NeMo's megatron_amp_O2) names no format.
void derive_weights_dtype(TrainingPlan& plan) {
  if (plan.weights_dtype) return;
  if (!plan.master_weights || plan.master_weights->value == "none" || !plan.mixed_precision) return;
  const std::string& format = plan.mixed_precision->value;
  if (format != "fp16" && format != "bf16") return;
  plan.weights_dtype = Fact<std::string>{format, from("master_weights and mixed_precision")};
}

/// A section for fp16 may stand in a config that another switch keeps from it: its scale is not of
/// the run. What the code does to its gradients stays.
void drop_scale_of_fp16(TrainingPlan& plan) {
  if (!plan.loss_scaling || plan.loss_scaling->from.origin == Origin::code) return;
  if (plan.mixed_precision && plan.mixed_precision->value == "bf16") plan.loss_scaling.reset();
}

std::int64_t size_or_one(const Count& size) { return size ? size->value : 1; }

/// Replicas that the config states, times what each of them spans. Experts that are ranks of their
/// own in one framework are shared in another: left alone.
void derive_world_from_replicas(TrainingPlan& plan, std::span<const FactState> states) {
  if (plan.world_size || plan.gpus_per_node || !plan.data_parallel_size) return;
  if (plan.data_parallel_size->from.origin != Origin::stated) return;
  if (size_or_one(plan.expert_parallel_size) != 1) return;
  const std::int64_t ranks =
      saturating_multiply(plan.data_parallel_size->value, layout_of(plan).model_ranks());
  for (std::string_view fact : {"world_size", "gpus_per_node", "tensor_parallel_size",
                                "pipeline_parallel_size", "context_parallel_size"}) {
    if (blocked(states, fact)) return;
  }
  plan.world_size = Fact<std::int64_t>{
      ranks, from("data_parallel_size x tensor, pipeline and context parallelism")};
}

bool splits_batches(const TrainingPlan& plan) {
  return plan.splits_batches && plan.splits_batches->value;
}

/// The code starts no second process, and may divide its batches among several GPUs.
bool is_one_process(const TrainingPlan& plan, std::span<const FactState> states) {
  const bool is_alone = plan.world_size && plan.world_size->value == 1 &&
                        plan.world_size->from.origin == Origin::code;
  return splits_batches(plan) || (is_alone && blocked(states, "splits_batches"));
}

/// Each GPU of such a process sees other samples, where it divides its batches; nobody knows
/// whether it does where the code may.
void derive_replicas_of_one_process(TrainingPlan& plan, std::span<const FactState> states) {
  if (!plan.gpus_per_node || plan.data_parallel_size || blocked(states, "data_parallel_size"))
    return;
  if (!splits_batches(plan) && plan.gpus_per_node->value != 1) return;
  plan.data_parallel_size = Fact<std::int64_t>{plan.gpus_per_node->value,
                                               from("gpus_per_node: one process, several GPUs")};
}

void derive_devices(TrainingPlan& plan, std::span<const FactState> states) {
  derive_world_from_replicas(plan, states);
  if (!plan.world_size && plan.gpus_per_node && plan.nodes && !splits_batches(plan)) {
    plan.world_size = Fact<std::int64_t>{
        saturating_multiply(plan.gpus_per_node->value, plan.nodes->value),
        from("gpus_per_node x nodes",
             plan.nodes->from.origin == Origin::assumed ? Origin::assumed : Origin::derived)};
  }
  if (plan.world_size && plan.world_size->value == 1 && !plan.nodes && !blocked(states, "nodes")) {
    plan.nodes = Fact<std::int64_t>{
        1, from("world_size", plan.world_size->from.origin == Origin::assumed ? Origin::assumed
                                                                              : Origin::derived)};
  }
  if (is_one_process(plan, states)) return derive_replicas_of_one_process(plan, states);
  if (plan.world_size && plan.gpus_per_node && !blocked(states, "nodes")) {
    set_quotient(plan.nodes, plan.world_size->value, plan.gpus_per_node->value,
                 "world_size / gpus_per_node");
  }
  if (plan.world_size && plan.nodes) {
    set_quotient(plan.gpus_per_node, plan.world_size->value, plan.nodes->value,
                 "world_size / nodes");
  }
  for (std::string_view fact :
       {"tensor_parallel_size", "pipeline_parallel_size", "context_parallel_size"}) {
    if (blocked(states, fact)) return;
  }
  const std::int64_t model_parallel = layout_of(plan).model_ranks();
  if (plan.world_size && !blocked(states, "data_parallel_size")) {
    set_quotient(plan.data_parallel_size, plan.world_size->value, model_parallel,
                 model_parallel == 1 ? "world_size; no tensor, pipeline or context parallelism"
                                     : "world_size / (tensor x pipeline x context parallel size)");
  }
}

/// The code divides the micro-batches of a step among the ranks. What a key states is not the
/// number of each rank then, whether how many there are is known or not.
void derive_accumulation(TrainingPlan& plan) {
  const Count& all = plan.gradient_accumulation_of_all_ranks;
  if (!all) return;
  plan.gradient_accumulation_steps.reset();
  if (plan.per_device_batch_size && !plan.global_batch_size) {
    plan.global_batch_size = Fact<std::int64_t>{
        saturating_multiply(plan.per_device_batch_size->value, all->value),
        from("per_device_batch_size x gradient_accumulation_of_all_ranks")};
  }
  if (!plan.data_parallel_size) return;
  set_quotient(plan.gradient_accumulation_steps, all->value, plan.data_parallel_size->value,
               "gradient_accumulation_of_all_ranks / data_parallel_size");
}

// Where two of per-device batch, accumulation and data-parallel size are known beside the global
// batch, the third follows.
void derive_from_global_batch(TrainingPlan& plan, std::span<const FactState> states) {
  // An assumed one was multiplied from these very factors.
  if (!plan.global_batch_size || plan.global_batch_size->from.origin == Origin::assumed) return;
  const std::int64_t global = plan.global_batch_size->value;
  const Count& per_device = plan.per_device_batch_size;
  const Count& accumulation = plan.gradient_accumulation_steps;
  const Count& replicas = plan.data_parallel_size;
  if (accumulation && replicas && !blocked(states, "per_device_batch_size")) {
    set_quotient(plan.per_device_batch_size, global,
                 saturating_multiply(accumulation->value, replicas->value),
                 "global_batch_size / (gradient_accumulation_steps x data_parallel_size)");
  }
  if (per_device && replicas && !blocked(states, "gradient_accumulation_steps")) {
    set_quotient(plan.gradient_accumulation_steps, global,
                 saturating_multiply(per_device->value, replicas->value),
                 "global_batch_size / (per_device_batch_size x data_parallel_size)");
  }
  if (per_device && accumulation && !plan.world_size && !blocked(states, "data_parallel_size")) {
    set_quotient(plan.data_parallel_size, global,
                 saturating_multiply(per_device->value, accumulation->value),
                 "global_batch_size / (per_device_batch_size x gradient_accumulation_steps)");
  }
}

void derive_global_batch(TrainingPlan& plan, std::span<const FactState> states) {
  if (plan.global_batch_size || blocked(states, "global_batch_size")) return;
  if (!plan.per_device_batch_size || !plan.data_parallel_size) return;
  if (blocked(states, "gradient_accumulation_steps")) return;
  const std::int64_t accumulation = size_or_one(plan.gradient_accumulation_steps);
  const std::int64_t samples =
      saturating_multiply(saturating_multiply(plan.per_device_batch_size->value, accumulation),
                          plan.data_parallel_size->value);
  plan.global_batch_size = Fact<std::int64_t>{
      samples,
      plan.gradient_accumulation_steps
          ? from("per_device_batch_size x gradient_accumulation_steps x data_parallel_size")
          : from("per_device_batch_size x data_parallel_size; no key states gradient accumulation",
                 Origin::assumed)};
}

/// What one process loads is the batch of all its GPUs. How much of it one of several GPUs gets
/// nobody knows where the code may divide it.
void derive_batch_of_one_process(TrainingPlan& plan, std::span<const FactState> states) {
  if (!is_one_process(plan, states) || splits_batches(plan) || !plan.per_device_batch_size) return;
  const bool accumulates = !blocked(states, "gradient_accumulation_steps");
  if (!plan.global_batch_size && accumulates && !blocked(states, "global_batch_size")) {
    plan.global_batch_size = Fact<std::int64_t>{
        saturating_multiply(plan.per_device_batch_size->value,
                            size_or_one(plan.gradient_accumulation_steps)),
        plan.gradient_accumulation_steps
            ? from("the batch of the one process x gradient_accumulation_steps")
            : from("the batch of the one process; no key states gradient accumulation",
                   Origin::assumed)};
  }
  if (plan.gpus_per_node && plan.gpus_per_node->value > 1) plan.per_device_batch_size.reset();
}

/// The code multiplies a rate by the number of ranks. What a key states is not the rate then,
/// whether that number is known or not.
void derive_learning_rate(TrainingPlan& plan) {
  if (!plan.learning_rate_per_rank) return;
  plan.learning_rate.reset();
  if (!plan.world_size) return;
  const Provenance& ranks = plan.world_size->from;
  plan.learning_rate = Fact<double>{
      plan.learning_rate_per_rank->value * static_cast<double>(plan.world_size->value),
      from("learning_rate_per_rank x world_size",
           ranks.origin == Origin::assumed ? Origin::assumed : Origin::derived)};
}

/// A warm-up in steps, where it comes out even: frameworks round a part of a step up or down.
void derive_warmup(TrainingPlan& plan, std::span<const FactState> states) {
  if (plan.warmup_steps || blocked(states, "warmup_steps")) return;
  const auto set = [&](std::int64_t steps, std::string detail) {
    plan.warmup_steps = Fact<std::int64_t>{steps, from(std::move(detail))};
  };
  if (plan.warmup_epochs && plan.warmup_epochs->value == 0) return set(0, "warmup_epochs is 0");
  if (!plan.warmup_ratio || !plan.max_steps) return;
  constexpr double kEven = 1e-6;
  const double steps = plan.warmup_ratio->value * static_cast<double>(plan.max_steps->value);
  const double whole = std::round(steps);
  if (std::abs(steps - whole) > kEven || whole < 0 || whole > 1e15) return;
  set(static_cast<std::int64_t>(whole), "warmup_ratio x max_steps");
}

/// One word for what leaves the GPU. Nothing does where nothing is sharded: ZeRO and FSDP move what
/// they have split.
void derive_offload(TrainingPlan& plan, std::span<const FactState> states) {
  if (plan.offload || blocked(states, "offload_optimizer") || blocked(states, "offload_parameters"))
    return;
  const auto is = [](const Maybe<std::string>& place, std::string_view word) {
    return place && place->value == word;
  };
  const auto either = [&](std::string_view word) {
    return is(plan.offload_optimizer, word) || is(plan.offload_parameters, word);
  };
  const auto set = [&](std::string word, std::string detail) {
    plan.offload = Fact<std::string>{std::move(word), from(std::move(detail))};
  };
  for (const std::string_view place : {"nvme", "cpu"}) {
    if (either(place)) return set(std::string(place), "offload_optimizer and offload_parameters");
  }
  if (plan.offload_optimizer && plan.offload_parameters)
    return set("none", "offload_optimizer and offload_parameters");
  if (plan.sharding_stage && plan.sharding_stage->value == 0)
    set("none", "sharding_stage 0: nothing is split, nothing is moved");
}

// A sequence may be of audio frames or sensor readings; these facts only language models have.
bool holds_tokens(const TrainingPlan& plan) {
  // Heads of a known model may be a vision transformer's; its vocabulary is that of its tokens.
  const bool states_heads =
      plan.num_attention_heads && plan.num_attention_heads->from.origin != Origin::model;
  return plan.vocab_size || plan.adapter || plan.packing || states_heads;
}

// FSDP recomputes the blocks that it wraps, whatever the model's own switch says
// (accelerate, accelerator.py: prepare_model).
void derive_checkpointing(TrainingPlan& plan) {
  const bool is_on =
      plan.fsdp_activation_checkpointing && plan.fsdp_activation_checkpointing->value;
  const bool shards = plan.sharding_stage && plan.sharding_stage->value > 0;
  const Maybe<std::string>& own = plan.activation_checkpointing;
  if (!is_on || !shards || (own && own->value != "none")) return;
  plan.activation_checkpointing = Fact<std::string>{"full", from("fsdp_activation_checkpointing")};
}

// What a sample weighs as the loader yields it: images as fp32 tensors (what torchvision's
// ToTensor makes; as uint8 they would be a quarter), token samples as three int64 tensors (ids,
// mask, labels). A run that states both an image and a sequence is neither.
void derive_sample_bytes(TrainingPlan& plan, std::span<const FactState> states) {
  constexpr std::int64_t kFp32Bytes = 4;
  constexpr std::int64_t kInt64Bytes = 8;
  constexpr std::int64_t kTokenTensors = 3;
  constexpr std::int64_t kRgb = 3;
  if (plan.sample_bytes || plan.batch_bytes || blocked(states, "sample_bytes")) return;
  if (plan.image_size && !plan.sequence_length) {
    if (blocked(states, "channels") || blocked(states, "image_width")) return;
    const std::int64_t channels = plan.channels ? plan.channels->value : kRgb;
    const std::int64_t height = plan.image_size->value;
    const std::int64_t width = plan.image_width ? plan.image_width->value : height;
    plan.sample_bytes =
        Fact<Bytes>{Bytes::of(kFp32Bytes) * channels * height * width,
                    from(fmt::format("{}{} channels x {} x {} pixels x 4 bytes (fp32)", channels,
                                     plan.channels ? "" : " (RGB)", height, width))};
  } else if (plan.sequence_length && !plan.image_size && holds_tokens(plan)) {
    const std::int64_t tokens = plan.sequence_length->value;
    plan.sample_bytes =
        Fact<Bytes>{Bytes::of(kInt64Bytes * kTokenTensors) * tokens,
                    from(fmt::format("{} tokens x 3 int64 tensors (ids, mask, labels)", tokens))};
  }
}

void derive_batch_bytes(TrainingPlan& plan) {
  if (plan.batch_bytes || !plan.sample_bytes || !plan.per_device_batch_size) return;
  plan.batch_bytes = Fact<Bytes>{plan.sample_bytes->value * plan.per_device_batch_size->value,
                                 from("per_device_batch_size x sample_bytes")};
}

}  // namespace

void derive_mixed_precision(TrainingPlan& plan, std::span<const FactState> states) {
  derive_precision(plan, states);
  derive_weights_dtype(plan);
}

void derive(TrainingPlan& plan, std::span<const FactState> states) {
  derive_precision(plan, states);
  name_scaled_precision(plan);
  drop_scale_of_fp16(plan);
  derive_weights_dtype(plan);
  derive_devices(plan, states);
  derive_accumulation(plan);
  derive_from_global_batch(plan, states);
  derive_batch_of_one_process(plan, states);
  derive_global_batch(plan, states);
  derive_learning_rate(plan);
  derive_warmup(plan, states);
  derive_offload(plan, states);
  derive_checkpointing(plan);
  derive_sample_bytes(plan, states);
  derive_batch_bytes(plan);
}

}  // namespace gpulint
