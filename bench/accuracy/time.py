#!/usr/bin/env python3
"""Scores gpulint's step times against published tables of training throughput.

    bench/accuracy/time.py [--json] [--rows] --gpulint PATH FILE...

Each FILE is a CSV of timm's training benchmarks or Markdown: headings `### <path of a README> :: <title>` over tables
with one column of throughput per precision. A row becomes facts (`--set`) and a GPU; samples per second and the ratio of both precisions are compared.
What a table leaves open is taken from the scripts beside it (published_runs.py) or named as the reason a row is not
covered. Names and unit conversions only; nothing is fitted and nothing reads a measured value.
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

from published_runs import (BINNED_LENGTHS, GPUS_OF_A_DGX2, TIMM, TIMM_FACTS, TRANSFORMER_XL, facts_under, gpu_of, run_of,
                            system_of, timm_csv_rows)

# A config must look like one to be read; these keys take no time.
CONFIG = "training:\n  learning_rate: 0.1\n  epochs: 1\n"

def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def number(text):
    found = re.search(r"(\d[\d,]*\.?\d*)(M?)", text.replace(" ", ""))
    return float(found[1].replace(",", "")) * (1e6 if found[2] else 1) if found else None


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
    rate = r"\bth(r|$)|img"  # headings may be cut off
    base = column(header, r"tf32|fp32", without=no + ("mixed", "batch", "accum", r"\bamp\b"))
    fast = column(header, r"mixed precision|bf16|\bamp\b|fp16", without=no + ("tf32", "fp32", "batch", "accum"))
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


def facts_of(path, title, header, row, at, gpu):
    """((facts of the baseline, facts under AMP, units per sample), None) or (None, reason)."""
    if gpu is None:
        return None, "the table does not name its GPU"
    run, why = run_of(path.split("/README")[0].rsplit("/", 1)[-1], title, row[at["model"]] if "model" in at else None)
    if run is None:
        return None, why
    shared = {}
    if "image_size" not in run.facts:
        if "sequence" not in at and "sequence_length" not in run.facts:
            return None, "the table does not state the sequence length"
        if "sequence" in at:
            length = int(number(row[at["sequence"]]))
            binned = run.batch_is_accumulated and length in BINNED_LENGTHS
            shared["sequence_length"] = BINNED_LENGTHS[length] if binned else length
    counted = re.search(r"\((\d+)x ", title)
    usual = GPUS_OF_A_DGX2 if "DGX-2" in row[0] else int(counted[1]) if counted else 1
    gpus = int(number(row[at["gpus"]]) or 1) if "gpus" in at else usual
    nodes = int(number(row[at["nodes"]]) or 1) if "nodes" in at else 1
    shared.update(world_size=gpus * nodes, gpus_per_node=gpus, nodes=nodes, pin_memory="true")
    batches = pair(row[at["batch"]]) if "batch" in at else None
    if batches is None:
        batches = tuple(run.batches.get((system_of(gpu), mixed)) for mixed in (False, True))
        if None in batches:
            return None, "neither the table nor the scripts state the batch"
    if run.amp_batch_first:
        batches = batches[::-1]
    batches = tuple(batch / run.batch_units for batch in batches)
    steps = pair(row[at["accumulation"]]) if "accumulation" in at else (1, 1)
    if run.batch_is_accumulated and "accumulation" in at and not any("accumulated" in h.lower() for h in header):
        batches = (batches[0] / steps[0], batches[1] / steps[1])  # what is called batch is one step's
    if run.optimizer_batch:
        steps = tuple(max(1, run.optimizer_batch // (gpus * nodes * batch)) for batch in batches)
    tf32 = "tf32" in header[at["base"]].lower() or "a100" in gpu
    both = []
    for fast in (False, True):
        facts = dict(facts_under(run, gpu, fast), **shared, per_device_batch_size=int(batches[fast]), gradient_accumulation_steps=int(steps[fast]))
        facts["mixed_precision"] = ("bf16" if "bf16" in header[at["fast"]].lower() else "fp16") if fast else "none"
        facts["tf32"] = "true" if tf32 else "false"
        both.append(facts)
    return (both[0], both[1], run.units), None


class Gpulint:
    def __init__(self, path, config, data):
        self.path, self.config = path, config
        self.options = ["--data", data] if data else []

    def throughput(self, facts, gpu):
        """(low, central, high) samples/s, or the reason there is none."""
        command = [self.path, "estimate", self.config, "--output", "json", "--gpu", gpu, *self.options]
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
PROSE_ROW = re.compile(r"(\w+) (\d+) -> \**(\d+)")


def prose_rows(text):
    heads = re.search(r"AMP train img/s, (RTX \d+); channels_last gain\n(.*)", text)
    if not heads:
        return
    gpu = gpu_of(heads[1])
    for name, *measured in PROSE_ROW.findall(heads[2]):
        title = f"timm AMP, {heads[1]}: as stored -> channels-last"
        if name not in TIMM:
            yield title, name, None, f"no operator model: {name}"
            continue
        model, size, *batches = TIMM[name]
        both = [dict(TIMM_FACTS, model=model, image_size=size, channels_last=layout, per_device_batch_size=batch)
                for layout, batch in zip(("false", "true"), batches)]
        yield title, name, (*both, gpu, *[float(m) for m in measured]), None


def markdown_rows(text):
    unnamed = iter(TRANSFORMER_XL)
    for path, title, header, rows in tables(text):
        at = columns_of(header)
        low = title.lower()
        if at is None or "inference" in low or "accuracy" in low or not at["is_rate"]:
            continue
        name = f"{path.removeprefix('PyTorch/')} :: {title}"
        gpu = next(unnamed, None) if "Transformer-XL" in path else gpu_of(title)
        for row in rows:
            if len(row) <= max(v for k, v in at.items() if k != "is_rate"):
                continue
            label = " ".join(row[at[k]] for k in ("model", "gpus", "batch", "sequence") if k in at)
            facts, why = facts_of(path, title, header, row, at, gpu)
            measured = number(row[at["base"]]), number(row[at["fast"]])
            if facts is None:
                yield name, label, None, why
                continue
            base, fast, units = facts
            yield name, label, (base, fast, gpu, *[m and m / units for m in measured]), None


def score(gpulint, files):
    results = []
    for file in files:
        text = open(file, encoding="utf-8").read()
        found = timm_csv_rows(file) if file.endswith(".csv") else [*markdown_rows(text), *prose_rows(text)]
        for table, label, facts, why in found:
            result = {"table": table, "row": label}
            results.append(result)
            if facts is None:
                result["skipped"] = why
                continue
            *both, gpu, measured_base, measured_fast = facts
            measured = [measured_base, measured_fast]
            answers = [gpulint.throughput(f, gpu) if m else None for f, m in zip(both, measured)]
            given = [(a, m) for a, m in zip(answers, measured) if a is not None]
            if not given or any(isinstance(a, str) for a, _ in given):
                result["skipped"] = next((a for a, _ in given), "no throughput is given")
                continue
            result["measured"] = [m for _, m in given]
            result["predicted"] = [a[1] for a, _ in given]
            result["errors"] = [a[1] / m - 1 for a, m in given]
            result["inside"] = [a[0] <= m <= a[2] for a, m in given]
            if len(given) == 2:
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
        "median_error": median([e for r in covered for e in r["errors"]]),
        "median_speedup_error": median([r["speedup_error"] for r in covered if "speedup" in r]),
        "inside_interval": sum(inside) / len(inside) if inside else None,
    }


def percent(value):
    return "–" if value is None else f"{100 * value:.0f} %"


def print_report(results, every_row):
    groups = collections.OrderedDict()
    for r in results:
        groups.setdefault(r["table"], []).append(r)
    print("| table | rows | covered | samples/s, median error | ratio, median error | in interval |")
    print("|---|---|---|---|---|---|")
    sets = [(t, summary(rows)) for t, rows in groups.items() if any("errors" in r for r in rows)]
    sets.append(("**all**", summary(results)))
    for name, s in sets:
        print(f"| {name} | {s['rows']} | {s['covered']} | {percent(s['median_error'])} | "
              f"{percent(s['median_speedup_error'])} | {percent(s['inside_interval'])} |")
    covered = [r for r in results if "errors" in r]
    covered.sort(key=lambda r: -max(abs(e) for e in r["errors"]))
    print("\nworst rows\n" if not every_row else "\nrows\n")
    for r in covered if every_row else covered[:10]:
        print(f"- {r['table'].split('/README')[0]} {r['row']}: " + ", ".join(
            f"{p:.0f} for {m:.0f} ({100 * e:+.0f} %)" for p, m, e in zip(r["predicted"], r["measured"], r["errors"]))
            + (f"; x{r['speedup'][1]:.2f} for x{r['speedup'][0]:.2f}" if "speedup" in r else ""))
    print("\nnot covered\n")
    for (why, count) in collections.Counter(r["skipped"] for r in results if "skipped" in r).most_common():
        print(f"- {count} rows: {why}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--gpulint", required=True)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--data", help="folder with further data files, handed on to gpulint")
    parser.add_argument("--rows", action="store_true", help="print every covered row")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        config = os.path.join(folder, "train.yaml")
        with open(config, "w", encoding="utf-8") as out:
            out.write(CONFIG)
        results = score(Gpulint(arguments.gpulint, config, arguments.data), arguments.files)
    if arguments.json:
        json.dump({"headline": summary(results), "rows": results}, sys.stdout, indent=1)
    else:
        print_report(results, arguments.rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
