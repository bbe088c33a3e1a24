"""What the scripts behind published throughput tables state beside the tables: networks, sizes, batches.

A table of a README names its GPU and its columns; the rest is in the repository it belongs to. Everything below is
copied from there, or is marked `judgement`. Nothing here reads a measured value.
"""

import csv
import dataclasses
import os
import re

# Title of a table -> the GPU it names.
GPUS = [
    (r"A100[^)]*80 ?GB?", "a100-sxm4-80gb"), (r"A100[^)]*40 ?GB?", "a100-sxm4-40gb"),
    (r"V100[^)]*32 ?GB?|DGX-1 With 32G|DGX-2", "v100-sxm2-32gb"), (r"V100[^)]*16 ?GB?|DGX-1 16G", "v100-sxm2-16gb"),
    (r"RTX ?3090", "rtx-3090"),
]

# Transformer-XL/README.md names the system one heading above its tables: those of training throughput in their order.
# Every node of the last has 16 GPUs.
TRANSFORMER_XL = ["a100-sxm4-40gb"] * 2 + ["v100-sxm2-16gb"] * 2 + ["v100-sxm2-32gb"] * 3
GPUS_OF_A_DGX2 = 16


@dataclasses.dataclass
class Run:
    """One network as its scripts run it."""
    model: str
    facts: dict
    channels_last: tuple = ()         # of "amp", and the systems that always use it
    units: float = 1                  # of what the throughput counts, per sample
    batch_units: float = 1            # of what the batch counts, per sample
    batches: dict = dataclasses.field(default_factory=dict)  # (system, mixed) -> batch of a table that names none
    optimizer_batch: int = 0          # samples per optimizer step; 0 = one batch
    amp_batch_first: bool = False     # "5120/2560" is mixed precision first
    batch_is_accumulated: bool = False
    unmixed: dict = dataclasses.field(default_factory=dict)  # facts of the run without mixed precision
    half_softmax: bool = False        # its code asks for a softmax in half precision, which autocast would not take


SGD = {"optimizer": "sgd", "momentum": 0.9}
LAMB = {"optimizer": "lamb", "fused_optimizer": "true"}          # apex FusedLAMB
ADAM = {"optimizer": "adam", "fused_optimizer": "true"}          # apex FusedAdam
NOVOGRAD = {"optimizer": "novograd"}                             # a loop over tensors
# Optimizers of torch.optim before PyTorch 2.0 loop over tensors.
LOOPING = {"foreach_optimizer": "false"}
# The modelling code of those repositories multiplies, masks and soft-maxes the scores itself.
WRITTEN_OUT = {"attention_backend": "eager"}


def convnet(model, size, batches, optimizer_batch, optimizer=None):
    """ConvNets/configs.yml: batch per system and precision, and the batch of one optimizer step, which the benchmarks
    (launch.py --mode benchmark_training) take over; channels-last goes with AMP; mixup 0.2, label smoothing 0.1."""
    facts = {"image_size": size, "mixup": 0.2, "label_smoothing": 0.1, **(optimizer or SGD), **LOOPING}
    systems = ("a100", "v100-16", "v100-32")
    keys = [(system, mixed) for system in systems for mixed in (False, True)]
    return Run(model, facts, ("amp",), batches=dict(zip(keys, batches)), optimizer_batch=optimizer_batch)


RMSPROP = {"optimizer": "rmsprop", "momentum": 0.9}
RUNS = {
    "resnet50v1.5": convnet("resnet50", 224, (256, 256, 112, 256, 112, 256), 2048),
    "resnext101-32x4d": convnet("resnext101_32x4d", 224, (128, 128, 64, 128, 64, 128), 1024),
    "se-resnext101-32x4d": convnet("seresnext101_32x4d", 224, (128, 128, 64, 112, 64, 112), 1024),
    "efficientnet-b0": convnet("efficientnet-b0", 224, (256, 256, 64, 128, 128, 256), 4096, RMSPROP),
    "efficientnet-b4": convnet("efficientnet-b4", 380, (64, 128, 16, 32, 32, 64), 4096, RMSPROP),
    "efficientnet-widese-b0": convnet("efficientnet-widese-b0", 224, (256, 256, 64, 128, 128, 256), 4096, RMSPROP),
    "efficientnet-widese-b4": convnet("efficientnet-widese-b4", 380, (64, 128, 16, 32, 32, 64), 4096, RMSPROP),
    # BERT/scripts/configs: LAMB for pre-training, Adam for SQuAD with 384 tokens.
    "BERT": Run("bert-large-uncased", {**LAMB, **WRITTEN_OUT}, batch_is_accumulated=True),
    # BERT/run_squad.py: apex FusedAdam under AMP, BertAdam without.
    "BERT fine-tuning": Run("bert-large-uncased", {**ADAM, **WRITTEN_OUT, "sequence_length": 384},
                            unmixed={"optimizer": "bert_adam", "fused_optimizer": "false", "max_grad_norm": 1}),
    # BART/bart/modeling/modeling_bart.py: F.softmax(..., dtype=attn_weights.dtype); the program known here is transformers'.
    "BART": Run("bart-large", {**LAMB, **WRITTEN_OUT}, half_softmax=True),
    # BART/scripts/run_summarization.sh: CNN/DailyMail, 1,024 words to 142, pre-norm.
    "BART fine-tuning": Run("bart-large-cnn", {**ADAM, **WRITTEN_OUT, "sequence_length": 1024, "max_grad_norm": 0.1},
                            half_softmax=True),
    # SSD/main.py: ResNet-50, 300 pixels, channels-last unless told otherwise, which examples/SSD300_FP32_8GPU.sh does and
    # examples/SSD300_A100_FP32_8GPU.sh does not.
    "SSD": Run("ssd300-resnet50", {"image_size": 300, **SGD}, ("amp", "a100")),
    # nnUNet/scripts/benchmark.py: task 01; data_preprocessing/configs.py: slices of 192 x 160; Adam of apex.
    "nnUNet": Run("nnunet", {"image_size": 192, "image_width": 160, **ADAM}),
    # The same of volumes: patches of 128 voxels a side.
    "nnUNet 3D": Run("nnunet-3d", {"image_size": 128, **ADAM}),
    # GNMT/train.py: sentences of at most 50 words, in five buckets by the longer of both languages
    # (seq2seq/data/sampler.py); a batch of 128 is padded to the end of its bucket, only words count, of both languages.
    # Judgement: 25 words on average, the longer language a tenth more; half a bucket of padding.
    "GNMT": Run("gnmt", {"sequence_length": 32, "optimizer": "adam", "max_grad_norm": 5}, units=2 * 25),
    # Transformer/scripts: batches of --max-tokens words. Judgement: sentences of 32 words. Words of one language
    # count.
    "Transformer": Run("transformer-wmt-en-de-big", {"sequence_length": 32, **ADAM, **WRITTEN_OUT}, units=32,
                       batch_units=32, amp_batch_first=True),
    # Transformer-XL/pytorch/wt103_{base,large}.yaml: tgt_len, LAMB of TorchScript, one optimizer step per 256 or 128
    # sequences.
    "Base model": Run("transformer-xl-base", {"sequence_length": 192, "optimizer": "lamb", **WRITTEN_OUT}, units=192,
                      optimizer_batch=256),
    "Large model": Run("transformer-xl-large", {"sequence_length": 384, "optimizer": "lamb", **WRITTEN_OUT}, units=384,
                       optimizer_batch=128),
    # Jasper/scripts/train_benchmark.sh: padded to 16.7 s, filterbanks of 10 ms padded to 16; optimizers.py: Novograd;
    # train.sh: a moving average.
    "Jasper": Run("jasper-10x5-dr", {"sequence_length": 1680, **NOVOGRAD, "ema": "true"}),
    # QuartzNet/scripts/train_benchmark.sh: lengths between 1408 and 1920 frames. Judgement: the middle. train.sh: fused.
    "QuartzNet": Run("quartznet-15x5", {"sequence_length": 1664, **NOVOGRAD, "fused_optimizer": "true"}),
    # NCF/ncf.py: Adam of apex. A sample is one user and one film.
    "NCF": Run("neumf", {"sequence_length": 1, **ADAM}),
    # MaskRCNN/pytorch/configs/e2e_mask_rcnn_R_50_FPN_1x.yaml: shorter side 800, longer at most 1333.
    "MaskRCNN": Run("mask-rcnn-r50-fpn", {"image_size": 800, "image_width": 1344, **SGD}),
}

# Efficientdet/scripts/D0/train-benchmark_*.sh: batch per system and precision, NCHW, apex FusedSGD, a moving average and
# batch norms over all ranks.
RUNS["Efficientdet"] = Run(
    "efficientdet-d0", {"image_size": 512, **SGD, "fused_optimizer": "true", "ema": "true", "sync_batchnorm": "true"},
    batches={("a100", False): 80, ("a100", True): 150, ("v100-32", False): 30, ("v100-32", True): 60})

# GPUNet/README.md and configs/batch1/GV100: the sizes of each network; timm's trainer with RMSProp and a moving average.
for number, size in enumerate((320, 288, 384)):
    RUNS[f"GPUNet-{number}"] = Run(f"gpunet-{number}", {"image_size": size, **RMSPROP, "ema": "true",
                                                        "foreach_optimizer": "false"})

RUNS["resnet50"] = RUNS["resnet50v1.5"]

# BERT/scripts/run_pretraining.sh trains its second phase on sequences sorted into bins of 64 (`phase2/bin_size_64`), so
# that 512 is the longest. Judgement: half of 512 words are padding (arXiv:2107.02027), and half a bin.
BINNED_LENGTHS = {512: 288}

# The table of BERT's pre-training on this system calls a batch what one optimizer step sums up.
BATCH_OF_A_STEP = {"Pre-training NVIDIA DGX-1 With 32G"}

# nnUNet/README.md measures slices by 32, 64 and 128, volumes by 1, 2 and 4.
FEWEST_SLICES = 32

# results/benchmark-train-amp-{nchw,nhwc}-pt112-cu113-rtx3090.csv of timm: image size and the batch of both layouts.
TIMM = {
    "resnet50": ("resnet50", 224, 512, 512), "resnet18": ("resnet18", 224, 512, 512),
    "efficientnet_b0": ("efficientnet-b0", 224, 384, 512), "mobilenetv3_large": ("mobilenet-v3-large", 224, 512, 512),
    "convnext_tiny": ("convnext-tiny", 224, 256, 256), "vit_base_p16": ("vit-base-patch16-224", 224, 256, 256),
    "swin_tiny": ("swin-t", 224, 256, 256), "regnety_032": ("regnet-y-3-2gf", 224, 384, 384),
}


def facts_under(run, gpu, mixed):
    """Facts of one network on one card with or without mixed precision; batch, ranks and format are the caller's."""
    layouts = {system_of(gpu)} | ({"amp"} if mixed else set())
    return {**run.facts, "model": run.model, **({} if mixed else run.unmixed),
            "channels_last": "true" if layouts & set(run.channels_last) else "false"}


def scripted_facts(row, mixed):
    """Facts of a row of measured.jsonl that stands for a cell of those tables: `source` names the README, `task` its heading.

    A length belongs to the row only where its table has that column, which is where the scripts leave it open. None where
    there is no such network or its scores have another format, and for TensorFlow's, whose allocator takes the whole card.
    """
    path = re.search(r"PyTorch/\w+/([\w-]+)/", row["source"])
    title = row["task"].partition("table section: ")[2]
    if not path or not row.get("per_gpu_batch"):
        return None
    name = "nnUNet 3D" if path[1] == "nnUNet" and row["per_gpu_batch"] < FEWEST_SLICES else None
    run, _ = run_of(path[1], title, name)
    if run is None or title in BATCH_OF_A_STEP or (mixed and run.half_softmax):
        return None
    batch = int(row["per_gpu_batch"] / run.batch_units)
    # Nothing is recomputed unless asked for (BERT's --checkpoint_activations, which its scripts leave off).
    facts = {**facts_under(run, text_of_gpu(row), mixed), "activation_checkpointing": "none"}
    if "sequence_length" not in facts and "image_size" not in facts and row.get("seq_len"):
        facts["sequence_length"] = row["seq_len"]
    steps = run.optimizer_batch // (row["n_gpus"] * batch) if run.optimizer_batch else 1
    return {**facts, "per_device_batch_size": batch, "gradient_accumulation_steps": max(1, steps)}


def text_of_gpu(row):
    return (row.get("gpu") or "").lower().replace(" ", "-")


def gpu_of(title):
    for pattern, gpu in GPUS:
        if re.search(pattern, title):
            return gpu
    return None


def system_of(gpu):
    """The name ConvNets/configs.yml gives a system: by card and memory."""
    return "a100" if "a100" in gpu else "v100-16" if "16gb" in gpu else "v100-32"


def run_of(folder, title, name):
    """(run, None), or (None, why there is none)."""
    if folder == "Transformer-XL":
        name = re.search(r"\w+ model", title)[0]
    elif "Fine-tuning" in title:
        name = f"{folder} fine-tuning"
    for key in (name, folder):
        if key in RUNS and not (key == folder and "Fine-tuning" in title):
            return RUNS[key], None
    return None, f"no operator model: {name or folder}"


TIMM_FACTS = {"mixed_precision": "fp16", "world_size": 1, "pin_memory": "true", "gradient_accumulation_steps": 1,
              **SGD, "attention_backend": "eager"}  # torch 1.12 fuses none


def timm_csv_rows(path):
    """(table, model, (facts, facts, GPU, None, images/s), None) of timm's results/benchmark-train-amp-*.csv."""
    name = os.path.basename(path)
    gpu = gpu_of(re.sub(r".*rtx(\d+).*", r"RTX \1", name))
    layout = "true" if "nhwc" in name else "false"
    with open(path, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            facts = dict(TIMM_FACTS, model=row["model"], image_size=row["train_img_size"], channels_last=layout,
                         per_device_batch_size=row["train_batch_size"])
            yield name, row["model"], (facts, facts, gpu, None, float(row["train_samples_per_sec"])), None
