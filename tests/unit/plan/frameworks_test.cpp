#include "unit/plan/dialect_files.h"

#include <doctest/doctest.h>

using namespace gpulint;

TEST_CASE("sections with dots in their names, and the words below them, are read") {
  const Facts facts = facts_of(
      "trainer:\n  max_epochs: 1\n  precision: bf16-true\n"
      "  strategy: {class_path: my.DeepSpeedStrategy, init_args: {stage: 2}}\n"
      "model:\n  class_path: my.Net\n  init_args.config:\n    optim:\n"
      "      optimizer_class: deepspeed.ops.adam.FusedAdam\n      optimizer_kwargs: {lr: 1e-5}\n"
      "      lr_scheduler_class: my.CosineAnnealingWarmupLR\n"
      "data:\n  class_path: my.Data\n  init_args.config: {batch_size: 2, num_workers: 4}\n");
  CHECK(facts["per_device_batch_size"] == "2");
  CHECK(facts["num_workers"] == "4");
  CHECK(facts["learning_rate"] == "1e-05");
  CHECK(facts["optimizer"] == "adamw");
  CHECK(facts["lr_schedule"] == "cosine");
  CHECK(facts["sharding_stage"] == "2");
}

TEST_CASE("a strategy of one's own splits layers as it says, or as nobody knows") {
  const auto ranks = [](const std::string& arguments) {
    return facts_of("trainer:\n  max_epochs: 1\n  precision: bf16-true\n  devices: 8\n"
                    "  strategy: {class_path: my.FSDP2Strategy, init_args: {" +
                    arguments + "}}\n")["data_parallel_size"];
  };
  CHECK(ranks("tensor_parallel_size: 8") == "1");
  CHECK(ranks("size: 8").empty());
}

TEST_CASE("Trainer arguments state per-device batch, accumulation and precision") {
  const Facts facts = facts_of(
      "model_name_or_path: org/model\nper_device_train_batch_size: 2\n"
      "per_device_eval_batch_size: 4\ngradient_accumulation_steps: 8\nlearning_rate: 1.0e-5\n"
      "num_train_epochs: 3.0\nlr_scheduler_type: cosine\nwarmup_ratio: 0.1\nbf16: true\n"
      "preprocessing_num_workers: 16\ndataloader_num_workers: 4\ncutoff_len: 2048\n"
      "optim: paged_adamw_8bit\n");
  CHECK(facts["per_device_batch_size"] == "2");
  CHECK(facts["eval_batch_size"] == "4");
  CHECK(facts["gradient_accumulation_steps"] == "8");
  CHECK(facts["mixed_precision"] == "bf16");
  CHECK(facts["num_workers"] == "4");
  CHECK(facts["sequence_length"] == "2048");
  CHECK(facts["optimizer"] == "paged_adamw_8bit");
  CHECK(facts["model"] == "org/model");
  CHECK(facts["world_size"].empty());
}

TEST_CASE("Trainer defaults a launcher may override are unknown") {
  const Facts facts = facts_of("per_device_train_batch_size: 2\nmax_steps: -1\n");
  CHECK(facts["mixed_precision"].empty());
  CHECK(facts["num_workers"].empty());
  CHECK(facts["max_steps"].empty());
  CHECK(facts.origin("gradient_accumulation_steps") == "dialect default");
}

TEST_CASE("LLaMA-Factory packs unasked when it pre-trains only") {
  const std::string rest =
      "model_name_or_path: org/model\nfinetuning_type: full\nper_device_train_batch_size: 2\n"
      "learning_rate: 1.0e-5\nnum_train_epochs: 1\n";
  CHECK(facts_of(rest + "stage: sft\n")["packing"] == "false");
  CHECK(facts_of(rest + "stage: pt\n")["packing"] == "true");
  CHECK(facts_of(rest + "stage: sft\nneat_packing: true\n")["packing"] == "true");
  CHECK(facts_of(rest + "stage: dpo\n")["packing"].empty());
}

TEST_CASE("fp16 under the Trainer brings dynamic loss scaling") {
  const Facts facts = facts_of("per_device_train_batch_size: 2\nnum_train_epochs: 1\nfp16: true\n");
  CHECK(facts["mixed_precision"] == "fp16");
  CHECK(facts["loss_scaling"] == "dynamic");
}

TEST_CASE("an inline DeepSpeed section and FSDP flags state the sharding") {
  CHECK(facts_of("per_device_train_batch_size: 2\nbf16: true\ndeepspeed:\n"
                 "  zero_optimization: {stage: 3, offload_optimizer: {device: cpu}}\n")
            ["sharding_stage"] == "3");
  const Facts facts =
      facts_of("per_device_train_batch_size: 2\nbf16: true\nfsdp: full_shard auto_wrap offload\n");
  CHECK(facts["sharding_stage"] == "3");
  CHECK(facts["offload_parameters"] == "cpu");
}

TEST_CASE("DeepSpeed's own scheduler sets the rate, whatever the optimizer is told") {
  const std::string start =
      "{\"train_batch_size\": 8, "
      "\"optimizer\": {\"type\": \"AdamW\", \"params\": {\"lr\": 1e-5}}, "
      "\"scheduler\": {\"type\": \"WarmupLR\", \"params\": {\"warmup_max_lr\": ";
  CHECK(facts_of(start + "3e-4}}}", "ds.json")["learning_rate"] == "0.0003");
  CHECK(facts_of(start + "\"auto\"}}}", "ds.json")["learning_rate"] == "1e-05");
}

TEST_CASE("a Lightning run without a precision key trains in fp32") {
  const Facts facts = facts_of(
      "trainer:\n  max_epochs: 10\n  devices: 2\ndata:\n  class_path: my.Data\n"
      "  init_args: {batch_size: 64, num_workers: 8}\n");
  CHECK(facts["per_device_batch_size"] == "64");
  CHECK(facts["mixed_precision"] == "none");
  CHECK(facts["weights_dtype"] == "fp32");
  CHECK(facts["world_size"] == "2");
  CHECK(facts["global_batch_size"] == "128");
}

TEST_CASE("Lightning's true-half precisions change the weights, its mixed ones do not") {
  const auto with = [](const std::string& precision) {
    return facts_of("trainer: {max_epochs: 1, devices: 1, precision: " + precision + "}\n");
  };
  CHECK(with("bf16-true")["mixed_precision"] == "none");
  CHECK(with("bf16-true")["weights_dtype"] == "bf16");
  CHECK(with("16-mixed")["mixed_precision"] == "fp16");
  CHECK(with("16-mixed")["weights_dtype"] == "fp32");
  CHECK(with("16-mixed")["loss_scaling"] == "dynamic");
  CHECK(with("32")["mixed_precision"] == "none");
}

TEST_CASE("a part of a Hydra run states only what is written") {
  const Facts facts = facts_of("defaults: [base]\ntrainer:\n  max_epochs: 10\n  devices: 2\n");
  CHECK(facts["mixed_precision"].empty());
  CHECK(facts["nodes"].empty());
}

TEST_CASE("DeepSpeed's batch equation gives the missing factor") {
  const Facts facts = facts_of(
      "{\"train_batch_size\": 64, \"train_micro_batch_size_per_gpu\": 4,"
      " \"gradient_accumulation_steps\": 2, \"fp16\": {\"enabled\": true},"
      " \"zero_optimization\": {\"stage\": 2, \"offload_optimizer\": {\"device\": \"cpu\","
      " \"pin_memory\": true}, \"stage3_prefetch_bucket_size\": 5e7}}",
      "ds.json");
  CHECK(facts["data_parallel_size"] == "8");
  CHECK(facts["mixed_precision"] == "fp16");
  CHECK(facts["loss_scaling"] == "dynamic");
  CHECK(facts["sharding_stage"] == "2");
  CHECK(facts["offload_optimizer"] == "cpu");
  CHECK(facts["pin_memory"].empty());
  CHECK(facts["prefetch_factor"].empty());
}

TEST_CASE("auto in a DeepSpeed file is unknown, its precision too") {
  const Facts facts = facts_of(
      "{\"train_micro_batch_size_per_gpu\": \"auto\", \"train_batch_size\": \"auto\","
      " \"zero_optimization\": {\"stage\": 3}}",
      "ds.json");
  CHECK(facts["per_device_batch_size"].empty());
  CHECK(facts["mixed_precision"].empty());
  CHECK(facts["sharding_stage"] == "3");
}

TEST_CASE("comments and trailing commas in JSON are noted") {
  const Facts facts =
      facts_of("{\n  // comment\n  \"train_batch_size\": 8,\n  \"fp16\": {\"enabled\": true},\n}",
               "ds.json");
  CHECK_FALSE(facts.plan.observations.empty());
  CHECK(facts.plan.observations.front().list == "not_strict_json");
}

TEST_CASE("axolotl loads the weights beside an adapter in the format it computes in") {
  const std::string head = "base_model: org/model-8b\nmicro_batch_size: 1\nsequence_len: 2048\n";
  const auto format = [&](const std::string& keys) {
    return facts_of(head + keys)["weights_dtype"];
  };
  CHECK(format("adapter: lora\nlora_r: 8\nbf16: auto\n") == "bf16");
  CHECK(format("adapter: qlora\nlora_r: 8\nbf16: true\n") == "bf16");
  CHECK(format("adapter: lora\nlora_r: 8\nbf16: false\nfp16: true\n") == "fp16");
  CHECK(format("adapter: lora\nlora_r: 8\n").empty());
  CHECK(format("adapter:\nlora_r:\nbf16: auto\n").empty());
}

TEST_CASE("a config that borrows axolotl's words for a loop of its own is none of axolotl's") {
  const std::string head =
      "base_model: org/model-8b\nsequence_len: 2048\nlora_r: 8\n"
      "learning_rate: 2e-4\nbatch_size: 4\n";
  CHECK(facts_of(head).plan.dialect == "axolotl");
  CHECK(facts_of(head + "optim: adamw_torch\n").plan.dialect != "axolotl");
  CHECK(facts_of(head + "target_modules: [q_proj]\n")["adapter"] != "none");
}

TEST_CASE("axolotl's auto precision is a 16-bit one and its defaults are known") {
  const Facts facts = facts_of(
      "base_model: org/m\nmicro_batch_size: 2\nsequence_len: 4096\nbf16: auto\nadapter: qlora\n"
      "load_in_4bit: true\nlora_r: 32\nlora_target_linear: true\nlearning_rate: 2e-4\n"
      "optimizer: adamw_bnb_8bit\nwarmup_steps: 0.1\ngradient_accumulation_steps: auto\n");
  CHECK(facts.plan.dialect == "axolotl");
  CHECK(facts["mixed_precision"] == "enabled");
  CHECK(facts["gradient_accumulation_steps"].empty());
  CHECK(facts["optimizer"] == "adamw_8bit");
  CHECK(facts["quantization"] == "4bit");
  CHECK(facts["adapter_targets"] == "all-linear");
  CHECK(facts["warmup_ratio"] == "0.1");
  CHECK(facts["warmup_steps"].empty());
  CHECK(facts.origin("activation_checkpointing") == "dialect default");
  CHECK(facts.observed("string_numbers").empty());
}

TEST_CASE("a torchtune recipe names model, adapter and pure half precision by its components") {
  const Facts facts = facts_of(
      "model: {_component_: torchtune.models.llama3.qlora_llama3_8b, lora_rank: 8}\n"
      "tokenizer: {max_seq_len: null}\ndataset: {packed: false}\nbatch_size: 2\ndtype: bf16\n"
      "optimizer: {_component_: bitsandbytes.optim.PagedAdamW8bit, lr: 2e-5}\n"
      "enable_activation_checkpointing: True\n");
  CHECK(facts.plan.dialect == "torchtune");
  CHECK(facts["adapter"] == "qlora");
  CHECK(facts["quantization"] == "4bit");
  CHECK(facts["weights_dtype"] == "bf16");
  CHECK(facts["mixed_precision"] == "none");
  CHECK(facts["optimizer"] == "paged_adamw_8bit");
  CHECK(facts["activation_checkpointing"] == "full");
  CHECK(facts["sequence_length"].empty());
  CHECK(facts["num_workers"].empty());
}

TEST_CASE("a trainer of the project's own has none of Lightning's defaults") {
  const std::string rest = "  max_epochs: 3\n  accelerator: gpu\nlr: 0.1\nbatch_size: 4\n";
  const Facts own = facts_of("trainer:\n  _target_: training.trainer.Trainer\n" + rest);
  CHECK(own.plan.dialect == "generic");
  CHECK(own["mixed_precision"].empty());
  const Facts of_lightning =
      facts_of("trainer:\n  _target_: lightning.pytorch.trainer.Trainer\n" + rest);
  CHECK(of_lightning.plan.dialect == "lightning");
}

TEST_CASE("accelerate starts one process where the file says it is not distributed") {
  const std::string rest = "num_processes: 8\nnum_machines: 1\nmixed_precision: bf16\n";
  CHECK(facts_of("distributed_type: 'NO'\n" + rest)["world_size"] == "1");
  CHECK(facts_of("distributed_type: NO\n" + rest)["world_size"] == "1");
  CHECK(facts_of("distributed_type: MULTI_GPU\n" + rest)["world_size"] == "8");
}

TEST_CASE(
    "an accelerate launch file states world size and sharding; its no leaves precision open") {
  const Facts facts = facts_of(
      "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nnum_processes: 8\n"
      "num_machines: 2\nmixed_precision: no\ndeepspeed_config: {zero_stage: 3, "
      "offload_optimizer_device: cpu}\n");
  CHECK(facts.plan.dialect == "accelerate");
  CHECK(facts["world_size"] == "8");
  CHECK(facts["gpus_per_node"] == "4");
  CHECK(facts["mixed_precision"].empty());
  CHECK(facts["sharding_stage"] == "3");
  CHECK(facts["offload_optimizer"] == "cpu");
}

TEST_CASE("litgpt's switches together say which layers get adapters") {
  const std::string config =
      "checkpoint_dir: checkpoints/org/model\nprecision: bf16-true\nlora_r: 8\ndata:\n"
      "  class_path: litgpt.data.Alpaca\ntrain:\n  global_batch_size: 8\n  micro_batch_size: 2\n";
  CHECK(facts_of(config + "lora_query: false\nlora_value: false\nlora_projection: true\n"
                          "lora_head: true\n")["adapter_targets"] ==
        "o_proj,dense,out_proj,lm_head,embed_out");
  const Facts silent = facts_of(config);
  CHECK(silent["adapter_targets"] == "q_proj,v_proj,query_key_value,Wqkv");
  CHECK(silent.origin("adapter_targets") == "dialect default");
}

TEST_CASE("litgpt's global batch counts all devices") {
  const Facts facts = facts_of(
      "checkpoint_dir: checkpoints/org/Model-1.5B\nprecision: bf16-true\ndevices: 4\n"
      "quantize: bnb.nf4-dq\nlora_r: 16\ntrain: {global_batch_size: 64, micro_batch_size: 4}\n"
      "optimizer: {class_path: torch.optim.AdamW, init_args: {lr: 0.0002}}\n");
  CHECK(facts.plan.dialect == "litgpt");
  CHECK(facts["gradient_accumulation_steps"] == "4");
  CHECK(facts["weights_dtype"] == "bf16");
  CHECK(facts["quantization"] == "4bit");
  CHECK(facts["adapter"] == "lora");
  CHECK(facts["model"] == "Model-1.5B");
}

TEST_CASE("devices of a CPU run are not GPUs") {
  CHECK(facts_of("trainer: {max_epochs: 1, accelerator: cpu, devices: 2}\n")["gpus_per_node"]
            .empty());
  CHECK(facts_of("batch_size: 1\nlr: 1\ndevice: cpu\nnum_gpus: 2\n")["gpus_per_node"].empty());
}

TEST_CASE("two precision switches on are left to a rule") {
  const Facts facts =
      facts_of("per_device_train_batch_size: 1\nnum_train_epochs: 1\nbf16: true\nfp16: true\n");
  CHECK(facts["mixed_precision"].empty());
  CHECK(facts["bf16_enabled"] == "true");
  CHECK(facts["fp16_enabled"] == "true");
}

TEST_CASE("a default holds where its key has the value it asks for") {
  const auto quantization = [](const std::string& audio) {
    return facts_of(
        audio +
        "training: {batch_size: 2, max_seq_length: 2048}\nlora: {lora_r: 16}\n")["quantization"];
  };
  CHECK(quantization("") == "4bit");
  CHECK(quantization("audio_type: csm\n") == "none");
  CHECK(quantization("audio_type: snac\n") == "4bit");
}
