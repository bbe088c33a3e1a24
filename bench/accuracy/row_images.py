"""What a row says about images, classes and what a script keeps on the GPU beside the model, as facts."""

import re

from row_names import text

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
