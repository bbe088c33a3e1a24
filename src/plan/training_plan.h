#pragma once

// TrainingPlan: what one config says about one training run, in the field's own words. Every member
// is a fact that knows where it came from; a fact nobody stated is nullopt (unknown is not false).
// One fact = one row of fact_table.cpp (name, type, unit, meaning), which a test checks.

#include "base/source_span.h"
#include "base/units.h"
#include "plan/code_path.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpulint {

class Catalog;

enum class Origin : std::uint8_t {
  stated,           // written in a config of the run
  project,          // written in .gpulint.yaml or on the command line
  dialect_default,  // the framework's default, cited in `detail`
  derived,          // computed from other facts, named in `detail`
  code,             // set by the code that reads the config; `detail` says where
  model,            // of the known model the run names; `detail` is its file
  assumed,          // by gpulint; always printed
};

/// What the detail of a stated fact begins with where a call of the project's code takes it.
inline constexpr std::string_view kTakenIn = "taken in ";

struct Provenance {
  Origin origin = Origin::stated;
  SourceSpan span = {};      // the value's bytes, where there are any
  SourceSpan key_span = {};  // the key's bytes
  std::string pointer = {};  // JSON pointer of the value in its file
  std::string detail = {};   // source of the default, or "per_device_batch_size x world_size"
};

template <class T>
struct Fact {
  T value;
  Provenance from;
};
template <class T>
using Maybe = std::optional<Fact<T>>;

using TextList = std::vector<std::string>;

struct TrainingPlan {
  // batch
  Maybe<std::int64_t> per_device_batch_size;        // samples per device and micro-batch
  Maybe<std::int64_t> gradient_accumulation_steps;  // micro-batches per optimizer step
  Maybe<std::int64_t> gradient_accumulation_of_all_ranks;  // what the code divides among the ranks
  Maybe<std::int64_t> global_batch_size;            // samples per optimizer step over all devices
  Maybe<std::int64_t> eval_batch_size;              // samples per device

  // devices
  Maybe<std::int64_t> gpus_per_node;
  Maybe<std::int64_t> nodes;
  Maybe<std::int64_t> world_size;
  Maybe<std::int64_t> data_parallel_size;
  Maybe<std::int64_t> tensor_parallel_size;
  Maybe<std::int64_t> pipeline_parallel_size;
  Maybe<std::int64_t> context_parallel_size;
  Maybe<std::int64_t> expert_parallel_size;
  Maybe<std::int64_t> expert_tensor_parallel_size;  // ranks that each expert is split over
  Maybe<std::int64_t> sharding_stage;       // ZeRO 0-3; FSDP full shard = 3, shard grad op = 2
  Maybe<std::string> sharding_engine;       // ddp | fsdp | fsdp2 | deepspeed | megatron
  Maybe<std::int64_t> sharding_group_size;  // ranks that split the states (hybrid sharding)
  Maybe<std::int64_t> reduce_bucket_size;   // gradient values one reduction takes
  Maybe<bool> splits_batches;               // nn.DataParallel: one process, several GPUs
  Maybe<bool> gradient_as_bucket_view;      // DDP: gradients live in the reduction buckets
  Maybe<std::string> offload_optimizer;     // none | cpu | nvme
  Maybe<std::string> offload_parameters;    // none | cpu | nvme
  Maybe<std::string> offload;               // of either; derived
  Maybe<std::string> gradient_dtype;        // fp32 | bf16 | fp16; what gradients are summed in
  Maybe<std::string> accelerator;           // gpu | cpu | tpu | mps | hpu | npu
  Maybe<std::int64_t> device_index;         // "cuda:3" -> 3
  Maybe<bool> sequence_parallel;
  Maybe<std::int64_t> virtual_pipeline_parallel_size;  // model chunks per pipeline rank
  Maybe<bool> uneven_pipeline;
  Maybe<std::string> deepspeed_config;
  Maybe<bool> fsdp_enabled;
  Maybe<std::string> sharding_wrap_policy;  // none | transformer | size
  Maybe<std::string> state_dict_type;       // full | sharded | local
  Maybe<bool> gather_weights_on_save;
  Maybe<bool> cpu_ram_efficient_loading;
  Maybe<bool> sync_module_states;
  Maybe<bool> fsdp_activation_checkpointing;
  Maybe<bool> find_unused_parameters;
  Maybe<std::int64_t> cuda_device_max_connections;

  // precision
  Maybe<std::string>
      mixed_precision;       // none | fp16 | bf16 | fp8 | enabled (half precision of unstated kind)
  Maybe<bool> fp16_enabled;  // the native switches, where a dialect has one each
  Maybe<bool> bf16_enabled;
  Maybe<std::string> weights_dtype;   // fp32 | fp16 | bf16
  Maybe<std::string> master_weights;  // none | states | weights | gradients, kept in fp32
  Maybe<std::string> loss_scaling;    // none | static | dynamic
  Maybe<bool> tf32;
  Maybe<bool> apex_amp;

  // optimizer
  Maybe<std::string> optimizer;  // sgd | adam | adamw | adamw_8bit | adafactor | lion | ...
                                 // (canonical, lower case)
  Maybe<double> learning_rate;
  Maybe<double> learning_rate_per_rank;  // what the code multiplies by the number of ranks
  Maybe<double> momentum;
  Maybe<double> weight_decay;
  Maybe<bool> fused_optimizer;
  Maybe<bool> foreach_optimizer;      // updates all weights at once, on a copy
  Maybe<bool> optimizer_in_backward;  // each weight is updated as soon as its gradient is made
  Maybe<std::int64_t> warmup_steps;
  Maybe<double> warmup_ratio;
  Maybe<double> warmup_epochs;
  Maybe<std::string> lr_schedule;
  Maybe<std::int64_t>
      reference_batch_size;  // global batch for which reference_learning_rate was tuned
  Maybe<double> reference_learning_rate;
  Maybe<std::string>
      learning_rate_scaling;  // none | linear | sqrt: what the training code does itself
  Maybe<double> max_grad_norm;
  Maybe<double> min_learning_rate;
  Maybe<double> lr_decay_factor;  // what each step of the schedule multiplies the rate by
  Maybe<std::int64_t> lr_decay_steps;
  Maybe<double> lr_decay_epochs;
  Maybe<double> optimizer_epsilon;
  Maybe<bool> nesterov;
  Maybe<bool> sync_batchnorm;

  // data loading
  Maybe<std::int64_t> num_workers;       // per rank and loader
  Maybe<std::int64_t> eval_num_workers;  // of the evaluation loader
  Maybe<std::int64_t> prefetch_factor;   // batches per worker
  Maybe<bool> pin_memory;
  Maybe<bool> persistent_workers;
  Maybe<bool> drop_last;
  Maybe<bool> non_blocking;
  Maybe<Bytes> sample_bytes;  // one sample as the loader hands it out
  Maybe<Bytes> batch_bytes;   // one batch as the loader hands it out
  Maybe<std::int64_t> dataset_samples;
  Maybe<Bytes> dataset_bytes;
  Maybe<bool> dataset_in_ram;
  Maybe<bool> prepares_samples;  // each is decoded or transformed when it is loaded
  Maybe<bool> samples_on_gpu;  // the data set puts them there, not the training loop
  Maybe<bool> variable_input_sizes;  // shapes change from batch to batch
  Maybe<std::int64_t> omp_num_threads;
  Maybe<double> samples_per_second_per_worker;
  Maybe<Bytes> storage_bandwidth;  // bytes per second
  Maybe<Bytes> network_bandwidth;  // bytes per second and node, in each direction
  Maybe<std::int64_t> preprocessing_workers;
  Maybe<bool> shuffle;
  Maybe<bool> streaming;
  Maybe<bool> group_by_length;
  Maybe<bool> pad_to_max_length;
  Maybe<bool> precomputed_inputs;  // cached latents, features

  // run length
  Maybe<double> epochs;
  Maybe<std::int64_t> max_steps;
  Maybe<std::int64_t> save_steps;
  Maybe<std::int64_t> eval_steps;
  Maybe<double> step_time;           // seconds per optimizer step, as measured
  Maybe<std::string> save_strategy;  // no | steps | epoch | best
  Maybe<std::string> eval_strategy;  // no | steps | epoch
  Maybe<bool> load_best_model_at_end;
  Maybe<std::string> best_metric;
  Maybe<std::string> best_metric_direction;  // min | max
  Maybe<std::string> early_stopping_metric;
  Maybe<std::string> early_stopping_direction;  // min | max
  Maybe<std::int64_t> early_stopping_patience;

  // workload
  Maybe<std::string> model;
  Maybe<std::string> model_implementation;  // transformers | litgpt | torchtune | torchtitan
  Maybe<std::int64_t> parameters;
  Maybe<std::int64_t> trainable_parameters;
  Maybe<Bytes> activation_bytes_per_sample;  // saved for backward, at the run's precision
  Maybe<std::int64_t> image_size;  // pixels, height (and width when image_width is not stated)
  Maybe<std::int64_t> image_width;
  Maybe<std::int64_t> volume_size;  // voxels, the first edge (and the others when not stated)
  Maybe<std::int64_t> volume_height;
  Maybe<std::int64_t> volume_width;
  Maybe<std::int64_t> channels;
  Maybe<std::int64_t> num_classes;           // the model tells apart
  Maybe<std::int64_t> objects_per_image;     // annotated in the most crowded image
  Maybe<std::int64_t> sequence_length;       // tokens
  Maybe<std::int64_t> sequences_per_sample;  // that pass the model together: a pair of answers
  Maybe<bool> sequence_length_is_limit;      // where samples are cut, not what each of them has
  Maybe<std::int64_t> image_max_pixels;      // of one image after the processor has scaled it
  Maybe<std::int64_t> images_per_sample;     // beside a sample's text
  Maybe<bool> freeze_vision;                 // the vision tower of a vision-language model
  Maybe<bool> freeze_projector;              // what hands its features to the language model
  Maybe<bool> freeze_language;
  Maybe<bool> trusts_remote_code;            // the model's repository may bring its own code
  Maybe<std::int64_t> vocab_size;
  Maybe<std::string> adapter;  // none | lora | qlora | ...
  Maybe<std::int64_t> adapter_rank;
  Maybe<double> adapter_dropout;
  Maybe<std::string> adapter_dtype;  // fp32 | fp16 | bf16
  Maybe<TextList> adapter_targets;
  Maybe<TextList> adapter_modules_to_save;  // trained whole beside the adapter
  Maybe<TextList> unmodelled_parts;         // of the job, beside the trained network
  Maybe<std::string> own_network;           // none | a class that is trained and not counted whole
  Maybe<std::string> network;  // that the code trains: what the config calls it, or its class
  Maybe<std::string> quantization;          // none | 4bit | 8bit
  Maybe<bool> double_quantization;          // the scales of quantized weights are quantized too
  Maybe<std::string>
      objective;  // pretraining | sft | preference | reward | reinforcement | distillation
  Maybe<double> adapter_alpha;
  Maybe<bool> load_in_4bit;  // the native switches, where a dialect has one each
  Maybe<bool> load_in_8bit;
  Maybe<std::string> quantization_type;

  // switches
  Maybe<std::string> activation_checkpointing;  // none | full | selective | offload
  Maybe<std::string> selective_checkpointing;   // op | attention | every n-th layer, as a number
  Maybe<bool> fused_kernels;  // norm, gated MLP and rotation in one kernel each (Liger, Unsloth)
  Maybe<std::string> cross_entropy;  // full | in_place | chunked | fused: how logits are kept
  Maybe<bool> expandable_segments;   // of PyTorch's CUDA allocator
  Maybe<bool> compile;
  Maybe<bool> channels_last;
  Maybe<std::string> attention_backend;  // math | memory_efficient | flash | sdpa | eager
  Maybe<bool> cudnn_benchmark;
  Maybe<bool> zero_grad_set_to_none;
  Maybe<bool> ema;
  Maybe<bool> packing;
  Maybe<double> mixup;
  Maybe<double> cutmix;
  Maybe<double> label_smoothing;
  Maybe<bool> use_cache;
  Maybe<bool> reentrant_checkpointing;
  Maybe<bool> deterministic;
  Maybe<bool> detect_anomaly;
  Maybe<std::string> allocator_config;  // PYTORCH_CUDA_ALLOC_CONF
  Maybe<bool> cuda_launch_blocking;
  Maybe<std::string> cuda_module_loading;  // lazy | eager
  Maybe<std::string> torch_version;        // "1.8"; a newer one than 2.0 when not set
  Maybe<bool> unsloth;
  Maybe<bool> predict_with_generate;
  Maybe<std::int64_t> num_generations;

  // model dimensions
  Maybe<std::int64_t> hidden_size;
  Maybe<std::int64_t> num_hidden_layers;
  Maybe<std::int64_t> num_attention_heads;
  Maybe<std::int64_t> num_key_value_heads;
  Maybe<std::int64_t> intermediate_size;
  Maybe<std::int64_t> max_position_embeddings;
  Maybe<std::int64_t> head_size;
  Maybe<std::int64_t> num_experts;
  Maybe<std::int64_t> moe_top_k;
  Maybe<bool> rope_scaling;

  // target, where the config or the project file names it
  Maybe<std::string> gpu;  // id or name of hardware_db
  Maybe<std::string> host;
  Maybe<std::int64_t> cpu_cores;
  Maybe<Bytes> ram;
  Maybe<Bytes> shm;
  Maybe<Bytes> gpu_memory;          // capacity stated by the user instead of the database's
  Maybe<Bytes> gpu_memory_reserve;  // part of it the user keeps free
  Maybe<Bytes> cuda_context;        // of one process, as measured on the machine
  Maybe<Bytes> vram_other;  // what the script keeps on a GPU besides the model it trains, per GPU
  Maybe<Bytes> host_ram_other;   // all host RAM besides loader buffers, per host, stated instead of
                                 // our own terms
  Maybe<double> price_per_hour;  // US dollars per hour of the whole host

  /// Not a fact: where the words of the facts are described (plan/knowledge.h). It goes with them,
  /// so that a changed word is looked up and nothing described before is left over. nullptr:
  /// nowhere.
  const Catalog* knowledge = nullptr;
};

/// What the reader or the mapping noticed and a rule may judge (`for_each` in a rule file names the
/// list).
struct Observation {
  std::string
      list;  // duplicate_keys | string_numbers | not_strict_json | limits | unread_references | …
  SourceSpan span;
  std::string pointer;
  std::string name;   // the key's last component
  std::string value;  // raw text
  std::string fact;   // canonical fact it maps to; "" = none
  SourceSpan other;   // the place it collides with
  std::string detail;
};

/// One training run (or one phase of it) read from one or more documents.
struct FactSources;  // plan/complete.h

struct Plan {
  std::string dialect;
  std::string path;                     // config that names the run
  std::optional<std::string> phase;     // section of a file that holds several
  bool has_code = false;                // programs of the project are at hand
  bool has_other_networks = false;      // of several runs, which train networks of other sizes
  std::string role;                     // of a file that nobody trains with: "a test fixture", …
  std::vector<std::string> deliberate;  // facts whose value somebody has given a reason for
  std::vector<std::string> judged_by;   // families of rules that judge such a file; empty: all
  TrainingPlan facts;
  std::vector<Observation> observations;
  std::vector<CodePath> code_paths;        // kept with PlanRequest::explains
  std::vector<UnknownPart> unknown_parts;  // of the network, likewise
  /// What `facts` were completed from; a run that changes a fact is completed from it again.
  std::shared_ptr<const FactSources> sources;
};

}  // namespace gpulint
