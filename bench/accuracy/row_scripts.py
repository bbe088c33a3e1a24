"""The config a row becomes, and what the scripts, recipes and machines behind a family of rows state unasked."""

import re

from row_names import model_name, text

# A row becomes a config of its own framework with nothing in it but what makes it one: what the framework does
# unasked is then gpulint's to know. Anything stated comes on top, as facts.
PLAIN = "training:\n  learning_rate: 0.1\n  epochs: 1\n"
LITGPT_FULL = "train:\n  global_batch_size: {global_batch}\n  micro_batch_size: {batch}\n"
LITGPT_LORA = LITGPT_FULL + "lora_r: 8\n"
AXOLOTL = "base_model: {model}\nmicro_batch_size: {batch}\n"
TRAINER = "per_device_train_batch_size: {batch}\nlearning_rate: 0.1\n"
# ms-swift takes the checkpoint's format, which is bf16, and asks the Trainer for autocast to it.
SWIFT = TRAINER + "bf16: true\n"
# Its scripts train vision-language models too; what it freezes of them unasked goes by the tuner's key.
SWIFT_SCRIPT = SWIFT + "tuner_type: {tuner}\n"
MEGATRON_SWIFT = "micro_batch_size: {batch}\nglobal_batch_size: {global_batch}\nlr_warmup_fraction: 0.1\n"

# The command lines and scripts the rows were made with, where their source is a script and not a config.
SCRIPTS = {
    # lit-gpt's finetune/lora.py sums up to a global batch of 128 on one device without reducing in between, and
    # takes the longest sample first.
    "litgpt-resource-tables": {"gradient_accumulation_steps": 16, "group_by_length": "true"},
    # litgpt's extensions/thunder pretrains with litgpt's GPT.
    "litgpt-thunder": {"model_implementation": "litgpt"},
    # torchtitan's run_train.sh sets the allocator; its parallelize_llama.py shards norms with tensor parallelism.
    "torchtitan": {"model_implementation": "torchtitan", "expandable_segments": "true", "sequence_parallel": "true"},
    # torchtune's lora_finetune recipes build adapters in the recipe's dtype.
    "torchtune": {"adapter_dtype": "bf16"},
    # The page's box shows 1343 MB with an empty process; its Trainer's AdamW is transformers' own loop over the weights.
    "hf-transformers-docs": {"cuda_context": "1343 MiB", "foreach_optimizer": "false"},
    # Qwen's finetune.py passes its adapters to peft 0.5, which builds them in fp32 and moves them to the device only.
    "qwen-readme": {"adapter_dtype": "fp32", "adapter_dropout": 0.05, "pad_to_max_length": "true"},
    # method_comparison/MetaMathQA: transformers' own model; data.py filters what would exceed the maximum, and
    # BucketIterator takes the longest of twenty batches first, after run.py emptied the cache.
    "peft-method-comparison": {"model_implementation": "transformers", "group_by_length": "true"},
    # Rows of metafiles name no release; the zoo has them since April 2021.
    "mmdetection": {"torch_version": "1.8", "zero_grad_set_to_none": "false"},
    # The zoo's logs are of 2022, before PyTorch 2.0.
    "mmrotate": {"zero_grad_set_to_none": "false"},
    # docs/en/benchmark.md names the release the zoo's tables were made with.
    "mmaction2": {"torch_version": "1.4", "zero_grad_set_to_none": "false"},
    # The table's data have lengths of 3234 +- 2547 tokens, so that batches reach the maximum and few are alike.
    "ms-swift-benchmark": {"packing": "false", "variable_input_sizes": "true"},
}

# PyTorch before 2.0 keeps gradients as zeros between steps; since then zero_grad() sets them to None
# (release notes of 2.0: set_to_none defaults to True).
FIRST_FREED_GRADIENTS = 2


def is_megatron(row):
    return "megatron" in text(row.get("framework"))


def sequences_per_sample(row):
    """Losses over pairs run a chosen and a rejected answer of every sample in one batch."""
    args = (row.get("extra") or {}).get("args") or {}
    return 2 if args.get("rlhf_type") in ("dpo", "simpo", "orpo", "cpo", "rm") else 1


def config_of(row):
    """A config of the row's framework that states nothing about memory but its batch."""
    family, lora = row["family"], row.get("lora")
    lora = bool(lora) and not text(lora.get("method")).startswith("adapter")  # litgpt's scripts for those know no rank
    template = {
        "litgpt-config-hub": LITGPT_LORA if lora else LITGPT_FULL,
        "litgpt-resource-tables": LITGPT_LORA if lora else LITGPT_FULL,
        "axolotl-examples": AXOLOTL,
        "qwen-readme": TRAINER,
        "ms-swift-benchmark": SWIFT,
        "ms-swift-scripts": MEGATRON_SWIFT if is_megatron(row) else SWIFT_SCRIPT,
    }.get(family, PLAIN)
    batch = row.get("per_gpu_batch") or 1
    args = (row.get("extra") or {}).get("args") or {}
    return template.format(model=model_name(row), batch=batch, global_batch=args.get("global_batch_size") or batch,
                           tuner="lora" if lora else "full")


def titan_facts(row):
    """torchtitan's train_configs/llama3_8b.toml where the row leaves it open, and its loss by its date."""
    framework = text(row.get("framework"))
    facts = {"activation_checkpointing": "selective", "selective_checkpointing": "op"}
    if "8b" in text(row["model"]):
        facts.update(sequence_length=8192, per_device_batch_size=1)
    if re.search(r"20(2[5-9]|3\d)", framework):  # components/loss.py compiles it with the model
        facts["cross_entropy"] = "chunked"
    return facts


def qwen_launch(row):
    """Qwen's finetune/*.sh: only LoRA on one GPU runs without DeepSpeed."""
    lora = row.get("lora")
    if not lora:
        return {"sharding_engine": "deepspeed", "sharding_stage": 3, "reduce_bucket_size": 200000000}
    if "int4" in text(row.get("precision")) + text(lora):
        return {"sharding_engine": "deepspeed", "sharding_stage": 2, "reduce_bucket_size": 200000000}
    return {}


def family_of_adapters(row):
    lora = row.get("lora")
    return isinstance(lora, dict) and text(lora.get("method")).startswith("adapter")


def recipe_facts(row):
    """What torchtune's recipes of the same name state, where the row names a recipe only."""
    lora, alone = row.get("lora"), row.get("n_gpus") == 1
    # Since 0.3 the recipes let go of the logits before the backward pass.
    old = re.search(r"torchtune 0\.[12]\b", text(row.get("framework")))
    facts = {"model_implementation": "torchtune-0.2" if old else "torchtune"}
    if not lora:
        # *_full_single_device.yaml and *_full_low_memory.yaml; the others state torch.optim.AdamW.
        facts["optimizer"] = "paged_adamw_8bit" if alone else "adamw"
        if "unstated options" not in text(row.get("notes")):
            facts["activation_checkpointing"] = "full"
        return facts
    facts["optimizer"] = "adamw"
    facts["activation_checkpointing"] = "full"
    large = "70b" in text(row["model"])
    facts["adapter_rank"] = 16 if large else 8
    facts["adapter_targets"] = "q_proj,v_proj,o_proj,gate_proj,up_proj,down_proj"
    facts["adapter_dropout"] = 0
    return facts


def script_facts(row):
    """What the row's own source says beside the fields all rows have: arguments, plugins, versions."""
    extra = row.get("extra") or {}
    args = extra.get("args") or {}
    facts = dict(SCRIPTS.get(row["family"], {}))
    version = re.search(r"pytorch ~?(\d+)\.(\d+)", text(row.get("framework")))
    if version:
        facts["zero_grad_set_to_none"] = "true" if int(version[1]) >= FIRST_FREED_GRADIENTS else "false"
        facts["torch_version"] = f"{version[1]}.{version[2]}"
    steps = re.search(r"grad accumulation (\d+)", text(row.get("notes")))
    if steps:
        facts["gradient_accumulation_steps"] = steps[1]
    if family_of_adapters(row):
        facts["cross_entropy"] = "chunked"  # litgpt's finetune/adapter.py and adapter_v2.py
    plugins = text(extra.get("plugins"))
    if "cut_cross_entropy" in plugins:
        facts["cross_entropy"] = "fused"
    if args.get("use_liger_kernel") == "true":
        facts.update(cross_entropy="fused", fused_kernels="true")
    if args.get("packing") in ("true", "false"):
        facts["packing"] = args["packing"]
    elif row["family"] == "ms-swift-scripts":  # max_length cuts what is longer
        facts["packing"] = "false"
    if args.get("optimizer_cpu_offload") == "true":
        facts["offload_optimizer"] = "cpu"
    for steps in (args.get("gradient_accumulation_steps"), extra.get("gradient_accumulation_steps")):
        if str(steps).isdigit():
            facts["gradient_accumulation_steps"] = steps
    if row["family"] == "ms-swift-scripts":  # its rows' notes: gradient_checkpointing is on when not set
        facts["activation_checkpointing"] = "full"
    if "all-linear" in text(args.get("target_modules")):
        facts["adapter_targets"] = "all-linear"
    if str(args.get("lora_rank")).isdigit():
        facts["adapter_rank"] = args["lora_rank"]
    if args.get("bnb_4bit_use_double_quant") in ("true", "false"):
        facts["double_quantization"] = args["bnb_4bit_use_double_quant"]
    return facts


def hub_facts(row):
    """What litgpt's config_hub/finetune/llama-3.2-*/{lora,qlora}.yaml state where the row's table does not."""
    lora, path = row.get("lora"), row.get("config_path") or ""
    if row["family"] != "litgpt-config-hub" or not isinstance(lora, dict) or lora.get("r"):
        return {}
    facts = {"adapter_rank": 32, "adapter_targets": "q_proj,v_proj", "adapter_dropout": 0.05}
    if path.endswith("/qlora.yaml"):
        facts.update(adapter="qlora", quantization="4bit", double_quantization="false")
    return facts
