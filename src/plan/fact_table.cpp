// The one table of canonical facts. It is longer than a source file usually may be because it is
// one flat list; everything that reads or writes a fact goes through it (fact_value.cpp).

#include "plan/fact_table.h"

#include <algorithm>
#include <utility>

namespace gpulint {

namespace {

// Largest count a config may state: far above any real batch, step or parameter count (10^13), and
// exactly representable as a double. What lies above is a slip or an attack.
constexpr double kMostCount = 1e15;
// Largest rate, ratio or length a config may state.
constexpr double kMostNumber = 1e9;
// Largest memory size: 8 EiB is the end of int64.
constexpr double kMostBytes = 9e18;

constexpr FactRange kFromOne{1, kMostCount};
constexpr FactRange kFromZero{0, kMostCount};
constexpr FactRange kNumber{0, kMostNumber};
constexpr FactRange kFraction{0, 1};
constexpr FactRange kBytesRange{0, kMostBytes};
constexpr FactRange kNoRange{};

using P = TrainingPlan;  // one letter keeps a row on its line

std::vector<FactRow> batch_and_device_rows() {
  return {
      {"per_device_batch_size", "batch", "samples",
       "samples one device works on in one micro-batch", &P::per_device_batch_size, kFromOne},
      {"gradient_accumulation_steps", "batch", "micro-batches", "micro-batches per optimizer step",
       &P::gradient_accumulation_steps, kFromOne},
      {"global_batch_size", "batch", "samples", "samples per optimizer step over all devices",
       &P::global_batch_size, kFromOne},
      {"eval_batch_size", "batch", "samples", "samples per device and evaluation step",
       &P::eval_batch_size, kFromOne},

      {"gpus_per_node", "devices", "GPUs", "GPUs the run uses on each node", &P::gpus_per_node,
       kFromOne},
      {"nodes", "devices", "nodes", "machines the run uses", &P::nodes, kFromOne},
      {"world_size", "devices", "ranks", "processes of the run, one per GPU", &P::world_size,
       kFromOne},
      {"data_parallel_size", "devices", "replicas", "groups of ranks that see different samples",
       &P::data_parallel_size, kFromOne},
      {"tensor_parallel_size", "devices", "ranks", "ranks that share each layer",
       &P::tensor_parallel_size, kFromOne},
      {"pipeline_parallel_size", "devices", "ranks", "ranks that hold consecutive layers",
       &P::pipeline_parallel_size, kFromOne},
      {"context_parallel_size", "devices", "ranks", "ranks that share each sequence",
       &P::context_parallel_size, kFromOne},
      {"expert_parallel_size", "devices", "ranks", "ranks that share the experts of a layer",
       &P::expert_parallel_size, kFromOne},
      {"sharding_stage",
       "devices",
       "",
       "what data-parallel ranks split: 0 nothing, 1 optimizer state, 2 gradients too, 3 weights "
       "too (ZeRO stages; FSDP full shard = 3)",
       &P::sharding_stage,
       {0, 3}},
      {"sharding_engine",
       "devices",
       "",
       "software that spreads states over data-parallel ranks",
       &P::sharding_engine,
       kNoRange,
       {"ddp", "fsdp", "fsdp2", "deepspeed", "megatron"}},
      {"sharding_group_size", "devices", "ranks",
       "ranks that split the states between them; fewer than all under hybrid sharding",
       &P::sharding_group_size, kFromOne},
      {"reduce_bucket_size", "devices", "values", "gradient values one reduction takes together",
       &P::reduce_bucket_size, kFromOne},
      {"gradient_as_bucket_view", "devices", "",
       "gradients live in the buckets that are reduced instead of beside them",
       &P::gradient_as_bucket_view},
      {"offload_optimizer",
       "devices",
       "",
       "where the optimizer state lives instead of the GPU",
       &P::offload_optimizer,
       kNoRange,
       {"none", "cpu", "nvme"}},
      {"offload_parameters",
       "devices",
       "",
       "where the weights live instead of the GPU",
       &P::offload_parameters,
       kNoRange,
       {"none", "cpu", "nvme"}},
  };
}

std::vector<FactRow> precision_and_optimizer_rows() {
  return {
      {"mixed_precision",
       "precision",
       "",
       "number format of the matrix work under autocast; enabled = half precision of unstated kind",
       &P::mixed_precision,
       kNoRange,
       {"none", "fp16", "bf16", "fp8", "enabled"}},
      {"fp16_enabled", "precision", "", "the config's own fp16 switch", &P::fp16_enabled},
      {"bf16_enabled", "precision", "", "the config's own bf16 switch", &P::bf16_enabled},
      {"weights_dtype",
       "precision",
       "",
       "number format the trained weights are kept in",
       &P::weights_dtype,
       kNoRange,
       {"fp32", "fp16", "bf16"}},
      {"loss_scaling",
       "precision",
       "",
       "factor on the loss that keeps fp16 gradients representable",
       &P::loss_scaling,
       kNoRange,
       {"none", "static", "dynamic"}},
      {"tf32", "precision", "", "TensorFloat-32 for fp32 matrix work", &P::tf32},

      {"optimizer", "optimizer", "", "optimizer, canonical and in lower case", &P::optimizer},
      {"learning_rate", "optimizer", "", "peak learning rate", &P::learning_rate, {0, 1e6}},
      {"momentum", "optimizer", "", "momentum of SGD", &P::momentum, kFraction},
      {"weight_decay", "optimizer", "", "weight decay", &P::weight_decay, kNumber},
      {"fused_optimizer", "optimizer", "", "optimizer step in one fused kernel",
       &P::fused_optimizer},
      {"optimizer_in_backward", "optimizer", "",
       "each weight is updated as soon as its gradient is made", &P::optimizer_in_backward},
      {"warmup_steps", "optimizer", "steps", "optimizer steps of learning-rate warm-up",
       &P::warmup_steps, kFromZero},
      {"warmup_ratio", "optimizer", "", "share of all steps spent on warm-up", &P::warmup_ratio,
       kFraction},
      {"warmup_epochs", "optimizer", "epochs", "epochs of learning-rate warm-up", &P::warmup_epochs,
       kNumber},
      {"lr_schedule", "optimizer", "", "learning-rate schedule", &P::lr_schedule},
      {"reference_batch_size", "optimizer", "samples",
       "global batch size for which reference_learning_rate was tuned", &P::reference_batch_size,
       kFromOne},
      {"reference_learning_rate",
       "optimizer",
       "",
       "learning rate tuned at reference_batch_size",
       &P::reference_learning_rate,
       {0, 1e6}},
      {"learning_rate_scaling",
       "optimizer",
       "",
       "how the training code itself scales the learning rate with the batch",
       &P::learning_rate_scaling,
       kNoRange,
       {"none", "linear", "sqrt"}},
      {"max_grad_norm", "optimizer", "", "gradient clipping norm; 0 = off", &P::max_grad_norm,
       kNumber},
  };
}

std::vector<FactRow> loading_rows() {
  return {
      {"num_workers",
       "data loading",
       "workers",
       "loader worker processes per rank",
       &P::num_workers,
       {0, 1e6}},
      {"eval_num_workers",
       "data loading",
       "workers",
       "worker processes per rank of the evaluation loader",
       &P::eval_num_workers,
       {0, 1e6}},
      {"prefetch_factor",
       "data loading",
       "batches",
       "batches each worker keeps ready",
       &P::prefetch_factor,
       {0, 1e6}},
      {"pin_memory", "data loading", "", "batches are copied to page-locked host memory",
       &P::pin_memory},
      {"persistent_workers", "data loading", "", "workers outlive an epoch",
       &P::persistent_workers},
      {"drop_last", "data loading", "", "an incomplete last batch is dropped", &P::drop_last},
      {"non_blocking", "data loading", "", "host-to-device copies overlap with the GPU's work",
       &P::non_blocking},
      {"sample_bytes", "data loading", "bytes", "one sample as the loader hands it out",
       &P::sample_bytes, kBytesRange},
      {"batch_bytes", "data loading", "bytes", "one batch as the loader hands it out",
       &P::batch_bytes, kBytesRange},
      {"dataset_samples", "data loading", "samples", "samples of one epoch", &P::dataset_samples,
       kFromOne},
      {"dataset_bytes", "data loading", "bytes", "size of the dataset in storage",
       &P::dataset_bytes, kBytesRange},
      {"dataset_in_ram", "data loading", "", "the dataset is cached in host memory",
       &P::dataset_in_ram},
      {"variable_input_sizes", "data loading", "", "input shapes change from batch to batch",
       &P::variable_input_sizes},
      {"omp_num_threads",
       "data loading",
       "threads",
       "OpenMP threads per process",
       &P::omp_num_threads,
       {1, 1e6}},
      {"samples_per_second_per_worker", "data loading", "samples per second",
       "samples one worker decodes per second", &P::samples_per_second_per_worker, kNumber},
      {"storage_bandwidth", "data loading", "bytes per second", "read speed of the storage",
       &P::storage_bandwidth, kBytesRange},

      {"epochs", "run length", "epochs", "passes over the dataset", &P::epochs, kNumber},
      {"max_steps", "run length", "steps", "optimizer steps", &P::max_steps, kFromOne},
      {"save_steps", "run length", "steps", "optimizer steps between checkpoints", &P::save_steps,
       kFromOne},
      {"eval_steps", "run length", "steps", "optimizer steps between evaluations", &P::eval_steps,
       kFromOne},
      {"step_time", "run length", "seconds", "measured time of one optimizer step", &P::step_time,
       kNumber},
  };
}

std::vector<FactRow> workload_rows() {
  return {
      {"model", "workload", "", "model as the config names it", &P::model},
      {"parameters", "workload", "parameters", "parameters of the model", &P::parameters, kFromOne},
      {"trainable_parameters", "workload", "parameters", "parameters that receive gradients",
       &P::trainable_parameters, kFromZero},
      {"activation_bytes_per_sample", "workload", "bytes",
       "activations kept for backward per sample, at the run's precision",
       &P::activation_bytes_per_sample, kBytesRange},
      {"image_size",
       "workload",
       "pixels",
       "height of an input image, and its width unless stated",
       &P::image_size,
       {1, 1e6}},
      {"image_width", "workload", "pixels", "width of an input image", &P::image_width, {1, 1e6}},
      {"channels", "workload", "channels", "channels of an input image", &P::channels, {1, 1e6}},
      {"sequence_length", "workload", "tokens", "tokens per sample", &P::sequence_length, {1, 1e9}},
      {"vocab_size", "workload", "tokens", "entries of the vocabulary", &P::vocab_size, {1, 1e9}},
      {"adapter", "workload", "", "adapter trained instead of the weights", &P::adapter},
      {"adapter_rank", "workload", "", "rank of the adapter", &P::adapter_rank, {1, 1e6}},
      {"adapter_targets", "workload", "", "modules the adapter is put on", &P::adapter_targets},
      {"adapter_modules_to_save", "workload", "", "modules trained whole beside the adapter",
       &P::adapter_modules_to_save},
      {"quantization",
       "workload",
       "",
       "number format the frozen base weights are kept in",
       &P::quantization,
       kNoRange,
       {"none", "4bit", "8bit"}},
      {"double_quantization", "workload", "", "the scales of quantized weights are quantized too",
       &P::double_quantization},

      {"activation_checkpointing",
       "switches",
       "",
       "activations that are recomputed or moved instead of kept",
       &P::activation_checkpointing,
       kNoRange,
       {"none", "full", "selective", "offload"}},
      {"selective_checkpointing", "switches", "",
       "what selective checkpointing recomputes: op (all but every second matrix product), "
       "attention, or every n-th layer, as a number",
       &P::selective_checkpointing},
      {"cross_entropy",
       "switches",
       "",
       "how the loss keeps the logits: all of them, by chunks, or never (fused with the head)",
       &P::cross_entropy,
       kNoRange,
       {"full", "chunked", "fused"}},
      {"expandable_segments", "switches", "", "PyTorch's CUDA allocator grows its segments",
       &P::expandable_segments},
      {"compile", "switches", "", "the model runs through torch.compile", &P::compile},
      {"channels_last", "switches", "", "image tensors lie in channels-last order",
       &P::channels_last},
      {"attention_backend",
       "switches",
       "",
       "implementation of attention",
       &P::attention_backend,
       kNoRange,
       {"math", "memory_efficient", "flash", "sdpa", "eager"}},
      {"cudnn_benchmark", "switches", "", "cuDNN tries its algorithms for each new shape",
       &P::cudnn_benchmark},
      {"zero_grad_set_to_none", "switches", "", "gradients are freed instead of zeroed",
       &P::zero_grad_set_to_none},
      {"ema", "switches", "", "a moving average of the weights is kept", &P::ema},
      {"packing", "switches", "", "short sequences are packed into one", &P::packing},
      {"mixup", "switches", "", "mixup strength; 0 = off", &P::mixup, kNumber},
      {"cutmix", "switches", "", "cutmix strength; 0 = off", &P::cutmix, kNumber},
      {"label_smoothing", "switches", "", "label smoothing; 0 = off", &P::label_smoothing,
       kFraction},

      {"hidden_size",
       "model dimensions",
       "",
       "width of the residual stream",
       &P::hidden_size,
       {1, 1e9}},
      {"num_hidden_layers",
       "model dimensions",
       "layers",
       "transformer blocks",
       &P::num_hidden_layers,
       {1, 1e6}},
      {"num_attention_heads",
       "model dimensions",
       "heads",
       "query heads",
       &P::num_attention_heads,
       {1, 1e6}},
      {"num_key_value_heads",
       "model dimensions",
       "heads",
       "key and value heads",
       &P::num_key_value_heads,
       {1, 1e6}},
      {"intermediate_size",
       "model dimensions",
       "",
       "width of the feed-forward layers",
       &P::intermediate_size,
       {1, 1e9}},
      {"max_position_embeddings",
       "model dimensions",
       "tokens",
       "longest sequence of the model",
       &P::max_position_embeddings,
       {1, 1e9}},
  };
}

std::vector<FactRow> target_rows() {
  return {
      {"gpu", "target", "", "GPU the run is meant for", &P::gpu},
      {"host", "target", "", "machine the run is meant for", &P::host},
      {"cpu_cores", "target", "cores", "CPU cores of each host", &P::cpu_cores, {1, 1e6}},
      {"ram", "target", "bytes", "memory of each host", &P::ram, kBytesRange},
      {"shm", "target", "bytes", "size of /dev/shm", &P::shm, kBytesRange},
      {"gpu_memory", "target", "bytes", "GPU memory, stated instead of the database's",
       &P::gpu_memory, kBytesRange},
      {"gpu_memory_reserve", "target", "bytes", "GPU memory to keep free", &P::gpu_memory_reserve,
       kBytesRange},
      {"host_ram_other", "target", "bytes",
       "host memory besides loader buffers, per host, stated instead of our own terms",
       &P::host_ram_other, kBytesRange},
      {"price_per_hour", "target", "US dollars per hour", "price of one host", &P::price_per_hour,
       kNumber},
  };
}

std::vector<FactRow> build_table() {
  std::vector<FactRow> table;
  for (std::vector<FactRow> part : {batch_and_device_rows(), precision_and_optimizer_rows(),
                                    loading_rows(), workload_rows(), target_rows()}) {
    table.insert(table.end(), part.begin(), part.end());
  }
  return table;
}

using NamedRow = std::pair<std::string_view, const FactRow*>;

std::vector<NamedRow> sort_by_name(std::span<const FactRow> table) {
  std::vector<NamedRow> rows;
  for (const FactRow& row : table) rows.emplace_back(row.name, &row);
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace

std::span<const FactRow> fact_table() {
  static const std::vector<FactRow> table = build_table();
  return table;
}

const FactRow* find_fact(std::string_view name) {
  static const std::vector<NamedRow> by_name = sort_by_name(fact_table());
  const auto found = std::lower_bound(
      by_name.begin(), by_name.end(), name,
      [](const NamedRow& row, std::string_view wanted) { return row.first < wanted; });
  return found != by_name.end() && found->first == name ? found->second : nullptr;
}

const char* name_of(Origin origin) {
  switch (origin) {
    case Origin::stated:
      return "stated";
    case Origin::project:
      return "project";
    case Origin::dialect_default:
      return "dialect default";
    case Origin::derived:
      return "derived";
    case Origin::assumed:
      return "assumed";
  }
  return "";
}

}  // namespace gpulint
