// Configs of projects that are not in the corpus the dialects were written from, in miniature.

#include "unit/plan/dialect_files.h"

#include <doctest/doctest.h>

using namespace gpulint;

TEST_CASE("V-JEPA's tasks are GPUs and its memory per GPU is the host's") {
  const Facts facts = facts_of(
      "app: vjepa\nmem_per_gpu: 220G\nnodes: 16\ntasks_per_node: 8\n"
      "data: {batch_size: 24, crop_size: 256, num_workers: 8, pin_mem: true}\n"
      "meta: {dtype: bfloat16}\nmodel: {model_name: vit_large, use_activation_checkpointing: "
      "true}\n"
      "optimization: {lr: 0.0005, warmup: 40, epochs: 10, ipe: 300}\n");
  CHECK(facts.plan.dialect == "vjepa");
  CHECK(facts["per_device_batch_size"] == "24");
  CHECK(facts["world_size"] == "128");
  CHECK(facts["mixed_precision"] == "bf16");
  CHECK(facts["activation_checkpointing"] == "full");
  CHECK(facts["learning_rate"] == "0.0005");
  CHECK(facts["warmup_epochs"] == "40");
  CHECK(facts["image_size"] == "256");
  CHECK(facts["batch_bytes"].empty());
}

TEST_CASE("V-JEPA's evaluations train several heads with a rate each") {
  const Facts facts = facts_of(
      "eval_name: video_classification_frozen\nnodes: 8\ntasks_per_node: 8\n"
      "experiment:\n  data: {resolution: 256}\n  optimization:\n    batch_size: 4\n"
      "    use_bfloat16: true\n    multihead_kwargs: [{lr: 0.005}, {lr: 0.001}]\n");
  CHECK(facts["per_device_batch_size"] == "4");
  CHECK(facts["mixed_precision"] == "bf16");
  CHECK(facts["learning_rate"].empty());
}

TEST_CASE("a section of LoRA settings makes an Unsloth Studio run a LoRA run") {
  const Facts facts = facts_of(
      "training: {max_seq_length: 2048, batch_size: 2, optim: adamw_8bit, learning_rate: 2e-4}\n"
      "lora: {lora_r: 16}\n");
  CHECK(facts["adapter"] == "lora");
  CHECK(facts["sequence_length"] == "2048");
  CHECK(facts_of("training: {max_seq_length: 8, batch_size: 2, training_type: full}\n"
                 "lora: {lora_r: 16}\n")["adapter"] == "none");
}

TEST_CASE("coqui's warm-up counts unless its schedule is switched off") {
  const std::string config =
      R"({"model": "glow_tts", "audio": {"num_mels": 80}, "batch_size": 8, "warmup_steps": 4000)";
  CHECK(facts_of(config + "}", "c.json")["warmup_steps"] == "4000");
  CHECK(facts_of(config + R"(, "noam_schedule": false})", "c.json")["warmup_steps"].empty());
  CHECK(facts_of(config + "}", "c.json")["model"] == "glow_tts");
  CHECK(facts_of(config + R"(, "mixed_precision": true})", "c.json")["mixed_precision"] == "fp16");
}

TEST_CASE("ms-swift's arguments are the Trainer's under further names") {
  const Facts facts = facts_of(
      "model: org/model\ntrain_type: lora\nper_device_train_batch_size: 1\nlearning_rate: 1e-4\n");
  CHECK(facts.plan.dialect == "hf-trainer");
  CHECK(facts["model"] == "org/model");
  CHECK(facts["adapter"] == "lora");
}

TEST_CASE("verl's supervised trainer states the batch of all GPUs, its reinforcement none") {
  const Facts tuned = facts_of(
      "data: {train_batch_size: 256, micro_batch_size_per_gpu: 4, max_length: 1024}\n"
      "model: {partial_pretrain: org/model, strategy: fsdp2}\noptim: {lr: 1e-5}\n"
      "trainer: {nnodes: 1, n_gpus_per_node: 8}\n");
  CHECK(tuned.plan.dialect == "verl");
  CHECK(tuned["global_batch_size"] == "256");
  CHECK(tuned["sharding_stage"] == "3");
  const Facts rewarded = facts_of(
      "data: {train_batch_size: 1024, max_response_length: 512}\n"
      "actor_rollout_ref: {actor: {ppo_mini_batch_size: 64, optim: {lr: 1e-6}}, rollout: {n: 5}}\n"
      "algorithm: {adv_estimator: grpo}\n");
  CHECK(rewarded["global_batch_size"].empty());
  CHECK(rewarded["learning_rate"] == "1e-06");
}

TEST_CASE("NeMo's speech language models keep data and optimizer beside the model") {
  const Facts facts = facts_of(
      "data:\n  common: {global_batch_size: 16, micro_batch_size: 2, max_seq_length: 4096}\n"
      "  train_ds: {micro_batch_size: \"${data.common.micro_batch_size}\", num_workers: 4, "
      "pin_memory: true}\n"
      "trainer: {devices: 8, num_nodes: 1}\nexp_manager: {name: x}\n"
      "strategy: {tensor_model_parallel_size: 2}\nplugins: {precision: bf16-mixed}\n"
      "optim: {config: {optimizer: adam, lr: 0.0001}}\n");
  CHECK(facts["per_device_batch_size"] == "2");
  CHECK(facts["global_batch_size"] == "16");
  CHECK(facts["sequence_length"] == "4096");
  CHECK(facts["pin_memory"] == "true");
  CHECK(facts["tensor_parallel_size"] == "2");
  CHECK(facts["mixed_precision"] == "bf16");
  CHECK(facts["learning_rate"] == "0.0001");
}

TEST_CASE("SlowFast's batch is that of all GPUs") {
  const Facts facts = facts_of(
      "TRAIN: {BATCH_SIZE: 64}\nSOLVER: {BASE_LR: 0.1, OPTIMIZING_METHOD: sgd, MAX_EPOCH: 196}\n"
      "DATA_LOADER: {NUM_WORKERS: 8, PIN_MEMORY: true}\nNUM_GPUS: 8\n");
  CHECK(facts["global_batch_size"] == "64");
  CHECK(facts["gpus_per_node"] == "8");
  CHECK(facts["num_workers"] == "8");
  CHECK(facts["optimizer"] == "sgd");
}

TEST_CASE("PaddleSeg, PaddleClas and PaddleOCR state the batch of one card") {
  const Facts seg = facts_of(
      "batch_size: 2\niters: 80000\noptimizer: {type: sgd}\ntrain_dataset: {type: Cityscapes}\n"
      "lr_scheduler: {type: PolynomialDecay, learning_rate: 0.01}\nmodel: {type: PPLiteSeg}\n");
  CHECK(seg["per_device_batch_size"] == "2");
  CHECK(seg["learning_rate"] == "0.01");
  CHECK(seg["max_steps"] == "80000");
  const Facts clas = facts_of(
      "Global: {epochs: 120, image_shape: [3, 224, 224]}\nArch: {name: ResNet50}\n"
      "Optimizer: {name: Momentum, lr: {learning_rate: 0.1}}\n"
      "DataLoader: {Train: {sampler: {batch_size: 64}, loader: {num_workers: 4}}}\n");
  CHECK(clas["per_device_batch_size"] == "64");
  CHECK(clas["image_size"] == "224");
  CHECK(clas["optimizer"] == "sgd");
  CHECK(clas["num_workers"] == "4");
}

TEST_CASE("a batch counted in tokens is not a number of samples") {
  const Facts facts = facts_of(
      "batch_type: tokens\nbatch_size: 4096\naccum_count: [4]\nlearning_rate: 2\nwarmup_steps: "
      "8000\n");
  CHECK(facts["per_device_batch_size"].empty());
  CHECK(facts["gradient_accumulation_steps"] == "4");
}

TEST_CASE("each kind of PEFT adapter has its own name") {
  const auto adapter = [](const std::string& kind) {
    return facts_of(R"({"peft_type": ")" + kind + R"(", "target_modules": ["q"], "r": 8})",
                    "adapter_config.json")["adapter"];
  };
  CHECK(adapter("LORA") == "lora");
  CHECK(adapter("PREFIX_TUNING") == "prefix_tuning");
  CHECK(adapter("LILY") == "lily");
  CHECK(adapter("PSOFT") == "psoft");
  CHECK(adapter("SOMETHING_NEW").empty());
  // Some are told apart by another key.
  const auto of_weights = [](const std::string& weights) {
    return facts_of(
        R"({"peft_type": "MISS", "target_modules": ["q"], "init_weights": )" + weights + "}",
        "adapter_config.json")["adapter"];
  };
  CHECK(of_weights(R"("bat")") == "bat");
  CHECK(of_weights("true") == "miss");
}

TEST_CASE("a path on disk is not a model's name, its last part is") {
  const auto model = [](const std::string& path) {
    return facts_of(R"({"train_batch_size": 1, "cache_latents": true, "clip_skip": "1",)"
                    R"("pretrained_model_name_or_path": ")" +
                        path + R"("})",
                    "k.json")["model"];
  };
  CHECK(model("stabilityai/stable-diffusion-xl-base-1.0") ==
        "stabilityai/stable-diffusion-xl-base-1.0");
  CHECK(model("D:/models/sdxl.safetensors") == "sdxl.safetensors");
  CHECK(model("models/sdxl.safetensors") == "sdxl.safetensors");
}

TEST_CASE("a Hydra launcher says on how many GPUs the job runs") {
  const Facts facts = facts_of(
      "hydra:\n  launcher: {submitit_folder: x, gpus_per_node: 8, nodes: 2, mem_gb: 450}\n"
      "distributed_training: {distributed_world_size: 16}\n");
  CHECK(facts.plan.dialect == "hydra-launcher");
  CHECK(facts["world_size"] == "16");
  CHECK(facts["gpus_per_node"] == "8");
  CHECK(facts["nodes"] == "2");
  const Facts ranks = facts_of(
      "hydra: {launcher: {submitit_folder: x, gpus_per_node: 8, nodes: 4}}\n"
      "distributed_training: {ddp_backend: c10d, distributed_world_size: 32}\n");
  CHECK(ranks.plan.dialect == "hydra-launcher");
  CHECK(ranks["world_size"] == "32");
}

TEST_CASE("a config with launcher settings is the config of what it trains") {
  const Facts facts = facts_of(
      "batch_size: 256\nlr: 1e-4\nseed: 1\n"
      "hydra: {launcher: {gpus_per_node: 1, tasks_per_node: 1, nodes: 1, mem_gb: 160}}\n");
  CHECK(facts["per_device_batch_size"] == "256");
  CHECK(facts["learning_rate"] == "0.0001");
  CHECK(facts["gpus_per_node"] == "1");
}

TEST_CASE("a checkpoint that is quantized already says so in its name") {
  const auto quantization = [](const std::string& model) {
    return facts_of(
        "base_model: " + model +
        "\nmicro_batch_size: 1\nsequence_len: 512\nadapter: lora\nlearning_rate: 1e-4\n")
        ["quantization"];
  };
  CHECK(quantization("org/model-7b") == "none");
  CHECK(quantization("org/model-7b-GPTQ").empty());
  CHECK(quantization("nvidia/model-NVFP4").empty());
  CHECK(quantization("unsloth/model-bnb-4bit") == "4bit");
}

TEST_CASE("Megatron accumulates where a micro-batch is named, whatever Lightning's default is") {
  const Facts facts = facts_of(
      "data: {train_ds: {micro_batch_size: 2, global_batch_size: 16}}\n"
      "trainer: {devices: -1, num_nodes: 1, accumulate_grad_batches: 1}\nexp_manager: {name: x}\n"
      "model: {peft: {_target_: nemo.collections.llm.peft.LoRA, dim: 32}}\n");
  CHECK(facts["gradient_accumulation_steps"].empty());
  CHECK(facts["data_parallel_size"].empty());
  CHECK(facts["adapter"] == "lora");
}

TEST_CASE("an environment's steps are those of an episode") {
  const Facts facts = facts_of(
      "dataloader: {batch_size: 64, num_workers: 4}\nlr: 0.001\n"
      "training: {num_epochs: 300}\ntask:\n  env_runner: {max_steps: 350}\n");
  CHECK(facts["epochs"] == "300");
  CHECK(facts["max_steps"].empty());
}

TEST_CASE("beside a number of steps iterations are those of something else") {
  CHECK(facts_of("batch_size: 64\nlr: 0.001\niterations: 9000\n")["max_steps"] == "9000");
  const Facts facts = facts_of("steps: 10000000\nbatch_size: 64\nlr: 0.001\niterations: 6\n");
  CHECK(facts["max_steps"].empty());
}

TEST_CASE("a loader of one's own beside an optimizer makes no config of MMEngine") {
  const Facts facts = facts_of(
      "train_dataloader: {dataset: {type: Coco}, batch_size: 4, num_workers: 2}\n"
      "optimizer: {type: AdamW, lr: 0.0001, weight_decay: 0.01}\nepoches: 72\n");
  CHECK(facts.plan.dialect == "generic");
  CHECK(facts["optimizer"] == "adamw");
  CHECK(facts["learning_rate"] == "0.0001");
  CHECK(facts["epochs"] == "72");
}

TEST_CASE("an optimizer with its rate beside a network is a training config without a batch") {
  const Facts facts = facts_of(
      R"({"model": {"type": "unet", "depths": [2, 2]},
          "optimizer": {"type": "adamw", "lr": 0.0005, "weight_decay": 0.001}})",
      "c.json");
  CHECK(facts.plan.dialect == "generic");
  CHECK(facts["learning_rate"] == "0.0005");
  CHECK(facts["weight_decay"] == "0.001");
}
