"""Turns a published row into what gpulint is asked: facts, a GPU, and the unit and kind of the number.

Names and unit conversions only. Nothing here is fitted, and nothing depends on a row's measured value. The parts:
row_names.py, row_settings.py, row_images.py, and row_scripts.py for what a source's own scripts state.
"""

import re

from published_runs import scripted_facts
from row_images import class_facts, image_facts, kept_on_gpu, part_facts, teacher_on_gpu
from row_names import model_name, text
from row_scripts import (
    config_of, hub_facts, is_megatron, qwen_launch, recipe_facts, script_facts, sequences_per_sample, titan_facts,
)
from row_settings import adapter_facts, optimizer_facts, precision_facts, prepends_tokens, sharding_facts, switch_facts

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

# The one machine that a zoo's page names for its benchmarks, where its rows name none (docs/en/model_zoo.md; docs/model_zoo.md
# of mmtracking, docs/benchmarks.md of mmdetection3d, docs/en/benchmark.md of mmaction2).
MACHINES = dict.fromkeys(("mmdetection", "mmsegmentation", "mmtracking", "mmdetection3d", "mmaction2"), "NVIDIA Tesla V100 SXM2 32GB")


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


def facts_of(row):
    """Canonical facts of a row; what the row does not state is left open."""
    facts = {"model": model_name(row)}
    if row.get("per_gpu_batch"):
        facts["per_device_batch_size"] = row["per_gpu_batch"]
        facts["sequences_per_sample"] = sequences_per_sample(row)
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
