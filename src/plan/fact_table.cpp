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

// The rarer columns of a row, by name.

FactRow learning(FactRow row) {
  row.shapes_learning = true;
  return row;
}
FactRow refinable(std::string_view unspecific, FactRow row) {
  row.unspecific_choice = unspecific;
  return row;
}
FactRow named_by(FactWords words, FactRow row) {
  row.words = words;
  return row;
}
FactRow noted_in(std::string_view observations, FactRow row) {
  row.observed_in = observations;
  return row;
}

std::vector<FactRow> batch_and_device_rows() {
  return {
      {"per_device_batch_size", "batch", "samples",
       "samples one device works on in one micro-batch", &P::per_device_batch_size, kFromOne},
      {"gradient_accumulation_steps", "batch", "micro-batches", "micro-batches per optimizer step",
       &P::gradient_accumulation_steps, kFromOne},
      {"gradient_accumulation_of_all_ranks", "batch", "micro-batches",
       "micro-batches per optimizer step of all ranks, which the training code divides among them",
       &P::gradient_accumulation_of_all_ranks, kFromOne},
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
      {"expert_tensor_parallel_size", "devices", "ranks", "ranks that each expert is split over",
       &P::expert_tensor_parallel_size, kFromOne},
      {"sharding_stage",
       "devices",
       "",
       "what data-parallel ranks split: 0 nothing, 1 optimizer state, 2 gradients too, 3 weights "
       "too (ZeRO stages; FSDP full shard = 3)",
       &P::sharding_stage,
       {0, 3}},
      named_by({DataKind::engine},
               {"sharding_engine", "devices", "",
                "software that spreads states over data-parallel ranks", &P::sharding_engine}),
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
      {"offload",
       "devices",
       "",
       "where optimizer state or weights live instead of the GPU, whichever is further",
       &P::offload,
       kNoRange,
       {"none", "cpu", "nvme"}},
      {"gradient_dtype",
       "devices",
       "",
       "format in which the engine keeps and sums gradients",
       &P::gradient_dtype,
       kNoRange,
       {"fp32", "bf16", "fp16"}},
      {"accelerator",
       "devices",
       "",
       "kind of device the run computes on",
       &P::accelerator,
       kNoRange,
       {"gpu", "cpu", "tpu", "mps", "hpu", "npu"}},
      {"device_index", "devices", "", "index of the one GPU the config names", &P::device_index,
       kFromZero},
      {"sequence_parallel", "devices", "",
       "tensor-parallel ranks split the sequence in norms and dropout too", &P::sequence_parallel},
      {"virtual_pipeline_parallel_size", "devices", "chunks",
       "model chunks each pipeline rank holds (interleaved schedule)",
       &P::virtual_pipeline_parallel_size, kFromOne},
      {"uneven_pipeline", "devices", "",
       "layers are placed on pipeline ranks by hand, not in equal parts", &P::uneven_pipeline},
      {"deepspeed_config", "devices", "", "DeepSpeed configuration the run names",
       &P::deepspeed_config},
      {"fsdp_enabled", "devices", "", "the config's own FSDP switch", &P::fsdp_enabled},
      {"sharding_wrap_policy",
       "devices",
       "",
       "which modules FSDP makes units of its own; block: with the adapters in it",
       &P::sharding_wrap_policy,
       kNoRange,
       {"none", "transformer", "block", "size"}},
      {"state_dict_type",
       "devices",
       "",
       "how a sharded model is saved: whole on one rank, or by parts",
       &P::state_dict_type,
       kNoRange,
       {"full", "sharded", "local"}},
      {"gather_weights_on_save", "devices", "",
       "ZeRO-3 gathers the half-precision weights for a checkpoint", &P::gather_weights_on_save},
      {"cpu_ram_efficient_loading", "devices", "",
       "only the first rank reads the pretrained weights", &P::cpu_ram_efficient_loading},
      {"sync_module_states", "devices", "",
       "the first rank sends its weights to the others at the start", &P::sync_module_states},
      {"fsdp_activation_checkpointing", "devices", "", "FSDP's own activation-checkpointing switch",
       &P::fsdp_activation_checkpointing},
      {"find_unused_parameters", "devices", "",
       "DDP looks for parameters without gradients after each forward pass",
       &P::find_unused_parameters},
      {"cuda_device_max_connections", "devices", "queues",
       "hardware queues between the host and one GPU", &P::cuda_device_max_connections, kFromOne},
  };
}

std::vector<FactRow> precision_and_optimizer_rows() {
  return {
      refinable("enabled", {"mixed_precision",
                            "precision",
                            "",
                            "number format of the matrix work under autocast; enabled = half "
                            "precision of unstated kind",
                            &P::mixed_precision,
                            kNoRange,
                            {"none", "fp16", "bf16", "fp8", "enabled"}}),
      {"fp16_enabled", "precision", "", "the config's own fp16 switch", &P::fp16_enabled},
      {"bf16_enabled", "precision", "", "the config's own bf16 switch", &P::bf16_enabled},
      {"weights_dtype",
       "precision",
       "",
       "number format the trained weights are kept in",
       &P::weights_dtype,
       kNoRange,
       {"fp32", "fp16", "bf16"}},
      {"master_weights",
       "precision",
       "",
       "what is kept in fp32 beside 16-bit weights: none, the optimizer's states, the weights too, "
       "or copies of weights and gradients",
       &P::master_weights,
       kNoRange,
       {"none", "states", "weights", "gradients"}},
      {"loss_scaling",
       "precision",
       "",
       "factor on the loss that keeps fp16 gradients representable",
       &P::loss_scaling,
       kNoRange,
       {"none", "static", "dynamic"}},
      {"tf32", "precision", "", "TensorFloat-32 for fp32 matrix work", &P::tf32},
      {"apex_amp", "precision", "",
       "NVIDIA Apex's mixed precision, as DeepSpeed's amp section turns it on", &P::apex_amp},

      learning(named_by(
          {DataKind::optimizer, true},
          {"optimizer", "optimizer", "", "optimizer, canonical and in lower case", &P::optimizer})),
      learning(
          {"learning_rate", "optimizer", "", "peak learning rate", &P::learning_rate, {0, 1e6}}),
      {"learning_rate_per_rank",
       "optimizer",
       "",
       "learning rate for each rank, which the training code multiplies by their number",
       &P::learning_rate_per_rank,
       {0, 1e6}},
      learning({"momentum", "optimizer", "", "momentum of SGD", &P::momentum, kFraction}),
      learning({"weight_decay", "optimizer", "", "weight decay", &P::weight_decay, kNumber}),
      {"fused_optimizer", "optimizer", "", "optimizer step in one fused kernel",
       &P::fused_optimizer},
      {"foreach_optimizer", "optimizer", "",
       "the optimizer updates all weights at once, on a copy of them", &P::foreach_optimizer},
      {"optimizer_in_backward", "optimizer", "",
       "each weight is updated as soon as its gradient is made", &P::optimizer_in_backward},
      learning({"warmup_steps", "optimizer", "steps", "optimizer steps of learning-rate warm-up",
                &P::warmup_steps, kFromZero}),
      learning({"warmup_ratio", "optimizer", "", "share of all steps spent on warm-up",
                &P::warmup_ratio, kFraction}),
      learning({"warmup_epochs", "optimizer", "epochs", "epochs of learning-rate warm-up",
                &P::warmup_epochs, kNumber}),
      learning({"lr_schedule", "optimizer", "", "learning-rate schedule", &P::lr_schedule}),
      {"reference_batch_size", "optimizer", "samples",
       "global batch size for which reference_learning_rate was tuned", &P::reference_batch_size,
       kFromOne},
      {"reference_learning_rate",
       "optimizer",
       "",
       "learning rate tuned at reference_batch_size",
       &P::reference_learning_rate,
       {0, 1e6}},
      noted_in("scaled_learning_rate",
               learning({"learning_rate_scaling",
                         "optimizer",
                         "",
                         "how the training code itself scales the learning rate with the batch",
                         &P::learning_rate_scaling,
                         kNoRange,
                         {"none", "linear", "sqrt"}})),
      learning({"max_grad_norm", "optimizer", "", "gradient clipping norm; 0 = off",
                &P::max_grad_norm, kNumber}),
      {"min_learning_rate",
       "optimizer",
       "",
       "learning rate the schedule ends at",
       &P::min_learning_rate,
       {0, 1e6}},
      {"lr_decay_steps", "optimizer", "steps",
       "optimizer steps after which the schedule has reached its end", &P::lr_decay_steps,
       kFromOne},
      {"lr_decay_epochs", "optimizer", "epochs",
       "epochs after which the schedule has reached its end", &P::lr_decay_epochs, kNumber},
      {"optimizer_epsilon", "optimizer", "", "the term that keeps Adam's division finite",
       &P::optimizer_epsilon, kNumber},
      {"nesterov", "optimizer", "", "Nesterov momentum of SGD", &P::nesterov},
      {"sync_batchnorm", "optimizer", "", "batch-norm statistics are taken over all ranks",
       &P::sync_batchnorm},
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
      learning({"dataset_samples", "data loading", "samples", "samples of one epoch",
                &P::dataset_samples, kFromOne}),
      learning({"dataset_bytes", "data loading", "bytes", "size of the dataset in storage",
                &P::dataset_bytes, kBytesRange}),
      {"dataset_in_ram", "data loading", "", "the dataset is cached in host memory",
       &P::dataset_in_ram},
      {"prepares_samples", "data loading", "",
       "each sample is decoded or transformed when it is loaded", &P::prepares_samples},
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
      {"network_bandwidth", "devices", "bytes per second",
       "speed of a node's network in each direction", &P::network_bandwidth, kBytesRange},
      {"preprocessing_workers",
       "data loading",
       "processes",
       "processes that prepare the dataset before training; no loader workers",
       &P::preprocessing_workers,
       {0, 1e6}},
      {"shuffle", "data loading", "", "training samples are shuffled", &P::shuffle},
      {"streaming", "data loading", "", "the dataset is read as an endless stream", &P::streaming},
      {"group_by_length", "data loading", "", "batches are made of samples of similar length",
       &P::group_by_length},
      {"pad_to_max_length", "data loading", "",
       "every sample is padded to the full sequence length", &P::pad_to_max_length},
      {"precomputed_inputs", "data loading", "",
       "samples are read as finished tensors (cached latents or features)", &P::precomputed_inputs},

      learning({"epochs", "run length", "epochs", "passes over the dataset", &P::epochs, kNumber}),
      {"max_steps", "run length", "steps", "optimizer steps", &P::max_steps, kFromOne},
      {"save_steps", "run length", "steps", "optimizer steps between checkpoints", &P::save_steps,
       kFromOne},
      {"eval_steps", "run length", "steps", "optimizer steps between evaluations", &P::eval_steps,
       kFromOne},
      {"step_time", "run length", "seconds", "measured time of one optimizer step", &P::step_time,
       kNumber},
      {"save_strategy",
       "run length",
       "",
       "when checkpoints are written",
       &P::save_strategy,
       kNoRange,
       {"no", "steps", "epoch", "best"}},
      {"eval_strategy",
       "run length",
       "",
       "when evaluations run",
       &P::eval_strategy,
       kNoRange,
       {"no", "steps", "epoch"}},
      {"load_best_model_at_end", "run length", "",
       "the best checkpoint is loaded when training ends", &P::load_best_model_at_end},
      {"best_metric", "run length", "", "metric the best checkpoint is chosen by", &P::best_metric},
      {"best_metric_direction",
       "run length",
       "",
       "whether a smaller or a larger best_metric is better",
       &P::best_metric_direction,
       kNoRange,
       {"min", "max"}},
      {"early_stopping_metric", "run length", "", "metric early stopping watches",
       &P::early_stopping_metric},
      {"early_stopping_direction",
       "run length",
       "",
       "whether a smaller or a larger early_stopping_metric is better",
       &P::early_stopping_direction,
       kNoRange,
       {"min", "max"}},
      {"early_stopping_patience", "run length", "evaluations",
       "evaluations without improvement before the run stops", &P::early_stopping_patience,
       kFromZero},
  };
}

std::vector<FactRow> workload_rows() {
  return {
      learning({"model", "workload", "", "model as the config names it", &P::model}),
      named_by({DataKind::implementation},
               {"model_implementation", "workload", "", "whose modelling code runs the network",
                &P::model_implementation}),
      learning({"parameters", "workload", "parameters", "parameters of the model", &P::parameters,
                kFromOne}),
      learning({"trainable_parameters", "workload", "parameters",
                "parameters that receive gradients", &P::trainable_parameters, kFromZero}),
      {"activation_bytes_per_sample", "workload", "bytes",
       "activations kept for backward per sample, at the run's precision",
       &P::activation_bytes_per_sample, kBytesRange},
      learning({"image_size",
                "workload",
                "pixels",
                "height of an input image, and its width unless stated",
                &P::image_size,
                {1, 1e6}}),
      learning({"image_width",
                "workload",
                "pixels",
                "width of an input image",
                &P::image_width,
                {1, 1e6}}),
      learning({"channels",
                "workload",
                "channels",
                "channels of an input image",
                &P::channels,
                {1, 1e6}}),
      {"num_classes",
       "workload",
       "classes",
       "classes the model tells apart",
       &P::num_classes,
       {1, 1e7}},
      {"objects_per_image",
       "workload",
       "objects",
       "annotated objects of the most crowded image that is trained on",
       &P::objects_per_image,
       {1, 1e6}},
      learning({"sequence_length",
                "workload",
                "tokens",
                "tokens per sample",
                &P::sequence_length,
                {1, 1e9}}),
      {"sequences_per_sample", "workload", "sequences",
       "texts of one sample that pass the model together, such as a chosen and a rejected answer",
       &P::sequences_per_sample, kFromOne},
      {"sequence_length_is_limit", "workload", "",
       "sequence_length is where samples are cut: shorter ones stay short unless they are packed "
       "or padded",
       &P::sequence_length_is_limit},
      {"image_max_pixels",
       "workload",
       "pixels",
       "pixels an image beside text is scaled down to at most",
       &P::image_max_pixels,
       {1, 1e12}},
      {"images_per_sample",
       "workload",
       "images",
       "images beside the text of one sample",
       &P::images_per_sample,
       {0, 1e6}},
      {"freeze_vision", "workload", "", "the vision tower is not trained", &P::freeze_vision},
      {"freeze_projector", "workload", "",
       "what hands the vision tower's features to the language model is not trained",
       &P::freeze_projector},
      {"freeze_language", "workload", "", "the language model is not trained", &P::freeze_language},
      learning({"vocab_size",
                "workload",
                "tokens",
                "entries of the vocabulary",
                &P::vocab_size,
                {1, 1e9}}),
      learning(named_by(
          {DataKind::adapter, true},
          {"adapter", "workload", "", "adapter trained instead of the weights", &P::adapter})),
      learning({"adapter_rank", "workload", "", "rank of the adapter", &P::adapter_rank, {1, 1e6}}),
      {"adapter_dropout", "workload", "", "dropout before the adapter; 0 = off",
       &P::adapter_dropout, kFraction},
      {"adapter_dtype",
       "workload",
       "",
       "number format the adapter's weights are kept in",
       &P::adapter_dtype,
       kNoRange,
       {"fp32", "fp16", "bf16"}},
      learning({"adapter_targets", "workload", "", "modules the adapter is put on",
                &P::adapter_targets}),
      {"adapter_modules_to_save", "workload", "", "modules trained whole beside the adapter",
       &P::adapter_modules_to_save},
      {"unmodelled_parts", "workload", "",
       "parts of the job beside the trained network whose memory is not estimated; "
       "`vram_other` states it",
       &P::unmodelled_parts},
      {"own_network", "workload", "",
       "class of the project that is trained and whose weights could not all be counted; a model "
       "named beside it may be a part of it",
       &P::own_network},
      learning({"quantization",
                "workload",
                "",
                "number format the frozen base weights are kept in",
                &P::quantization,
                kNoRange,
                {"none", "4bit", "8bit"}}),
      {"double_quantization", "workload", "", "the scales of quantized weights are quantized too",
       &P::double_quantization},
      {"objective",
       "workload",
       "",
       "what the run optimizes",
       &P::objective,
       kNoRange,
       {"pretraining", "sft", "preference", "reward", "reinforcement", "distillation"}},
      {"adapter_alpha", "workload", "", "numerator of the factor alpha / rank on the adapter",
       &P::adapter_alpha, kNumber},
      {"load_in_4bit", "workload", "", "the config's own 4-bit switch", &P::load_in_4bit},
      {"load_in_8bit", "workload", "", "the config's own 8-bit switch", &P::load_in_8bit},
      {"quantization_type", "workload", "", "number format of quantized weights (nf4, fp4, …)",
       &P::quantization_type},

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
      {"fused_kernels", "switches", "",
       "norms, gated feed-forward layers and rotations run as one kernel each, which recomputes "
       "in the backward pass",
       &P::fused_kernels},
      {"cross_entropy",
       "switches",
       "",
       "how the loss keeps the logits: all of them, in one fp32 copy that becomes their gradient, "
       "by chunks, of the tokens with a label only, or never (fused with the head)",
       &P::cross_entropy,
       kNoRange,
       {"full", "in_place", "chunked", "label_tokens", "fused"}},
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
      learning({"ema", "switches", "", "a moving average of the weights is kept", &P::ema}),
      learning({"packing", "switches", "", "short sequences are packed into one", &P::packing}),
      learning({"mixup", "switches", "", "mixup strength; 0 = off", &P::mixup, kNumber}),
      learning({"cutmix", "switches", "", "cutmix strength; 0 = off", &P::cutmix, kNumber}),
      learning({"label_smoothing", "switches", "", "label smoothing; 0 = off", &P::label_smoothing,
                kFraction}),
      {"use_cache", "switches", "",
       "the model keeps keys and values of earlier tokens, for generation", &P::use_cache},
      {"reentrant_checkpointing", "switches", "",
       "checkpointed blocks run a backward pass of their own inside the outer one",
       &P::reentrant_checkpointing},
      {"deterministic", "switches", "", "only deterministic kernels are allowed",
       &P::deterministic},
      {"detect_anomaly", "switches", "", "autograd's anomaly detection", &P::detect_anomaly},
      {"allocator_config", "switches", "",
       "options of PyTorch's CUDA allocator, as the environment variable has them",
       &P::allocator_config},
      {"cuda_launch_blocking", "switches", "", "every kernel launch waits for the kernel to end",
       &P::cuda_launch_blocking},
      {"cuda_module_loading",
       "switches",
       "",
       "whether a process loads all kernels at its start, as CUDA before 11.7 does, or each at its "
       "first use",
       &P::cuda_module_loading,
       kNoRange,
       {"lazy", "eager"}},
      {"torch_version", "switches", "",
       "release of PyTorch, as 1.8: before 1.11 a softmax keeps its input too, before 1.5 a group "
       "norm its normalised values",
       &P::torch_version},
      {"unsloth", "switches", "", "the model's kernels are Unsloth's", &P::unsloth},
      {"predict_with_generate", "switches", "", "evaluation generates text instead of scoring it",
       &P::predict_with_generate},
      {"num_generations", "switches", "samples",
       "completions of one prompt whose rewards are compared", &P::num_generations, kFromOne},

      learning({"hidden_size",
                "model dimensions",
                "",
                "width of the residual stream",
                &P::hidden_size,
                {1, 1e9}}),
      learning({"num_hidden_layers",
                "model dimensions",
                "layers",
                "transformer blocks",
                &P::num_hidden_layers,
                {1, 1e6}}),
      learning({"num_attention_heads",
                "model dimensions",
                "heads",
                "query heads",
                &P::num_attention_heads,
                {1, 1e6}}),
      learning({"num_key_value_heads",
                "model dimensions",
                "heads",
                "key and value heads",
                &P::num_key_value_heads,
                {1, 1e6}}),
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
      {"head_size", "model dimensions", "", "width of one attention head", &P::head_size, {1, 1e9}},
      {"num_experts",
       "model dimensions",
       "experts",
       "experts of a mixture-of-experts layer",
       &P::num_experts,
       {1, 1e6}},
      {"moe_top_k",
       "model dimensions",
       "experts",
       "experts each token is sent to",
       &P::moe_top_k,
       {1, 1e6}},
      {"rope_scaling", "model dimensions", "",
       "rotary positions are stretched beyond those the model was trained with", &P::rope_scaling},
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
      {"cuda_context", "target", "bytes",
       "what one process takes on the GPU besides its tensors, as measured", &P::cuda_context,
       kBytesRange},
      {"vram_other", "target", "bytes",
       "GPU memory of what the script keeps besides the model it trains (encoders, "
       "teachers, cached embeddings), per GPU",
       &P::vram_other, kBytesRange},
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
    case Origin::code:
      return "code";
    case Origin::model:
      return "model";
    case Origin::assumed:
      return "assumed";
  }
  return "";
}

}  // namespace gpulint
