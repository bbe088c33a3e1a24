"""Number formats, optimizers, ranks, adapters and switches of a row, as facts."""

import re

from row_names import text

# Names of layers in each source -> the names of the Hugging Face checkpoints.
TARGETS = {
    "query": ["q_proj"],
    "key": ["k_proj"],
    "value": ["v_proj"],
    "projection": ["o_proj", "dense", "out_proj"],
    "output_proj": ["o_proj"],
    "mlp": ["gate_proj", "up_proj", "down_proj", "fc1", "fc2", "dense_h_to_4h", "dense_4h_to_h"],
    "head": ["lm_head", "embed_out"],
}


def precision_facts(row):
    stated = text(row.get("precision"))
    facts = {}
    if "fp4" in stated:  # no fact names a 4-bit compute format; what is not a product stays bf16
        return {"mixed_precision": "bf16", "weights_dtype": "fp32"}
    stated = re.sub(r"autocast_\w+=\w+|autocast=off", "", stated)
    mixed = "amp" in stated or "mixed" in stated or "autocast" in stated
    if mixed:
        facts["mixed_precision"] = "bf16" if re.search(r"bf16|bfloat16", stated) else "fp16"
    if re.search(r"fp8|float8", stated):
        facts["mixed_precision"] = "fp8"
    if "pure" in stated or "weights bfloat16" in stated:
        facts["weights_dtype"] = "bf16"
    elif mixed or "fp8" in stated or "float8" in stated:
        facts["weights_dtype"] = "fp32"
    elif re.search(r"bf16|bfloat16", stated):
        facts.update(weights_dtype="bf16", mixed_precision="none")
    elif "fp16" in stated:
        facts.update(weights_dtype="fp16", mixed_precision="none")
    elif "fp32" in stated or "tf32" in stated:
        facts.update(weights_dtype="fp32", mixed_precision="none")
    if "tf32" in stated:
        facts["tf32"] = "true"
    return facts


def optimizer_facts(row):
    stated = text(row.get("optimizer"))
    facts = {}
    found = re.search(r"adafactor|adamw|adam|sgd|muon|lion|galore|lars|lamb|rmsprop", stated)
    if not found:
        return facts
    name = found[0]
    if re.search(r"8.?bit", stated):
        name += "_8bit"
    elif re.search(r"4.?bit", stated):
        name += "_4bit"
    facts["optimizer"] = ("paged_" if "paged" in stated else "") + name
    momentum = re.search(r"momentum=([\d.]+)", stated)
    if momentum:
        facts["momentum"] = momentum[1]
    if "fused" in stated:
        facts["fused_optimizer"] = "true"
    if "offload" in stated:
        facts["offload_optimizer"] = "cpu"
    return facts


def degree(stated, *names):
    for name in names:
        found = re.search(name + r'["\s:=]*"?(\d+)', stated)
        if found:
            return int(found[1])
    return 1


def ranks_started(row):
    """GPUs of the run. A figure is one GPU's, where a script's comment does not multiply it; how many it starts, its
    environment says."""
    started = ((row.get("extra") or {}).get("env") or {}).get("NPROC_PER_NODE")
    return int(started) if str(started).isdigit() and row.get("n_gpus") == 1 else row.get("n_gpus")


def sharding_facts(row):
    stated = text(row.get("parallelism"))
    facts = {}
    if "treat as 1-gpu" in stated:
        return {"world_size": 1, "sharding_stage": 0}
    world = ranks_started(row)
    if world:
        facts["world_size"] = world
    if "device_map" in stated:  # layers spread over the GPUs, one micro-batch at a time
        facts.update(pipeline_parallel_size=world, gradient_accumulation_steps=1, sharding_stage=0)
    for fact, names in (
        ("tensor_parallel_size", (r"\btp", "tensor_model_parallel_size")),
        ("pipeline_parallel_size", (r"\bpp", "pipeline_model_parallel_size")),
        ("context_parallel_size", (r"\bcp", r"\bcontext_parallel_size", r"sequence_parallel_size")),
        ("expert_parallel_size", ("expert_model_parallel_size",)),
    ):
        size = degree(stated, *names)
        if size > 1:
            facts[fact] = size
    engine = re.search(r"fsdp2|fsdp_version\W+2|fsdp|deepspeed|zero|megatron|model_parallel_size|\bddp", stated)
    if engine:
        engine = {"zero": "deepspeed", "model_parallel_size": "megatron"}.get(engine[0], engine[0])
        facts["sharding_engine"] = "fsdp2" if "fsdp2" in stated or re.search(r"fsdp_version\W+2", stated) else engine
    if re.search(r"sequence_parallel\W+true", stated):
        facts["sequence_parallel"] = "true"
    if "auto_wrap" in stated:
        facts["sharding_wrap_policy"] = "block"
    zero = re.search(r"zero.?(\d)", stated)
    if zero:
        facts["sharding_stage"] = zero[1]
    elif "shard_grad_op" in stated:
        facts["sharding_stage"] = 2
    elif "fsdp" in stated:
        facts["sharding_stage"] = 3
    elif stated == "none" or "ddp" in stated:
        facts["sharding_stage"] = 0
    if re.search(r"offload_params\W+true", stated):
        facts.update(offload_optimizer="cpu", offload_parameters="cpu")
    elif "offload" in stated and "no cpu offload" not in stated and "offload_params" not in stated:
        facts["offload_optimizer"] = "cpu"
        if "parameter" in stated or "fsdp" in stated:  # FSDP moves both or neither
            facts["offload_parameters"] = "cpu"
    return facts


def adapter_facts(row):
    lora = row.get("lora")
    stated = text(row.get("precision")) + text(lora)
    facts = {}
    # Checkpoints that are quantized already say so in their names.
    if re.search(r"nf4|int4|4.?bit\W+true|load_in_4bit\W+true|gptq int4|bnb 4.?bit", stated) or re.search(
            r"-awq$|-int4$|gptq.?int4|bnb-4bit", text(row["model"])):
        facts["quantization"] = "4bit"
    elif re.search(r"int8|8bit\W+true", stated):
        facts["quantization"] = "8bit"
    if "quantization" in facts and re.search(r"nf4-dq|double_quant\W+true", stated):
        facts["double_quantization"] = "true"
    elif re.search(r"bnb\.nf4", stated):
        facts["double_quantization"] = "false"
    if not isinstance(lora, dict) or lora.get("tuner") == "full":
        return facts
    if "adapters fp32" in stated:
        facts["adapter_dtype"] = "fp32" if "adapter_dtype=true" in stated else "bf16"
    if lora.get("modules_to_save"):
        facts["adapter_modules_to_save"] = ",".join(lora["modules_to_save"])
    method = text(lora.get("peft_type") or lora.get("tuner") or lora.get("method") or lora.get("type"))
    if lora.get("use_dora"):
        method = "dora"
    elif method == "miss" and text(row["source"]).endswith("-bat.json"):  # init_weights: bat
        method = "bat"
    facts["adapter"] = method or ("qlora" if "quantization" in facts else "lora")
    dropout = lora.get("lora_dropout") or lora.get("dropout") or (row.get("extra") or {}).get("config", {}).get("lora_dropout")
    if isinstance(dropout, (int, float)):
        facts["adapter_dropout"] = dropout
    swift = dict(re.findall(r"(rank|target)=(\w+)", str(lora.get("params"))))  # a command line's words
    lora = {**lora, **({"r": int(swift["rank"])} if swift.get("rank", "").isdigit() else {}),
            **({"targets": "linear"} if swift.get("target") == "ALL" else {})}
    if "packing=true" in text(lora.get("params")):
        facts["packing"] = "true"
    if lora.get("r"):
        facts["adapter_rank"] = lora["r"]
    targets = lora.get("targets") or lora.get("target_modules")
    if isinstance(targets, list) and targets:
        facts["adapter_targets"] = ",".join(n for t in targets for n in TARGETS.get(t, [t]))
    elif lora.get("target_linear") or "linear" in text(targets):
        facts["adapter_targets"] = "all-linear"
    elif isinstance(targets, str) and "c_attn" in targets:
        facts["adapter_targets"] = "c_attn"
    elif isinstance(targets, str) and "language_model" in targets:  # a regular expression
        facts["adapter_targets"] = targets
    return facts


def switch_facts(row):
    facts = {}
    recomputed = row.get("activation_checkpointing")
    if "treat as 1-gpu" in text(row.get("parallelism")):
        recomputed = False  # litgpt checkpoints blocks where FSDP wraps them, and nowhere else
    if recomputed is True or recomputed == "full":
        facts["activation_checkpointing"] = "full"
    elif recomputed is False:
        facts["activation_checkpointing"] = "none"
    elif text(recomputed).startswith("selective"):
        facts["activation_checkpointing"] = "selective"
        if "op" in text(recomputed).replace("selective", "", 1):
            facts["selective_checkpointing"] = "op"
        elif "layer" in text(recomputed):  # torchtitan's default: every second one
            facts["selective_checkpointing"] = "2"
    elif recomputed == "offload":
        facts["activation_checkpointing"] = "offload"
    attention = row.get("flash_attention")
    if attention is False:
        facts["attention_backend"] = "eager"
    elif attention is True or "flash" in text(attention):
        facts["attention_backend"] = "flash"
    elif text(attention) == "sdpa":
        facts["attention_backend"] = "sdpa"
    elif text(attention) in ("eager", "unfused"):
        facts["attention_backend"] = "eager"
    compiled = row.get("compile")
    if compiled is not None:
        facts["compile"] = "true" if compiled else "false"
    extra = row.get("extra") or {}
    if extra.get("sample_packing"):
        facts["packing"] = "true"
    flags = extra.get("flags") or {}
    if flags.get("chunked_ce"):
        facts["cross_entropy"] = "chunked"
    if flags.get("opt_in_bwd"):
        facts["optimizer_in_backward"] = "true"
    if flags.get("act_offload"):
        facts["activation_checkpointing"] = "offload"
    if row.get("grad_accum"):
        facts["gradient_accumulation_steps"] = row["grad_accum"]
    objective = OBJECTIVES.get((extra.get("args") or {}).get("rlhf_type"))
    if objective:
        facts["objective"] = objective
    return facts


# What ms-swift's --rlhf_type optimizes.
OBJECTIVES = {**dict.fromkeys(("dpo", "kto", "cpo", "simpo", "orpo"), "preference"), "rm": "reward",
              **dict.fromkeys(("ppo", "grpo"), "reinforcement")}


def prepends_tokens(row):
    """Prompt tuning and p-tuning put their tokens in front of every sample (peft_model.py)."""
    lora = row.get("lora")
    tokens = isinstance(lora, dict) and lora.get("num_virtual_tokens")
    return bool(tokens) and text(lora.get("peft_type")) in ("prompt_tuning", "p_tuning", "multitask_prompt_tuning")
