#!/usr/bin/env python3
"""Scores gpulint's step times against published tables of training throughput.

    bench/accuracy/time.py [--json] [--rows] --gpulint PATH FILE...

Each FILE is Markdown: headings `### <path of a README> :: <title>` over tables with one column of throughput per
precision. A row becomes facts (`--set`) and a GPU; samples per second and the ratio of both precisions are compared.
What a table leaves open is named: its rows are scored apart (`assumed`) when only the batch is open and are not
covered otherwise. Names and unit conversions only; nothing is fitted and nothing reads a measured value.
"""

import argparse
import collections
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

# A config must look like one to be read; these keys take no time.
CONFIG = "training:\n  learning_rate: 0.1\n  epochs: 1\n"

# Title of a table -> the GPU it names.
GPUS = [
    (r"A100[^)]*80 ?GB?", "a100-sxm4-80gb"), (r"A100[^)]*40 ?GB?", "a100-sxm4-40gb"),
    (r"V100[^)]*32 ?GB?|DGX-1 With 32G|DGX-2", "v100-sxm2-32gb"), (r"V100[^)]*16 ?GB?|DGX-1 16G", "v100-sxm2-16gb"),
    (r"RTX ?3090", "rtx-3090"),
]

# Name in a table or folder -> the network under its published name, and the input its authors train it with.
IMAGES = {
    "resnet50": ("resnet50", 224), "resnet50v1.5": ("resnet50", 224), "resnet18": ("resnet18", 224),
    "resnext101-32x4d": ("resnext101_32x4d", 224), "se-resnext101-32x4d": ("seresnext101_32x4d", 224),
    "efficientnet-b0": ("efficientnet-b0", 224), "efficientnet-b4": ("efficientnet-b4", 380),
    "efficientnet_b0": ("efficientnet-b0", 224), "mobilenetv3_large": ("mobilenet-v3-large", 224),
    "convnext_tiny": ("convnext-tiny", 224), "vit_base_p16": ("vit-base-patch16-224", 224),
    "swin_tiny": ("swin-t", 224), "regnety_032": ("regnet-y-3-2gf", 224),
}
TEXTS = {"BERT": "bert-large-uncased", "BART": "bart-large"}
OPTIMIZERS = {"BERT": {"optimizer": "lamb"}, "BART": {"optimizer": "lamb"}, "efficientnet": {"optimizer": "rmsprop"}}
# The modelling code of those repositories multiplies, masks and soft-maxes the scores itself.
ATTENTION = {"attention_backend": "eager"}

# Large enough to fill a device; throughput hardly depends on it then.
ASSUMED_BATCH = 128


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def number(text):
    found = re.search(r"\d[\d,]*\.?\d*", text.replace(" ", ""))
    return float(found[0].replace(",", "")) if found else None


def pair(text):
    """Values for both precisions: "128 and 256", "16, 32", "5120/2560" or one for both."""
    values = [float(v) for v in re.findall(r"\d+\.?\d*", text.replace("k", "000"))]
    return (values[0], values[-1]) if values and len(values) <= 2 else None


def tables(text):
    """(path, title, header, rows) of every table."""
    path = title = None
    header, rows = None, []
    for line in text.splitlines() + ["### end ::"]:
        if line.startswith("### "):
            if header and rows and title is not None:
                yield path, title, header, rows
            path, _, title = line[4:].partition(" :: ")
            header, rows = None, []
        elif line.startswith("|"):
            if header is None:
                header = [re.sub(r"<br ?/?>|\*", " ", c).strip() for c in cells(line)]
            elif not set(line) <= set("|:- \t"):
                rows.append(cells(line))


def column(header, *words, without=()):
    for index, name in enumerate(header):
        low = name.lower()
        if all(re.search(w, low) for w in words) and not any(re.search(w, low) for w in without):
            return index
    return None


def columns_of(header):
    no = ("speedup", "scaling", "accuracy", "time")
    rate = r"throughput|img|imgs"
    base = column(header, r"tf32|fp32", without=no + ("mixed", "batch", "accum", "amp"))
    fast = column(header, r"mixed precision|bf16|amp|fp16", without=no + ("tf32", "fp32", "batch", "accum"))
    if base is None or fast is None:
        return None
    found = {"base": base, "fast": fast}
    for name, words in {"model": (r"^model$",), "gpus": (r"gpus",), "batch": (r"batch",), "sequence": (r"sequence length",),
                        "accumulation": (r"accumulation",), "nodes": (r"nodes",)}.items():
        at = column(header, *words, without=("accumulat",) if name == "batch" else ())
        if at is not None:
            found[name] = at
    found["is_rate"] = bool(re.search(rate, header[base].lower())) or header[base].lower() in ("**tf32**", "tf32", "fp32")
    return found


def gpu_of(title):
    for pattern, gpu in GPUS:
        if re.search(pattern, title):
            return gpu
    return None


def network(path, row, at):
    folder = path.split("/README")[0].rsplit("/", 1)[-1]
    name = row[at["model"]] if "model" in at else folder
    if name in IMAGES:
        model, size = IMAGES[name]
        return model, {"image_size": size}, None
    if name in TEXTS or folder in TEXTS:
        return TEXTS.get(name) or TEXTS[folder], dict(ATTENTION), None
    return None, {}, f"no operator model: {name if 'model' in at else folder}"


def facts_of(path, title, header, row, at):
    """((facts of the baseline, facts under AMP, GPU, assumed), None) or (None, reason)."""
    gpu = gpu_of(title)
    if gpu is None:
        return None, "the table does not name its GPU"
    model, shared, why = network(path, row, at)
    if model is None:
        return None, why
    shared["model"] = model
    text = "image_size" not in shared
    if text:
        if "sequence" not in at:
            return None, "the table does not state the sequence length"
        shared["sequence_length"] = int(number(row[at["sequence"]]))
    counted = re.search(r"\((\d+)x ", title)
    gpus = int(number(row[at["gpus"]]) or 1) if "gpus" in at else int(counted[1]) if counted else 1
    nodes = int(number(row[at["nodes"]]) or 1) if "nodes" in at else 1
    shared.update(world_size=gpus * nodes, gpus_per_node=gpus, nodes=nodes, pin_memory="true")
    shared.update(next((o for n, o in OPTIMIZERS.items() if n in path or n in model), {"optimizer": "sgd", "momentum": 0.9}))
    batches = pair(row[at["batch"]]) if "batch" in at else None
    steps = pair(row[at["accumulation"]]) if "accumulation" in at else (1, 1)
    assumed = batches is None
    if assumed:
        batches = (ASSUMED_BATCH, ASSUMED_BATCH)
    elif "accumulation" in at and not any("accumulated" in h.lower() for h in header):
        batches = (batches[0] / steps[0], batches[1] / steps[1])  # what is called batch is one step's
    tf32 = "tf32" in header[at["base"]].lower() or "a100" in gpu
    both = []
    for fast in (False, True):
        facts = dict(shared, per_device_batch_size=int(batches[fast]), gradient_accumulation_steps=int(steps[fast]))
        facts["mixed_precision"] = ("bf16" if "bf16" in header[at["fast"]].lower() else "fp16") if fast else "none"
        facts["tf32"] = "true" if tf32 else "false"
        # ConvNets/README.md: channels-last goes with mixed precision.
        facts["channels_last"] = "true" if fast and not text else "false"
        both.append(facts)
    return (both[0], both[1], gpu, assumed), None


class Gpulint:
    def __init__(self, path, config):
        self.path, self.config = path, config

    def throughput(self, facts, gpu):
        """(low, central, high) samples/s, or the reason there is none."""
        command = [self.path, "estimate", self.config, "--output", "json", "--gpu", gpu]
        for fact, value in facts.items():
            command += ["--set", f"{fact}={value}"]
        run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        if run.returncode != 0:
            return (run.stderr.strip() or f"exit {run.returncode}")[:160]
        answer = json.loads(run.stdout)
        rate = answer["throughput"]
        if rate is None:
            return "unknown: " + ", ".join(answer["unknown"])
        return rate["low"], rate["central"], rate["high"]


# Prose of the second file: "resnet50 826 -> 1218" is AMP before and after channels-last on the GPU of its heading.
PROSE_HEAD = re.compile(r"^### .*timm.*AMP train img/s, (RTX \d+); channels_last", re.M)
PROSE_ROW = re.compile(r"(\w+) (\d+) -> \**(\d+)")


def prose_rows(text):
    heads = re.search(r"AMP train img/s, (RTX \d+); channels_last gain\n(.*)", text)
    if not heads:
        return
    gpu = gpu_of(heads[1])
    for name, nchw, nhwc in PROSE_ROW.findall(heads[2]):
        title = f"timm AMP, {heads[1]}: as stored -> channels-last"
        if name not in IMAGES:
            yield title, name, None, f"no operator model: {name}"
            continue
        model, size = IMAGES[name]
        shared = {"model": model, "image_size": size, "mixed_precision": "fp16", "world_size": 1, "optimizer": "sgd",
                  "momentum": 0.9, "pin_memory": "true", "per_device_batch_size": ASSUMED_BATCH,
                  "gradient_accumulation_steps": 1, "attention_backend": "eager"}  # torch 1.12 fuses none
        yield title, name, (dict(shared, channels_last="false"), dict(shared, channels_last="true"), gpu, True,
                            float(nchw), float(nhwc)), None


def markdown_rows(text):
    for path, title, header, rows in tables(text):
        at = columns_of(header)
        low = title.lower()
        if at is None or "inference" in low or "accuracy" in low or not at["is_rate"]:
            continue
        name = f"{path.removeprefix('PyTorch/')} :: {title}"
        for row in rows:
            if len(row) <= max(v for k, v in at.items() if k != "is_rate"):
                continue
            label = " ".join(row[at[k]] for k in ("model", "gpus", "batch", "sequence") if k in at)
            facts, why = facts_of(path, title, header, row, at)
            measured = number(row[at["base"]]), number(row[at["fast"]])
            if facts is not None and None in measured:
                facts, why = None, "one of both precisions is not given"
            yield name, label, facts and facts + measured, why


def score(gpulint, files):
    results = []
    for file in files:
        text = open(file, encoding="utf-8").read()
        for table, label, facts, why in [*markdown_rows(text), *prose_rows(text)]:
            result = {"table": table, "row": label}
            results.append(result)
            if facts is None:
                result["skipped"] = why
                continue
            base, fast, gpu, result["assumed"], measured_base, measured_fast = facts
            answers = [gpulint.throughput(base, gpu), gpulint.throughput(fast, gpu)]
            if any(isinstance(a, str) for a in answers):
                result["skipped"] = next(a for a in answers if isinstance(a, str))
                continue
            result["measured"] = [measured_base, measured_fast]
            result["predicted"] = [a[1] for a in answers]
            result["errors"] = [a[1] / m - 1 for a, m in zip(answers, result["measured"])]
            result["inside"] = [a[0] <= m <= a[2] for a, m in zip(answers, result["measured"])]
            ratio = measured_fast / measured_base
            result["speedup"] = [ratio, answers[1][1] / answers[0][1]]
            result["speedup_error"] = result["speedup"][1] / ratio - 1
    return results


def median(values):
    values = [abs(v) for v in values]
    return statistics.median(values) if values else None


def summary(rows):
    covered = [r for r in rows if "errors" in r]
    inside = [i for r in covered for i in r["inside"]]
    return {
        "rows": len(rows), "covered": len(covered),
        "batch_assumed": sum(1 for r in covered if r["assumed"]),
        "median_error": median([e for r in covered for e in r["errors"]]),
        "median_speedup_error": median([r["speedup_error"] for r in covered]),
        "inside_interval": sum(inside) / len(inside) if inside else None,
    }


def percent(value):
    return "–" if value is None else f"{100 * value:.0f} %"


def print_report(results, every_row):
    groups = collections.OrderedDict()
    for r in results:
        groups.setdefault(r["table"], []).append(r)
    print("| table | rows | covered | batch assumed | samples/s, median error | ratio, median error | in interval |")
    print("|---|---|---|---|---|---|---|")
    sets = [(t, summary(rows)) for t, rows in groups.items() if any("errors" in r for r in rows)]
    stated = [r for r in results if not r.get("assumed", False)]
    sets += [("**all with a stated batch**", summary(stated)), ("**all**", summary(results))]
    for name, s in sets:
        print(f"| {name} | {s['rows']} | {s['covered']} | {s['batch_assumed']} | {percent(s['median_error'])} | "
              f"{percent(s['median_speedup_error'])} | {percent(s['inside_interval'])} |")
    covered = [r for r in results if "errors" in r]
    covered.sort(key=lambda r: -max(abs(e) for e in r["errors"]))
    print("\nworst rows\n" if not every_row else "\nrows\n")
    for r in covered if every_row else covered[:10]:
        print(f"- {r['table'].split('/README')[0]} {r['row']}: " + ", ".join(
            f"{p:.0f} for {m:.0f} ({100 * e:+.0f} %)" for p, m, e in zip(r["predicted"], r["measured"], r["errors"]))
            + f"; x{r['speedup'][1]:.2f} for x{r['speedup'][0]:.2f}")
    print("\nnot covered\n")
    for (why, count) in collections.Counter(r["skipped"] for r in results if "skipped" in r).most_common():
        print(f"- {count} rows: {why}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--gpulint", required=True)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rows", action="store_true", help="print every covered row")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        config = os.path.join(folder, "train.yaml")
        with open(config, "w", encoding="utf-8") as out:
            out.write(CONFIG)
        results = score(Gpulint(arguments.gpulint, config), arguments.files)
    if arguments.json:
        json.dump({"headline": summary(results), "rows": results}, sys.stdout, indent=1)
    else:
        print_report(results, arguments.rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
