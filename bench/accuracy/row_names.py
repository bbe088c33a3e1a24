"""What a row calls its model, and the words of a row as text."""

import json
import re

# One published name per model: the name a row's source uses -> the name its authors publish it under.
PUBLISHED_NAMES = {
    "tiny-llama": "TinyLlama-1.1B",
    "llama-7b": "llama-2-7b",  # the first generation has the shapes of the second at 7B and 13B
    "llama-13b": "llama-2-13b",
    "llama-70b": "llama-2-70b",
    "stablelm-alpha-3b": "stablelm-base-alpha-3b",
    "phi-1.5-1.3b": "phi-1.5",
}


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
