#!/usr/bin/env python3
"""Measures what real training steps need, for comparison with `gpulint estimate`.

    python3 tools/measure_torch.py --out rows.jsonl --seconds 500

Runs training steps of torchvision, timm and transformers models (those that are installed) over a grid of batch,
precision, optimizer, checkpointing and input size, on random data with random weights, and appends one JSON line per
configuration. All memory is in bytes, times in seconds. A configuration that does not fit is a row with "oom": true.
The order spreads the grid, so that a run cut short has seen some of everything; a second run with the same --out goes on
where the first ended. --list prints the configurations; --device cpu runs small ones without memory figures, to test
this program itself.

A row: {"model", "library", "batch", "precision", "optimizer", "checkpointing", "image_size" | "sequence_length",
"channels_last", "parameters", "phases": {"forward" | "backward" | "optimizer": {"allocated_peak", "reserved_peak"}},
"saved_bytes" (allocated when the loss is ready, less what was there before the step), "allocated_peak", "reserved_peak",
"device_used" (whole device by the driver, before the process: "device_used_before"), "step_seconds" (median),
"step_seconds_spread" (quartiles), "gpu", "versions"}.
"""

import argparse
import contextlib
import gc
import itertools
import json
import os
import random
import statistics
import sys
import time

import torch

VISION = {
    "torchvision": ["resnet18", "resnet50", "resnet101", "resnext50_32x4d", "wide_resnet50_2", "densenet121", "vgg16",
                    "mobilenet_v2", "mobilenet_v3_large", "efficientnet_b0", "efficientnet_b4", "regnet_y_8gf",
                    "convnext_tiny", "convnext_base", "vit_b_16", "swin_t", "swin_v2_t"],
    "timm": ["resnet50d", "vit_small_patch16_224", "deit_base_patch16_224", "mixer_b16_224", "tf_efficientnetv2_s",
             "nfnet_l0", "xcit_small_12_p16_224"],
}
# Architectures with the dimensions of well-known models; built from their configs, no weights are loaded.
TEXT = {
    "gpt2": ("GPT2Config", {}, [512, 1024]),
    "gpt2-medium": ("GPT2Config", {"n_embd": 1024, "n_layer": 24, "n_head": 16}, [1024]),
    "bert-base-uncased": ("BertConfig", {}, [128, 512]),
    "pythia-410m": ("GPTNeoXConfig", {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16,
                                      "intermediate_size": 4096, "vocab_size": 50304}, [1024, 2048]),
    "llama-3.2-1b": ("LlamaConfig", {"hidden_size": 2048, "num_hidden_layers": 16, "num_attention_heads": 32,
                                     "num_key_value_heads": 8, "intermediate_size": 8192, "vocab_size": 128256,
                                     "tie_word_embeddings": True}, [1024, 2048]),
    "qwen2.5-0.5b": ("Qwen2Config", {"hidden_size": 896, "num_hidden_layers": 24, "num_attention_heads": 14,
                                     "num_key_value_heads": 2, "intermediate_size": 4864, "vocab_size": 151936,
                                     "tie_word_embeddings": True}, [1024]),
}
PRECISIONS = ["fp32", "tf32", "amp-fp16", "amp-bf16", "bf16"]
OPTIMIZERS = ["sgd", "adamw", "adamw-fused"]
WARM_UP_STEPS = 3  # the first ones allocate optimizer state and choose kernels
TIMED_STEPS = 8


def grid():
    """All configurations, in an order that mixes them."""
    rows = []
    for library, models in VISION.items():
        for model, batch, precision, optimizer in itertools.product(models, [16, 64, 128, 256], PRECISIONS, OPTIMIZERS):
            for size in ([224, 320] if model in ("resnet50", "efficientnet_b0", "convnext_tiny") else [224]):
                rows.append({"library": library, "model": model, "batch": batch, "precision": precision, "optimizer": optimizer,
                             "checkpointing": False, "image_size": size, "channels_last": precision.startswith("amp")})
    for model, (_, _, lengths) in TEXT.items():
        for batch, length, precision, optimizer, checkpointing in itertools.product(
                [1, 4, 16], lengths, PRECISIONS, ["adamw", "adamw-fused"], [False, True]):
            rows.append({"library": "transformers", "model": model, "batch": batch, "precision": precision, "optimizer": optimizer,
                         "checkpointing": checkpointing, "sequence_length": length, "channels_last": False})
    random.Random(20261121).shuffle(rows)
    # The two configurations every other check compares with come first.
    first = [{"library": "torchvision", "model": "resnet50", "batch": 256, "precision": "amp-bf16", "optimizer": "sgd",
              "checkpointing": False, "image_size": 224, "channels_last": False},
             {"library": "transformers", "model": "gpt2", "batch": 16, "precision": "amp-bf16", "optimizer": "adamw",
              "checkpointing": False, "sequence_length": 1024, "channels_last": False}]
    return first + [row for row in rows if row not in first]


def key_of(row):
    names = ("library", "model", "batch", "precision", "optimizer", "checkpointing", "image_size", "sequence_length", "channels_last")
    return json.dumps([row.get(name) for name in names])


def build(row):
    """The model and a function from nothing to its loss."""
    batch, device = row["batch"], row["device"]
    if row["library"] == "transformers":
        import transformers
        name, fields, _ = TEXT[row["model"]]
        config = getattr(transformers, name)(**fields)
        config.use_cache = False
        auto = transformers.AutoModelForMaskedLM if name == "BertConfig" else transformers.AutoModelForCausalLM
        model = auto.from_config(config)
        if row["checkpointing"]:
            model.gradient_checkpointing_enable()
        tokens = torch.randint(0, config.vocab_size, (batch, row["sequence_length"]), device=device)
        return model, lambda net: net(input_ids=tokens, labels=tokens).loss
    if row["library"] == "timm":
        import timm
        model = timm.create_model(row["model"], pretrained=False)
    else:
        import torchvision
        model = torchvision.models.get_model(row["model"]) if hasattr(torchvision.models, "get_model") else getattr(
            torchvision.models, row["model"])()
    images = torch.randn(batch, 3, row["image_size"], row["image_size"], device=device)
    if row["channels_last"]:
        images = images.to(memory_format=torch.channels_last)
    if row["precision"] == "bf16":
        images = images.bfloat16()
    labels = torch.randint(0, 1000, (batch,), device=device)
    return model, lambda net: torch.nn.functional.cross_entropy(net(images).float(), labels)


def optimizer_of(row, model):
    if row["optimizer"] == "sgd":
        return torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    fused = {"fused": True} if row["optimizer"] == "adamw-fused" else {}
    return torch.optim.AdamW(model.parameters(), lr=1e-4, **fused)


class Memory:
    """Peaks by phase; nothing on a CPU."""

    def __init__(self, cuda):
        self.cuda = cuda
        self.phases = {}

    def begin(self):
        if self.cuda:
            torch.cuda.synchronize()
            torch.cuda.reset_peak_memory_stats()

    def end(self, phase):
        if self.cuda:
            torch.cuda.synchronize()
            self.phases[phase] = {"allocated_peak": torch.cuda.max_memory_allocated(),
                                  "reserved_peak": torch.cuda.max_memory_reserved()}

    def allocated(self):
        return torch.cuda.memory_allocated() if self.cuda else 0


def step(row, net, loss_of, optimizer, scaler, memory=None):
    """One training step; returns the bytes allocated when the loss is ready above those before."""
    note = memory or Memory(False)
    half = {"amp-fp16": torch.float16, "amp-bf16": torch.bfloat16}.get(row["precision"])
    optimizer.zero_grad(set_to_none=True)
    before = note.allocated()
    note.begin()
    with torch.autocast(row["device"], dtype=half) if half else contextlib.nullcontext():
        loss = loss_of(net)
    note.end("forward")
    saved = note.allocated() - before
    note.begin()
    (scaler.scale(loss) if scaler else loss).backward()
    note.end("backward")
    note.begin()
    if scaler:
        scaler.step(optimizer)
        scaler.update()
    else:
        optimizer.step()
    note.end("optimizer")
    return saved


def measure(row):
    cuda = row["device"] == "cuda"
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = row["precision"] == "tf32"
    torch.backends.cudnn.benchmark = True
    if cuda:
        free, total = torch.cuda.mem_get_info()
        row["device_used_before"] = total - free
    net, loss_of = build(row)
    if row["precision"] == "bf16":
        net = net.bfloat16()
    net = net.to(row["device"])
    if row["channels_last"]:
        net = net.to(memory_format=torch.channels_last)
    net.train()
    row["parameters"] = sum(p.numel() for p in net.parameters())
    optimizer = optimizer_of(row, net)
    scaler = torch.cuda.amp.GradScaler() if row["precision"] == "amp-fp16" and cuda else None
    for _ in range(WARM_UP_STEPS):
        step(row, net, loss_of, optimizer, scaler)
    memory = Memory(cuda)
    row["saved_bytes"] = step(row, net, loss_of, optimizer, scaler, memory)
    row["phases"] = memory.phases
    if cuda:
        row["allocated_peak"] = max(each["allocated_peak"] for each in memory.phases.values())
        row["reserved_peak"] = torch.cuda.memory_reserved()
        free, total = torch.cuda.mem_get_info()
        row["device_used"] = total - free
    times = []
    for _ in range(TIMED_STEPS if cuda else 1):
        if cuda:
            torch.cuda.synchronize()
        begin = time.perf_counter()
        step(row, net, loss_of, optimizer, scaler)
        if cuda:
            torch.cuda.synchronize()
        times.append(time.perf_counter() - begin)
    row["step_seconds"] = statistics.median(times)
    if len(times) > 3:
        quartiles = statistics.quantiles(times, n=4)
        row["step_seconds_spread"] = [quartiles[0], quartiles[2]]


def give_back():
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
        clear = getattr(torch._C, "_cuda_clearCublasWorkspaces", None)
        if clear:
            clear()


def versions():
    found = {"torch": torch.__version__, "cuda": torch.version.cuda, "python": sys.version.split()[0]}
    for name in ("torchvision", "timm", "transformers"):
        with contextlib.suppress(Exception):
            found[name] = __import__(name).__version__
    with contextlib.suppress(OSError):
        with open("/proc/driver/nvidia/version", encoding="utf-8") as file:
            found["driver"] = file.readline().strip()
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--out", default="-")
    parser.add_argument("--seconds", type=float, default=3600, help="stop beginning new configurations after this long")
    parser.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    parser.add_argument("--only", default="", help="configurations whose model contains this")
    parser.add_argument("--limit", type=int, default=10**9)
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    if options.device == "cuda" and not options.list and not torch.cuda.is_available():
        sys.exit("no CUDA device; --device cpu tests the program, --list shows the configurations")
    rows = [row for row in grid() if options.only in row["model"]]
    if options.list:
        for row in rows:
            print(json.dumps(row))
        return
    done = set()
    if options.out != "-" and os.path.exists(options.out):
        with open(options.out, encoding="utf-8") as file:
            done = {key_of(json.loads(line)) for line in file}
    missing = {name for name in ("torchvision", "timm", "transformers") if not can_import(name)}
    about = versions()
    about_gpu = None
    if options.device == "cuda":
        properties = torch.cuda.get_device_properties(0)
        about_gpu = {"name": properties.name, "memory_total": properties.total_memory}
    begin = time.monotonic()
    count = 0
    with (open(options.out, "a", encoding="utf-8") if options.out != "-" else contextlib.nullcontext(sys.stdout)) as out:
        for row in rows:
            if count >= options.limit or time.monotonic() - begin > options.seconds:
                break
            if row["library"] in missing or key_of(row) in done:
                continue
            row.update(device=options.device, gpu=about_gpu, versions=about)
            try:
                measure(row)
            except RuntimeError as error:  # OutOfMemoryError is one
                if "out of memory" not in str(error):
                    row["error"] = str(error)[:300]
                else:
                    row["oom"] = True
            except Exception as error:  # a model this version does not know
                row["error"] = f"{type(error).__name__}: {error}"[:300]
            give_back()
            count += 1
            out.write(json.dumps(row) + "\n")
            out.flush()
    if missing:
        print("not installed:", ", ".join(sorted(missing)), file=sys.stderr)


def can_import(name):
    try:
        __import__(name)
        return True
    except Exception:
        return False


main()
