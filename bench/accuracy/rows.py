"""Turns a published row into what gpulint is asked: facts, a GPU, and the unit and kind of the number.

Names and unit conversions only. Nothing here is fitted, and nothing depends on a row's measured value.
"""

import json
import re

from published_runs import scripted_facts

GIB = 2**30
GB = 10**9

# Which of gpulint's numbers a published kind is compared with. A figure of unstated kind was read off a
# monitor or a log line; README of the rows says "reserved or nvidia-smi, by eye".
QUANTITY = {
    "max_memory_allocated": "allocated_peak",
    "max_memory_reserved": "reserved_peak",
    "nvidia-smi": "central",
    "unknown": "reserved_peak",
}

# Model zoos whose pages do not say whether their GB are 1000 or 1024 MiB.
UNSTATED_THOUSANDS = {"mmdetection", "mmsegmentation", "mmrotate", "mmtracking", "mmdetection3d", "mmyolo", "detectron2"}

# Batches timm's benchmark.py tries, the largest first.
TIMM_LADDER = [512, 384, 256, 192, 128, 96, 64, 48, 32, 24, 16, 12, 8, 6, 4, 3, 2, 1]

# One published name per model: the name a row's source uses -> the name its authors publish it under.
PUBLISHED_NAMES = {
    "tiny-llama": "TinyLlama-1.1B",
    "llama-7b": "llama-2-7b",  # the first generation has the shapes of the second at 7B and 13B
    "llama-13b": "llama-2-13b",
    "llama-70b": "llama-2-70b",
    "stablelm-alpha-3b": "stablelm-base-alpha-3b",
    "phi-1.5-1.3b": "phi-1.5",
}

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

# Classes of the datasets that zoos of dense models name their configs after.
DATASET_CLASSES = {
    "cityscapes": 19, "ade20k": 150, "voc12aug": 21, "pascal_context": 60, "pascal_context_59": 59,
    "coco-stuff10k": 171, "coco-stuff164k": 171, "chase_db1": 2, "drive": 2, "hrf": 2, "stare": 2,
    "loveda": 7, "potsdam": 6, "vaihingen": 6, "isaid": 16,
}

# Detectors tell other objects apart than pixels: of all, the first word that a config's path holds decides.
DETECTION_CLASSES = {
    "lvisv0.5": 1230, "lvis_v0.5": 1230, "lvis_v1": 1203, "openimages": 601, "voc0712": 20, "cityscapes": 8,
    "coco-person-bicycle-car": 3, "coco-person": 1, "coco-keypoints": 1,
}

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

# The one machine that a zoo's page names for its benchmarks, where its rows name none (docs/en/model_zoo.md; docs/model_zoo.md
# of mmtracking, docs/benchmarks.md of mmdetection3d, docs/en/benchmark.md of mmaction2).
MACHINES = dict.fromkeys(("mmdetection", "mmsegmentation", "mmtracking", "mmdetection3d", "mmaction2"), "NVIDIA Tesla V100 SXM2 32GB")

# PyTorch before 2.0 keeps gradients as zeros between steps; since then zero_grad() sets them to None
# (release notes of 2.0: set_to_none defaults to True).
FIRST_FREED_GRADIENTS = 2

# Weights of the encoders that method_comparison/image-gen/run.py keeps on the GPU to score images, in fp32 as
# `from_pretrained` loads them (config.json of the checkpoints); and the width of the text encoder below a pipeline,
# whose hidden states are the prompts' embeddings.
ENCODER_WEIGHTS = {"facebook/dinov2-base": 86580480}
TEXT_WIDTHS = {"black-forest-labs/FLUX.2-klein-base-4B": 2560}  # Qwen3-4B's hidden_size
BYTES_OF = {"bfloat16": 2, "float16": 2, "float32": 4}

# Weights of the frozen teacher of mmdetection's configs/ld, by its name in theirs, counted from the shapes: ResNet-101
# without classifier, pyramid, and GFL's head with 80 classes and 4 x 17 distances. Its maps and outputs per point of the
# pyramid live until the losses are through (kd_one_stage.py: teacher_x, out_teacher).
TEACHERS = {"gflv1_r101_fpn": (42500160 + 3868672 + 5063817, 256 + 80 + 4 * 17)}
PYRAMID_STRIDES = (8, 16, 32, 64, 128)

# Batches are resized on the device to multiples of 32 up to these sizes (batch_augments of the configs).
LARGEST_RESIZE = {"yolox_nano": 640, "yolox_tiny": 640, "yolox-pose_tiny": 640, "yolox": 800, "ppyoloe": 800}

SIZE_KEYS = ("crop_size", "size", "img_scale", "scale")


def unit_of(row):
    """Bytes per unit of measured_value_gb.

    GB is what a source calls GB: torchtune's training/memory.py divided by 1e9 until it printed GiB, and Qwen's
    README heads its table "memory (GB)".
    """
    published = str(row.get("value_as_published"))
    if row["family"].startswith("litgpt") or "1e9" in (row.get("notes") or ""):
        return GB
    if row["family"] == "qwen-readme" or (row["family"] == "torchtune" and "GB" in published):
        return GB
    return GIB


def published_range(row):
    """The least and the most the source's figure can stand for, in the row's unit.

    Half a unit of its last digit; and where a zoo's log counts bytes / 1024^2 and its table is that over 1000 or over
    1024, without saying which, either.
    """
    value, published = row["measured_value_gb"], str(row.get("value_as_published"))
    written = next((number for number in re.findall(r"\d+(?:\.\d+)?", published) if float(number) == value), None)
    half = 0.5 * 10 ** -len(written.partition(".")[2]) if written else 0
    low = value * 1000 / 1024 if row["family"] in UNSTATED_THOUSANDS else value
    return low - half, value + half


def left_out(row):
    """Why the rows' own README says not to score this row; None for all others."""
    extra = row.get("extra") or {}
    if extra.get("suspect"):
        return "extra.suspect: do not score"
    return None


def text(value):
    return "" if value is None else (value if isinstance(value, str) else json.dumps(value)).lower()


def model_name(row):
    """The model under the name a config would give it."""
    name = re.sub(r"\(.*?\)", "", str(row["model"])).strip()
    path = row.get("config_path") or ""
    zoo = row["family"].startswith("mm") or row["family"] == "detectron2"
    if zoo and path:
        name = path.rsplit("/", 1)[-1]
    name = re.sub(r"\.(ya?ml|py)$", "", name.removeprefix("timm/"))
    clip = re.match(r"\w+?_\d+x\d+x\d+(?=_)", name) if row["family"] == "mmaction2" else None
    if clip:  # frames a clip has, their distance, clips of a video; and what a frame is
        return clip[0] + ("_flow" if name.endswith("_flow") else "")
    if zoo:
        # algorithm_backbone_[crop]_schedule_dataset: only the first two name the network.
        # Both zoos have names the other has too.
        prefix = "detectron2_" if row["family"] == "detectron2" else ""
        if row["family"] == "mmdetection" and name.startswith("yolox"):  # its SiLU is not MMYOLO's
            prefix = "mmdet_"
        return prefix + re.split(r"_(?:fast_)?(?:\d+x(?:b?\d+)?(?:x\d+)*|\d+[ek])(?:_|-|$)", name)[0]
    sized = re.fullmatch(r"([\d.]+) ?B (.+)", name)
    if sized:
        name = f"{sized[2]}-{sized[1]}b"
    if "/" not in name:
        name = re.sub(r"(?i)^llama(\d)", r"llama-\1", name.replace(" ", "-"))
    return PUBLISHED_NAMES.get(name.lower(), name)


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


def image_facts(row):
    size = row.get("image_size")
    resized = next((LARGEST_RESIZE[name] for name in LARGEST_RESIZE if str(row["model"]).startswith(name)), None)
    if resized:
        return {"image_size": resized}
    if isinstance(size, list) and len(size) == 2 and all(isinstance(n, int) for n in size):
        return {"image_size": size[0], "image_width": size[1]}
    if isinstance(size, int):
        return {"image_size": size}
    if isinstance(size, dict) and "MIN_SIZE_TRAIN" in size:
        short, long = size["MIN_SIZE_TRAIN"], size.get("MAX_SIZE_TRAIN")
        short = max(short) if isinstance(short, list) else short
        return {"image_size": short, "image_width": long, "variable_input_sizes": "true"}
    if not isinstance(size, list):
        return {}
    edges, facts, cropped = None, {}, False
    for step in size:
        if not isinstance(step, dict):
            continue
        stated = next((step[key] for key in SIZE_KEYS if step.get(key)), None)
        if isinstance(stated, list) and stated and isinstance(stated[0], list):
            stated = max(stated)
        if isinstance(stated, int):
            stated = [stated, stated]
        if isinstance(stated, list) and len(stated) == 2 and all(isinstance(n, int) for n in stated):
            kept_ratio = "Resize" in step.get("type", "") and step.get("keep_ratio", True)
            # A resize names (long, short); a crop or pad names (height, width). A crop of wide images may be high, so that
            # what is resized after it meets a batch of both kinds, padded to a square.
            edges = sorted(stated) if kept_ratio else stated
            edges = [edges[1]] * 2 if kept_ratio and cropped else edges
            cropped = cropped or step.get("type") == "RandomCrop"
        elif step.get("size_divisor") and edges:
            divisor = step["size_divisor"]
            edges = [-(-edge // divisor) * divisor for edge in edges]
    if edges:
        facts = {"image_size": edges[0], "image_width": edges[1]}
    return facts


# ms-swift's arguments for the parts of a vision-language model.
FREEZES = {"freeze_vit": "freeze_vision", "freeze_aligner": "freeze_projector", "freeze_llm": "freeze_language"}


def part_facts(row):
    """What a script says about images and about the parts of a vision-language model."""
    extra = row.get("extra") or {}
    args, environment = extra.get("args") or {}, extra.get("env") or {}
    facts = {fact: args[name] for name, fact in FREEZES.items() if args.get(name) in ("true", "false")}
    pixels = environment.get("MAX_PIXELS") or args.get("max_pixels")
    if str(pixels).isdigit():
        facts["image_max_pixels"] = pixels
    return facts


def class_facts(row):
    """A zoo's config names end in their dataset, or stand in its folder."""
    path = re.sub(r"\.py$", "", row.get("config_path") or "")
    if row["family"] in ("detectron2", "mmdetection"):
        objects = next((DETECTION_CLASSES[name] for name in DETECTION_CLASSES if name in path.lower()), None)
        return {"num_classes": objects} if objects else {}
    named = [name for name in DATASET_CLASSES if path.endswith("_" + name)]
    return {"num_classes": DATASET_CLASSES[max(named, key=len)]} if named else {}


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


def is_megatron(row):
    return "megatron" in text(row.get("framework"))


def sequences_per_sample(row):
    """Losses over pairs run a chosen and a rejected answer of every sample in one batch."""
    args = (row.get("extra") or {}).get("args") or {}
    paired = args.get("rlhf_type") in ("dpo", "simpo", "orpo", "cpo", "rm")
    return 2 if paired and args.get("packing") != "true" else 1


# What ms-swift's --rlhf_type optimizes.
OBJECTIVES = {**dict.fromkeys(("dpo", "kto", "cpo", "simpo", "orpo"), "preference"), "rm": "reward",
              **dict.fromkeys(("ppo", "grpo"), "reinforcement")}


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
    batch = (row.get("per_gpu_batch") or 1) * sequences_per_sample(row)
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


def kept_on_gpu(row):
    """Bytes that PEFT's image-gen/run.py keeps on the GPU besides the model it trains.

    get_dino_encoder() moves the metric's encoder there, precompute_prompt_caches() the embeddings of all training
    prompts: those that data.py leaves of `instance_prompts` after validation and test, max_sequence_length tokens
    each, the states of `text_encoder_out_layers` side by side.
    """
    config = (row.get("extra") or {}).get("train_config") or {}
    encoder, width = ENCODER_WEIGHTS.get(config.get("dino_model_id")), TEXT_WIDTHS.get(config.get("model_id"))
    if not encoder or not width:
        return None
    prompts = len(config["instance_prompts"]) - config["valid_size"] - config["test_size"]
    states = width * len(config["text_encoder_out_layers"]) * BYTES_OF[config["dtype"]]
    return 4 * encoder + prompts * config["max_sequence_length"] * states


def teacher_on_gpu(row, facts):
    """Bytes of a distilling detector's teacher: its weights and what it says about the batch, in fp32."""
    distils = "configs/ld/" in text(row.get("config_path"))
    named = next((name for name in TEACHERS if distils and name in text(row["model"])), None)
    if not named or "image_size" not in facts:
        return None
    weights, values = TEACHERS[named]
    height, width = facts["image_size"], facts.get("image_width", facts["image_size"])
    points = sum(-(-height // stride) * -(-width // stride) for stride in PYRAMID_STRIDES)
    return 4 * (weights + facts["per_device_batch_size"] * points * values)


def hub_facts(row):
    """What litgpt's config_hub/finetune/llama-3.2-*/{lora,qlora}.yaml state where the row's table does not."""
    lora, path = row.get("lora"), row.get("config_path") or ""
    if row["family"] != "litgpt-config-hub" or not isinstance(lora, dict) or lora.get("r"):
        return {}
    facts = {"adapter_rank": 32, "adapter_targets": "q_proj,v_proj", "adapter_dropout": 0.05}
    if path.endswith("/qlora.yaml"):
        facts.update(adapter="qlora", quantization="4bit", double_quantization="false")
    return facts


def prepends_tokens(row):
    """Prompt tuning and p-tuning put their tokens in front of every sample (peft_model.py)."""
    lora = row.get("lora")
    tokens = isinstance(lora, dict) and lora.get("num_virtual_tokens")
    return bool(tokens) and text(lora.get("peft_type")) in ("prompt_tuning", "p_tuning", "multitask_prompt_tuning")


def facts_of(row):
    """Canonical facts of a row; what the row does not state is left open."""
    facts = {"model": model_name(row)}
    if row.get("per_gpu_batch"):
        facts["per_device_batch_size"] = row["per_gpu_batch"] * sequences_per_sample(row)
    if row.get("seq_len"):
        facts["sequence_length"] = row["seq_len"]
    elif row["family"] == "ms-swift-benchmark":
        facts["sequence_length"] = 2048  # swift's max_length where the command line states none
    if "sequence_length" in facts and prepends_tokens(row):
        facts["sequence_length"] += row["lora"]["num_virtual_tokens"]
    tuner = text((row.get("lora") or {}).get("params")) if isinstance(row.get("lora"), dict) else ""
    if "galore_rank" in tuner:
        facts["optimizer"] = "galore_adamw"
    for part in (precision_facts, optimizer_facts, sharding_facts, adapter_facts, hub_facts, image_facts, part_facts,
                 class_facts, switch_facts):
        facts.update(part(row))
    if row["family"] == "torchtune":
        for fact, value in recipe_facts(row).items():
            if not fact.startswith("adapter") or "adapter" in facts:
                facts.setdefault(fact, value)
    if row["family"] == "torchtitan":
        stated = titan_facts(row)
        if facts.get("compile") != "true":
            stated.pop("cross_entropy", None)
        if "activation_checkpointing" in facts:
            stated.pop("activation_checkpointing")
        for fact, value in stated.items():
            if fact != "selective_checkpointing" or facts.get("activation_checkpointing", "selective") == "selective":
                facts.setdefault(fact, value)
    if row["family"] == "qwen-readme":
        facts.update(qwen_launch(row) if row.get("n_gpus") == 1 else {})
    for fact, value in script_facts(row).items():
        if not fact.startswith("adapter") or "adapter" in facts:
            facts.setdefault(fact, value)
    if row["family"] == "nvidia-dle":
        facts.update(scripted_facts(row, facts.get("mixed_precision", "none") != "none") or {})
    if config_of(row).startswith("per_device_train_batch_size") and facts.get("mixed_precision") == "none":
        facts["mixed_precision"] = facts["weights_dtype"]  # the Trainer's flag is autocast over loaded weights
    if is_megatron(row) or facts.get("sharding_engine") == "megatron":  # use_distributed_optimizer
        facts.setdefault("sharding_engine", "megatron")
        facts.setdefault("sharding_stage", 1)
        facts.setdefault("mixed_precision", "bf16")
    if row["family"] == "torchtune" and "flags" not in (row.get("extra") or {}):
        # The rows' recipes: since 0.4 those for Llama 3 compute the loss by chunks; paged ones step in backward.
        if "llama-3" in facts["model"].lower():
            facts.setdefault("cross_entropy", "chunked")
        elif not facts.get("packing"):
            facts["packing"] = "false"
        if facts.get("optimizer", "").startswith("paged") and facts.get("world_size") == 1:
            facts["optimizer_in_backward"] = "true"
    kept = kept_on_gpu(row) or teacher_on_gpu(row, facts)
    if kept:
        facts["vram_other"] = f"{kept} B"
    stages = facts.get("pipeline_parallel_size", 1)
    if row["family"] == "torchtitan" and stages > 1 and "per_device_batch_size" in facts:
        # local_batch_size is split into as many micro-batches as there are stages.
        facts["per_device_batch_size"] = -(-facts["per_device_batch_size"] // stages)
        facts["gradient_accumulation_steps"] = stages
    return facts


def gpu_id(row, known):
    """The id in `known` of the row's card, by its name and nominal memory; None where none is named.

    A card that comes in several sizes, without a stated one, is taken as the largest.
    """
    stated = re.sub(r"[^a-z0-9]+", " ", text(row.get("gpu") or MACHINES.get(row["family"])))
    size = row.get("gpu_memory_gb")
    found = []
    for gpu in known:
        words = gpu.split("-")
        family = " ".join(words[:2]) if words[0] in ("rtx", "quadro") else words[0]
        if not re.search(rf"\b{family}\b", stated):
            continue
        memory = re.search(r"(\d+)gb", gpu)
        if memory and size and int(memory[1]) != int(size):
            continue
        named = sum(word in stated for word in words)
        spare = [word for word in words if word not in stated and not word.endswith("gb")]
        larger = -int(memory[1]) if memory else 0
        found.append((-bool(memory and size), -named, len(spare), "sxm" not in gpu, larger, gpu))
    return min(found)[-1] if found else None
